"""`signoff approve` against the real service, with people who click in the sandbox."""

import json
import signal

import pytest

from blocks import ids
from tests.e2e.house import ANA, BEN, DEPLOYS, plain

ASK = ("approve", "Deploy api 1.4.2?", "--channel", DEPLOYS, "--approver", ANA, "--run", "deploy-812")


async def click(here, action: str, *, person: str = ANA, count: int = 1):
    card = await here.card(DEPLOYS, count=count)
    assert (await here.slack.person(person).click(DEPLOYS, card.ts, action)).ok
    return card


async def test_a_yes_is_exit_code_0_and_the_claim_is_taken(here, machine) -> None:
    asking = await machine.start(*ASK)
    card = await click(here, ids.APPROVE)

    said = await asking.ended()

    assert (said.code, said.out) == (0, ""), said
    assert said.lines[0].startswith('asked "Deploy api 1.4.2?" (apr_')
    assert "decides: @ana" in said.lines
    assert said.lines[-1] == "Approved by @ana."
    await here.shows(card, "Handed to")


async def test_the_same_again_after_that_is_13(here, machine) -> None:
    asking = await machine.start(*ASK)
    await click(here, ids.APPROVE)
    assert (await asking.ended()).code == 0

    said = await machine.run(*ASK)

    assert said.code == 13
    assert "It is not run again." in said.lines[-1]


async def test_a_command_runs_once_and_its_end_stands_on_the_card(here, machine) -> None:
    script = "echo to-out; echo to-err >&2; echo ran >> ran; exit 3"
    asking = await machine.start(*ASK, "--", "sh", "-c", script)
    card = await here.card(DEPLOYS)
    assert "sh -c" in plain(card)
    await click(here, ids.APPROVE)

    said = await asking.ended()

    assert (said.code, said.out) == (3, "to-out\n"), said
    assert "to-err" in said.err.splitlines()
    assert (machine.folder / "ran").read_text() == "ran\n"
    await here.shows(card, "Failed")
    await here.shows(card, "exit code 3")
    await here.shows(card, "to-err")

    again = await machine.run(*ASK, "--", "sh", "-c", script)
    assert again.code == 13
    assert (machine.folder / "ran").read_text() == "ran\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_cancelled_job_withdraws_its_ask(here, machine, number) -> None:
    asking = await machine.start(*ASK, CI="true")
    await asking.says("decides")
    card = await here.card(DEPLOYS)

    asking.send(number)
    said = await asking.ended()

    assert said.code == 128 + number
    assert "withdrawn" in said.lines[-1]
    await here.shows(card, "Withdrawn")


async def test_json_says_what_became_of_it(here, machine) -> None:
    asking = await machine.start(*ASK, "--json", "--tool", "deploy.release", "--input", '{"version": "1.4.2"}')
    await click(here, ids.APPROVE)

    said = await asking.ended()

    found = json.loads(said.out)
    assert (said.code, found["exit"], found["execute"], found["state"]) == (0, 0, True, "approved")
    assert (found["input"], found["by"], found["run_id"]) == ({"version": "1.4.2"}, ANA, "deploy-812")


async def test_a_quorum_waits_for_the_second(here, machine) -> None:
    asking = await machine.start(*ASK, "--approver", BEN, "--quorum", "2")
    await click(here, ids.APPROVE)
    await asking.says("1 of 2 approved")
    await click(here, ids.APPROVE, person=BEN)

    said = await asking.ended()

    assert said.code == 0
    assert said.lines[-1] == "Approved by @ana and @ben."
