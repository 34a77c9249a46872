"""The examples at the top of the repository run as they stand; only the service is the sandbox's."""

import asyncio
import os
import shutil
import signal
from pathlib import Path

import pytest
import yaml

from blocks import ids
from tests.e2e.house import ANA, DEPLOYS
from tests.sdk.cli.clickers import yes_sayers
from tests.sdk.cli.shell import TOP, Said

EXAMPLES = TOP / "examples"
JOB = {
    "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/api", "GITHUB_RUN_ID": "77",
    "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "deploy", "GITHUB_SHA": "4f1c22e09bb0", "VERSION": "1.4.2",
    "GITHUB_SERVER_URL": "https://github.example",
}  # fmt: skip


@pytest.fixture
def checkout(machine) -> Path:
    shutil.copytree(EXAMPLES, machine.folder / "examples")
    return machine.folder / "examples"


async def test_the_shell_script_asks_deploys_once_and_says_so(here, machine, checkout) -> None:
    async with yes_sayers(here):
        first = await (await machine.shell("./shell/deploy.sh", "1.4.2", cwd=checkout)).ended()
        again = await (await machine.shell("./shell/deploy.sh", "1.4.2", cwd=checkout)).ended()

    assert first.code == 0, first
    assert first.out.splitlines() == ["releasing api 1.4.2 in Europe", "api 1.4.2 is live"]
    assert again.code == 13, again
    assert again.out == "api 1.4.2 was deployed before; nothing was done\n"


async def test_the_shell_script_tells_a_no_from_a_failure(here, machine, checkout) -> None:
    running = await machine.shell("./shell/deploy.sh", "1.4.2", cwd=checkout)
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.suffixed(ids.PICK, 1))
    await running.says("United States?")
    card = await here.card(DEPLOYS, count=2)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.DENY)

    said = await running.ended()

    assert (said.code, said.out) == (10, "nobody wants api 1.4.2; nothing was deployed\n")


async def test_the_makefile_deploys_once_approved(here, machine, checkout) -> None:
    async with yes_sayers(here):
        said = await (await machine.shell("make", "deploy", "VERSION=1.4.2", cwd=checkout / "make")).ended()
    nameless = await (await machine.shell("make", "deploy", cwd=checkout / "make")).ended()

    assert said.code == 0, said
    assert "releasing api 1.4.2 in everywhere" in said.out
    assert nameless.code == 2
    assert "say which" in nameless.err


def steps() -> list[dict[str, str]]:
    return yaml.safe_load((EXAMPLES / "github-actions" / "deploy.yml").read_text("utf-8"))["jobs"]["deploy"]["steps"]


def script(name: str) -> str:
    """What a step runs. Its expressions stand in `env` alone: nothing of an input is pasted into a shell."""
    (found,) = [step["run"] for step in steps() if step.get("name") == name]
    assert "${{" not in found
    return found


async def step(machine, checkout, name: str, **more: str):
    """As GitHub's runner starts it: a file, by `bash -e`."""
    file = machine.folder / "step.sh"
    file.write_text(script(name))
    return await machine.shell(
        "bash", "--noprofile", "--norc", "-eo", "pipefail", str(file), cwd=checkout / "make", **JOB
    )


async def test_the_job_deploys_once_approved_under_the_name_of_its_attempt(here, machine, checkout) -> None:
    async with yes_sayers(here):
        said: Said = await (await step(machine, checkout, "Deploy, once approved")).ended()

    assert (said.code, said.out) == (0, "releasing api 1.4.2 in everywhere\n"), said
    (found,) = (await here.api("GET", "/v1/interactions")).json["items"]
    assert found["run_id"] == "github/acme/api/77/1/deploy"
    assert [fact["value"] for fact in found["facts"]] == ["4f1c22e09bb0"]


async def test_a_cancelled_job_leaves_no_card_that_waits(here, machine, checkout) -> None:
    running = await step(machine, checkout, "Deploy, once approved")
    await running.says("decides")
    running.send(signal.SIGINT)
    said = await running.ended()

    assert said.code == 128 + signal.SIGINT
    (found,) = (await here.api("GET", "/v1/interactions")).json["items"]
    assert found["state"] == "withdrawn"


async def test_the_step_that_cleans_up_withdraws_what_a_killed_step_left(here, machine, checkout) -> None:
    running = await step(machine, checkout, "Deploy, once approved")
    await running.says("decides")
    await running.killed()

    said = await (await step(machine, checkout, "Take back what a cancelled job leaves open")).ended()

    assert said.code == 0, said
    (found,) = (await here.api("GET", "/v1/interactions")).json["items"]
    assert found["state"] == "withdrawn"


async def test_a_job_whose_shell_is_killed_withdraws_all_the_same(here, machine, checkout) -> None:
    line = 'signoff approve "Deploy?" --channel "#deploys" --approver @ana; echo never'
    running = await machine.shell("bash", "-c", line, cwd=checkout, **JOB)
    await running.says("decides")
    os.kill(running.process.pid, signal.SIGKILL)

    async with asyncio.timeout(20):
        await running.says("Cancelled: the ask is withdrawn.")
