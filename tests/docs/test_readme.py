"""README.md against the code: links, settings, commands; its run in the shell and its run in Python are run."""

import asyncio
import json
import re
import shlex
import shutil
import subprocess

import aiohttp
import pytest

from blocks import ids
from bot.settings import Settings
from signoff.settings import DEFAULT_URL
from tests.docs.guide import approve, ended, reader
from tests.docs.page import TOP, blocks, curl, quoted, readme, section, tables, unknown_options, without_code
from tests.e2e.house import ANA, DEPLOYS, place

PAGE = readme()
FOLDERS = (TOP, TOP / "docs", TOP / "sdk")
PAGES = sorted(path.relative_to(TOP).as_posix() for folder in FOLDERS for path in folder.glob("*.md"))
LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)")
STEPS = section(PAGE, "Use it in your Slack, in ten minutes")


def tracked() -> set[str] | None:
    """Files that a clone has; None where this is none, or there is no git."""
    if shutil.which("git") is None or not (TOP / ".git").exists():
        return None
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=True).stdout
    return set(listed.decode().split("\0"))


def anchors(text: str) -> set[str]:
    """Headings as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_to_a_file_that_a_clone_has_and_to_a_heading_in_it(name) -> None:
    page = TOP / name
    files = tracked()

    for path, anchor in LINK.findall(without_code(page.read_text("utf-8"))):
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), path
        assert files is None or target.relative_to(TOP).as_posix() in files, path
        assert not anchor or anchor in anchors(target.read_text("utf-8")), f"{path}#{anchor}"


def test_every_setting_is_in_the_table_with_its_default() -> None:
    rows = {name: row for row in tables(section(PAGE, "In production"))[0] for name in quoted(row[0])}
    fields = {field.alias: field for field in Settings.model_fields.values()}

    assert set(rows) == set(fields)
    for name in ("DATABASE_URL", "HOST", "PORT", "SIGNOFF_LOG_LEVEL"):
        assert str(fields[name].default) in rows[name][2]


def test_every_command_of_ours_is_one_with_options_that_it_knows() -> None:
    text = PAGE.replace(".venv/bin/signoff-bot", "signoff-bot")
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    ours = [found for line in lines for found in re.findall(r"signoff-bot [^#|)]+", line)]
    ours += [found for found in quoted(text) if found.startswith("signoff-bot ")]

    assert len(ours) > 8
    for command in ours:
        assert unknown_options(shlex.split(command)) == set(), command


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


def meant(text: str, here) -> str:
    """With the ids and the address of this place instead of those that a reader replaces."""
    replaced = text.replace("C0123456789", DEPLOYS).replace("U0123456789", ANA)
    assert "http://127.0.0.1:8300" in replaced
    return replaced.replace("http://127.0.0.1:8300", str(here.house.url))


async def answered(command: str, **variables: str) -> str:
    request = curl(command, variables)
    async with (
        aiohttp.ClientSession() as session,
        session.request(request.method, request.url, headers=request.headers, data=request.data) as reply,
    ):
        assert reply.status in {200, 201}, await reply.text()
        return await reply.text()


async def assigned(lines: list[str], folder) -> list[str]:
    """What the shell holds after these lines, each of which is `NAME=$(…)`."""
    names = [line.partition("=")[0] for line in lines]
    script = "\n".join([*lines, *(f'printf "%s\\n" "${name}"' for name in names)])
    process = await asyncio.create_subprocess_exec("bash", "-euc", script, cwd=folder, stdout=asyncio.subprocess.PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0
    return out.decode().split()


async def test_the_steps_in_the_shell_end_with_done_on_the_card(here, tmp_path) -> None:
    ask, go_on = [meant(block, here) for block in blocks(STEPS, "sh") if "curl" in block]
    command, *readers = re.split(r"\n(?=ID=|DIGEST=)", ask.strip())
    request, _, file = command.partition(" | tee ")
    making, waiting, claiming, reporting = re.split(r"\n(?=curl )", go_on.strip())

    asked = await answered(request, SIGNOFF_KEY=here.token)
    (tmp_path / file).write_text(asked)
    id, digest = await assigned(readers, tmp_path)
    (claim,) = await assigned([making], tmp_path)
    known = {"SIGNOFF_KEY": here.token, "ID": id, "DIGEST": digest, "CLAIM": claim}
    assert json.loads(await answered(request, SIGNOFF_KEY=here.token))["id"] == id
    card = await here.card(DEPLOYS)
    assert (await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)).ok

    assert json.loads(await answered(waiting, **known))["state"] == "approved"
    assert json.loads(await answered(claiming, **known))["execute"] is True
    assert json.loads(await answered(reporting, **known))["approval"]["execution"]["status"] == "succeeded"
    await here.shows(card, "Done")
    assert len(here.slack.workspace.messages(DEPLOYS)) == 1
    assert json.loads(await answered(claiming, **known))["execute"] is False


async def test_the_run_in_python_waits_claims_runs_and_reports(here, tmp_path) -> None:
    (script,) = blocks(section(PAGE, "From Python"), "python")
    waiting = await reader(here, tmp_path).start(script)
    card = await approve(here, DEPLOYS)

    assert await ended(waiting) == "Here your code releases {'service': 'api', 'version': '1.4.3'}\n"
    await here.shows(card, "Done")


def test_the_run_in_python_is_three_to_eight_lines_long() -> None:
    (script,) = blocks(section(PAGE, "From Python"), "python")
    lines = [line for line in script.splitlines() if line and not line.startswith(("from", "import"))]

    assert 3 <= len(lines) <= 8
    assert DEFAULT_URL in script
