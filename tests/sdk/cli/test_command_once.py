"""At most one execution, whoever is killed and whoever races: the promises of claims, seen from a shell."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from blocks import ids
from bot.stop_console import settle_line
from sandbox.server import Sandbox
from tests.e2e.house import ANA, DEPLOYS, Place, plain
from tests.e2e.process import make_key, serving
from tests.sdk.cli.shell import Pipeline
from tests.sdk.cli.test_command_approve import ASK, click

COUNTED = ("--", "sh", "-c", "echo ran >> ran")


def ran(*machines: Pipeline) -> int:
    files = [machine.folder / "ran" for machine in machines]
    return sum(len(file.read_text().splitlines()) for file in files if file.exists())


def elsewhere(machine: Pipeline, folder: Path) -> Pipeline:
    """Another machine: a home of its own."""
    folder.mkdir()
    return Pipeline(folder=folder, url=machine.url, token=machine.token, environment=machine.environment)


async def asked_by(here: Place):
    await here.card(DEPLOYS)
    return (await here.api("GET", "/v1/interactions")).json["items"][0]


async def test_of_two_clients_here_one_runs_it_and_the_other_ends_with_13(here, machine) -> None:
    both = [await machine.start(*ASK, "--", "sh", "-c", "echo ran >> ran; sleep 1") for _ in range(2)]
    await asyncio.gather(*(each.says("decides") for each in both))
    await click(here, ids.APPROVE)

    said = await asyncio.gather(*(each.ended() for each in both))

    assert sorted(each.code for each in said) == [0, 13], said
    assert ran(machine) == 1


async def test_of_two_machines_one_runs_it_and_the_other_ends_with_13(here, machine, tmp_path) -> None:
    other = elsewhere(machine, tmp_path / "other")
    both = [await each.start(*ASK, *COUNTED) for each in (machine, other)]
    await asyncio.gather(*(each.says("decides") for each in both))
    await click(here, ids.APPROVE)

    said = await asyncio.gather(*(each.ended() for each in both))

    assert sorted(each.code for each in said) == [0, 13], said
    assert ran(machine, other) == 1


def halting(machine: Pipeline, place: str) -> dict[str, str]:
    """An environment in which `signoff` stops dead at a place, as if the machine had been switched off there."""
    folder = machine.folder.parent / "halt"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(
        "import os, signal\n"
        "from signoff.cli import tickets, child\n"
        "def halts(cls, name, after, number=signal.SIGKILL):\n"
        "    inner = getattr(cls, name)\n"
        "    def halting(*given, **more):\n"
        "        if after: inner(*given, **more)\n"
        "        os.kill(os.getpid(), number)\n"
        "        if not after: inner(*given, **more)\n"
        "    setattr(cls, name, halting)\n"
        "place = os.environ.get('HALT_AT')\n"
        "if place == 'before-start': halts(tickets.Ticket, 'spend', False)\n"
        "if place == 'frozen': halts(tickets.Ticket, 'spend', False, signal.SIGSTOP)\n"
        "if place == 'marked': halts(tickets.Ticket, 'spend', True)\n"
    )
    return {"HALT_AT": place, "PYTHONPATH": os.pathsep.join([str(folder), machine.given()["PYTHONPATH"]])}


async def frozen(running) -> None:
    """Until the process stands still, as the kernel says."""
    await asyncio.wait_for(asyncio.to_thread(os.waitid, os.P_PID, running.process.pid, os.WSTOPPED), 30)


async def test_while_one_client_hangs_between_claim_and_start_no_other_here_takes_its_claim(here, machine) -> None:
    hanging = await machine.start(*ASK, *COUNTED, **halting(machine, "frozen"))
    await click(here, ids.APPROVE)
    await frozen(hanging)

    other = await machine.run(*ASK, *COUNTED)
    hanging.send(signal.SIGCONT)
    said = await hanging.ended()

    assert (other.code, said.code) == (13, 0), other
    assert f"process {hanging.process.pid} on this machine runs it" in other.err
    assert ran(machine) == 1


async def test_killed_between_claim_and_start_it_comes_back_for_its_own_claim(here, machine) -> None:
    asking = await machine.start(*ASK, *COUNTED, **halting(machine, "before-start"))
    await click(here, ids.APPROVE)
    assert (await asking.ended()).code == -signal.SIGKILL
    assert (await asked_by(here))["execution"]["status"] in {"claimed", "running"}
    assert ran(machine) == 0

    said = await machine.run(*ASK, *COUNTED)

    assert said.code == 0, said
    assert ran(machine) == 1


async def test_killed_between_claim_and_start_nobody_else_may_have_it(here, machine, tmp_path) -> None:
    asking = await machine.start(*ASK, *COUNTED, **halting(machine, "before-start"))
    await click(here, ids.APPROVE)
    await asking.ended()
    other = elsewhere(machine, tmp_path / "other")

    theirs, next_attempt = await other.run(*ASK, *COUNTED), await machine.run(*ASK, "--attempt", "2", *COUNTED)

    assert (theirs.code, next_attempt.code) == (13, 13)
    assert ran(machine, other) == 0


async def test_killed_at_the_very_start_it_is_not_begun_again(here, machine) -> None:
    asking = await machine.start(*ASK, *COUNTED, **halting(machine, "marked"))
    await click(here, ids.APPROVE)
    await asking.ended()

    said = await machine.run(*ASK, *COUNTED)

    assert said.code == 13
    assert ran(machine) == 0


async def test_killed_while_it_runs_it_is_asked_whether_it_happened_and_may_run_again_once_somebody_says_no(
    here, machine
) -> None:
    command = ("--report-within", "2s", "--", "sh", "-c", "echo ran >> ran; [ -e quick ] || exec sleep 5")
    asking = await machine.start(*ASK, *command)
    card = await click(here, ids.APPROVE)
    await here.shows(card, "Running on ")
    await asking.killed()
    meanwhile = await machine.run(*ASK, *command)
    await here.shows(card, "Did it happen?")
    silent = await machine.run(*ASK, *command)
    assert (meanwhile.code, silent.code, ran(machine)) == (13, 13, 1)

    found = await asked_by(here)
    await settle_line(here.house.store, "default", found["id"], happened=False)
    (machine.folder / "quick").touch()
    said = await machine.run(*ASK, *command)

    assert (said.code, ran(machine)) == (0, 2)


async def test_a_wait_outlasts_a_restart_of_the_service(tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    home = tmp_path / "home"
    home.mkdir()
    async with Sandbox() as slack:
        async with serving(slack, database) as first:
            machine = Pipeline(folder=home, url=first.url, token=await make_key(slack, database))
            asking = await machine.start(*ASK, *COUNTED)
            (card,) = await slack.wait_for(lambda workspace: workspace.messages(DEPLOYS))
            await asking.says("decides")
            first.kill()
            await first.gone()
        await asking.says("Trying again; the ask stays open.")
        async with serving(slack, database, PORT=first.url.rpartition(":")[2]):
            await asking.says("Signoff answers again.")
            assert (await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)).ok
            said = await asking.ended()

    assert said.code == 0, said
    assert ran(machine) == 1


async def test_a_command_outlasts_a_restart_of_the_service_and_its_end_is_reported(tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    home = tmp_path / "home"
    home.mkdir()
    async with Sandbox() as slack:
        async with serving(slack, database) as first:
            machine = Pipeline(folder=home, url=first.url, token=await make_key(slack, database))
            script = "echo ran >> ran; while [ ! -e go-on ]; do sleep 0.05; done"
            asking = await machine.start(*ASK, "--report-within", "3s", "--", "sh", "-c", script)
            (card,) = await slack.wait_for(lambda workspace: workspace.messages(DEPLOYS))
            assert (await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)).ok
            await slack.wait_for(lambda _: "Running on " in plain(card))
            first.kill()
            await first.gone()
        await asking.says("The command goes on")
        (machine.folder / "go-on").touch()
        await asking.says("Done in")
        async with serving(slack, database, PORT=first.url.rpartition(":")[2]):
            said = await asking.ended()
            await slack.wait_for(lambda _: "Done" in plain(card))

    assert said.code == 0, said
    assert ran(machine) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
async def test_a_signal_is_passed_on_to_the_command(here, machine, number) -> None:
    name = signal.Signals(number).name.removeprefix("SIG")
    script = f"trap 'echo got {name}; exit 7' {name}; echo ready; while :; do sleep 0.05; done"
    asking = await machine.start(*ASK, "--json", "--", "sh", "-c", script)
    card = await click(here, ids.APPROVE)
    await asking.says("ready")

    asking.send(number)
    said = await asking.ended()

    assert said.code == 7
    assert said.err.splitlines().count(f"got {name}") == 1
    await here.shows(card, f"got {name}")


async def test_a_signal_to_the_whole_group_of_a_job_reaches_the_command_once(here, machine) -> None:
    script = "trap 'echo got it; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    asking = await machine.start(*ASK, "--json", "--", "sh", "-c", script)
    await click(here, ids.APPROVE)
    await asking.says("\nready")

    os.killpg(asking.process.pid, signal.SIGTERM)
    said = await asking.ended()

    assert said.code == 7
    assert said.err.splitlines().count("got it") == 1
