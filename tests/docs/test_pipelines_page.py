"""docs/pipelines.md against the code: its commands are run, its codes, options, systems and numbers are those there are."""

import re
import shlex
import shutil

import pytest

from signoff import runs
from signoff.cli.exits import Exit
from signoff.cli.main import main
from tests.docs.page import TOP, blocks, page, quoted, section, tables
from tests.e2e.house import place
from tests.sdk.cli.clickers import yes_sayers
from tests.sdk.cli.shell import Pipeline

PAGE = page("pipelines.md")
#: Blocks inside of a list stand at the margin here, as all others do.
FLAT = re.sub(r"^   (?! )", "", PAGE, flags=re.MULTILINE)
SAMPLES = blocks(FLAT, "sh")


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


@pytest.fixture
async def machine(here, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(TOP / "examples" / "shell" / "release.sh", home)
    made = Pipeline(folder=home, url=str(here.house.url), token=here.token)
    yield made
    await made.close()


def sample(words: str) -> str:
    (found,) = [block for block in SAMPLES if words in block]
    return found


async def run(machine, script: str, **more: str):
    running = await machine.shell("bash", "-euo", "pipefail", "-c", script, cwd=machine.folder, **more)
    return await running.ended()


async def test_the_first_approval_runs_its_command_once(here, machine) -> None:
    async with yes_sayers(here):
        said = await run(machine, sample("./release.sh api 1.4.2"))
        again = await run(machine, sample("./release.sh api 1.4.2"))

    assert (said.code, said.out) == (0, "releasing api 1.4.2 in everywhere\n"), said
    assert again.code == 13


async def test_without_a_command_the_script_reports_by_itself(here, machine) -> None:
    async with yes_sayers(here):
        said = await run(machine, sample("signoff report"))

    assert said.code == 0, said
    (found,) = (await here.api("GET", "/v1/interactions")).json["items"]
    assert (found["execution"]["status"], found["execution"]["detail"]) == ("succeeded", "12 keys")


async def test_the_questions_print_what_the_page_says(here, machine) -> None:
    async with yes_sayers(here):
        said = await run(machine, sample("signoff ask") + 'echo "$region / $reason"\n')

    assert said.code == 0, said
    assert said.out.splitlines()[1] == "Europe / because"
    assert said.out.splitlines()[0] in quoted(section(PAGE, "Questions"))


async def test_what_people_see_is_asked_and_can_be_looked_at_and_taken_back(here, machine) -> None:
    asked = await run(machine, sample("--group @oncall-leads"))
    assert asked.code == 0, asked
    (found,) = (await here.api("GET", "/v1/interactions")).json["items"]
    looked = await run(machine, sample("signoff show"), ID=found["id"][-5:])

    assert (found["risk"], found["approvers"]["groups"], found["input"]["version"]) == (
        "high",
        ["S07ONCALL01"],
        "1.4.3",
    )
    assert looked.code == 0, looked
    assert f"{found['id']} is withdrawn." in looked.out


async def test_a_cancelled_job_cleans_up(here, machine) -> None:
    mine = await here.ask(run_id="deploy-812")

    said = await run(machine, sample("--this-run"))

    assert (said.code, said.out) == (0, f"{mine['id']} is withdrawn.\n")


def test_every_sample_is_run_above() -> None:
    told = (
        "./release.sh api 1.4.2",
        "signoff report",
        "signoff ask",
        "--group @oncall-leads",
        "signoff show",
        "--this-run",
    )

    assert all(any(words in block for words in told) for block in SAMPLES)


def test_every_exit_code_is_in_the_table() -> None:
    (rows,) = tables(section(PAGE, "Exit codes"))
    named = {int(code) for row in rows for code in re.findall(r"\d+", row[0])}

    assert named == {int(code) for code in Exit} | {130, 143}


def test_every_option_that_is_named_is_one() -> None:
    known = {option for command in main.commands.values() for each in command.params for option in each.opts}
    # Of the service's own command line.
    theirs = {"--scopes", "--name", "--any-approvers"}
    named = {word for text in [*SAMPLES, *quoted(PAGE)] for word in words(text) if word.startswith("--")} - {"--"}

    assert named - theirs <= known


def words(text: str) -> list[str]:
    return re.findall(r"(?<![\w-])--[\w-]*", text)


def test_every_ci_system_is_named_and_no_other() -> None:
    text = section(PAGE, "Which run").lower()

    for system in runs._SYSTEMS:
        assert system.name in text, system.name


def test_the_numbers_are_those_of_the_code() -> None:
    defaults = {each.name: each.default for each in main.commands["approve"].params}

    assert (defaults["report_within"], defaults["lines"]) == ("2m", 10)
    assert "not heard of for two minutes" in PAGE
    assert shlex.split(SAMPLES[0])[0] == "signoff"
