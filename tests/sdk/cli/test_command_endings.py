"""How `signoff approve` ends when people, deadlines and operators say something else than yes."""

import shlex
import signal

from blocks import ids
from bot.stop_console import go_lines, stop_line
from tests.e2e.house import DEPLOYS
from tests.sdk.cli.test_command_approve import ASK, click


async def asked(here):
    """The newest ask, once it is there."""
    await here.card(DEPLOYS)
    return (await here.api("GET", "/v1/interactions")).json["items"][0]


async def test_a_no_is_10_with_who_and_nothing_waits_for_the_run(here, machine) -> None:
    asking = await machine.start(*ASK, "--", "touch", "ran")
    await click(here, ids.DENY)

    said = await asking.ended()

    assert (said.code, said.lines[-1]) == (10, "Denied by @ana; no reason was given")
    assert not (machine.folder / "ran").exists()
    found = (await here.api("GET", "/v1/interactions?claimed=false&state=denied")).json["items"]
    assert found == []


async def test_a_deadline_is_11(here, machine) -> None:
    said = await machine.run(*ASK, "--expires", "1s")

    assert (said.code, said.lines[-1]) == (11, "Nobody decided in time. Nothing ran.")


async def test_what_was_approved_and_not_started_in_time_is_11(here, machine) -> None:
    assert (await machine.run(*ASK, "--wait", "0", "--run-within", "1s")).code == 14
    card = await click(here, ids.APPROVE)
    await here.shows(card, "Not started in time")

    said = await machine.run(*ASK, "--run-within", "1s")

    assert said.code == 11
    assert "not started in time" in said.lines[-1]


async def test_withdrawn_is_12(here, machine) -> None:
    asking = await machine.start(*ASK)
    found = await asked(here)
    assert (await here.api("POST", f"/v1/interactions/{found['id']}/withdraw", {})).json["withdrawn"]

    said = await asking.ended()

    assert (said.code, said.lines[-1]) == (12, f"Withdrawn by the key demo-{here.house.url}. Nothing ran.")


async def test_replaced_is_12_and_names_the_newer_one(here, machine) -> None:
    asking = await machine.start(*ASK)
    found = await asked(here)
    newer = await here.ask(run_id="deploy-813", supersedes=found["id"])

    said = await asking.ended()

    assert (said.code, said.lines[-1]) == (12, f"Replaced by {newer['id']}. Nothing ran.")


async def test_the_end_of_the_wait_is_14_and_the_way_on_works(here, machine) -> None:
    job = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/api", "GITHUB_RUN_ID": "7", "GITHUB_JOB": "deploy"}
    said = await machine.run(*ASK[:-2], "--wait", "1s", "--", "touch", "ran", GITHUB_RUN_ATTEMPT="1", **job)
    assert said.code == 14
    found = await asked(here)
    assert f"Take it back: signoff withdraw {found['id']}" in said.lines
    words = next(line for line in said.lines if line.startswith("Go on:"))
    await click(here, ids.APPROVE)

    on = shlex.split(words.partition("with ")[2])
    again = await machine.run(*ASK[:-2], *on, "--", "touch", "ran", GITHUB_RUN_ATTEMPT="2", **job)

    assert again.code == 0
    assert (machine.folder / "ran").exists()
    assert len(here.cards(DEPLOYS)) == 1


async def test_a_stopped_tool_starts_when_it_goes_on(here, machine) -> None:
    await stop_line(here.house.store, "default", "command", "zone 2 is down")
    asking = await machine.start(*ASK, "--", "touch", "ran")
    await click(here, ids.APPROVE)
    await asking.says("zone 2 is down")
    assert not (machine.folder / "ran").exists()
    await go_lines(here.house.store, "default", "command")

    said = await asking.ended()

    assert said.code == 0
    assert (machine.folder / "ran").exists()


async def test_a_wait_that_ends_while_the_tool_is_stopped_is_14(here, machine) -> None:
    await stop_line(here.house.store, "default", "command", "zone 2 is down")
    assert (await machine.run(*ASK, "--wait", "0", "--", "touch", "ran")).code == 14
    await click(here, ids.APPROVE)

    said = await machine.run(*ASK, "--wait", "0", "--", "touch", "ran")

    assert said.code == 14
    assert "zone 2 is down" in said.err
    assert not (machine.folder / "ran").exists()


async def test_a_stop_asks_a_running_command_to_end_where_that_is_wanted(here, machine) -> None:
    command = ("--on-stop", "end", "--report-within", "3s", "--", "sh", "-c", "echo begun; exec sleep 60")
    asking = await machine.start(*ASK, *command)
    card = await click(here, ids.APPROVE)
    await here.shows(card, "Running on ")
    await stop_line(here.house.store, "default", "command", "zone 2 is down")

    said = await asking.ended()

    assert said.code == 128 + signal.SIGTERM
    assert "zone 2 is down" in said.err
    await here.shows(card, "ended by SIGTERM")
