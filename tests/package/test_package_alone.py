"""The built wheel works alone: without the checkout, without pins, in an empty home."""

import asyncio
import re
import sqlite3
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import aiohttp
import pytest

from bot.manifest import render
from sandbox.seed import ANA, DANA, DEPLOYS
from sandbox.server import Sandbox
from tests.package.alone import TOP, Installed, build, install

#: Both take minutes where the index is slow.
pytestmark = pytest.mark.timeout(600)

MOST_DEPENDENCIES = 16
MOST_PACKAGES = 36
MOST_RESIDENT_MIB = 90
DEPLOY = {
    "run_id": "deploy-812",
    "title": "Deploy api 1.4.2 to production",
    "tool_name": "deploy.release",
    "input": {"service": "api", "version": "1.4.2"},
    "requested_by": DANA,
    "channels": [DEPLOYS],
    "approvers": {"users": [ANA]},
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheel) -> Path:
    root = tmp_path_factory.mktemp("environment")
    install(root, wheel)
    return root


@pytest.fixture
def installed(environment, tmp_path) -> Installed:
    return Installed(root=environment, folder=tmp_path)


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


def settings(slack: Sandbox, database: str) -> dict[str, str]:
    return {
        "DATABASE_URL": database,
        "PORT": "0",
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_API_URL": slack.api_url,
    }


def test_the_wheel_holds_what_it_needs_and_nothing_else(wheel) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {
        "bot",
        "store",
        "blocks",
        "sandbox",
    }
    for needed in ("bot/manifest.yml", "bot/py.typed", "sandbox/page/index.html", "store/migrations/env.py"):
        assert needed in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".db"))]


def test_it_depends_on_few_packages(wheel) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
    direct = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]

    assert len(direct) <= MOST_DEPENDENCIES, direct


def test_few_packages_come_with_it(installed) -> None:
    found = installed.packages() - {"pip", "setuptools", "signoff-bot"}

    assert len(found) <= MOST_PACKAGES, sorted(found)


async def test_every_room_is_imported_from_the_environment_wherever_one_stands(installed) -> None:
    probe = "import bot, store, blocks, sandbox; print(*(m.__file__ for m in (bot, store, blocks, sandbox)))"

    said = await installed.run("python", "-c", probe, cwd=Path("/"))

    assert said.code == 0, said
    assert all(Path(path).is_relative_to(installed.root) for path in said.out.split())


async def test_a_checkout_installs_with_pip_alone(tmp_path) -> None:
    install(tmp_path / "environment", "--no-deps", TOP)
    installed = Installed(root=tmp_path / "environment", folder=tmp_path)

    said = await installed.run("python", "-c", "import bot, store, blocks; print(bot.__file__)", cwd=Path("/"))

    assert (said.code, said.err) == (0, "")
    assert Path(said.out.strip()).is_relative_to(installed.root)


async def test_help_schema_and_manifest_need_no_settings(installed) -> None:
    said = await installed.cli("--help")
    postgres, sqlite = [await installed.cli("schema", "--dialect", each) for each in ("postgresql", "sqlite")]
    manifest = await installed.cli("manifest", "--url", "https://signoff.acme.com")

    assert [each.code for each in (said, postgres, sqlite, manifest)] == [0] * 4
    assert "Usage: signoff-bot" in said.out
    assert "CREATE TABLE interactions" in postgres.out
    connection = sqlite3.connect(":memory:")
    connection.executescript(sqlite.out)
    connection.close()
    assert manifest.out == render(url="https://signoff.acme.com", socket_mode=False)
    assert list(installed.folder.iterdir()) == []


async def test_it_serves_one_approval_on_sqlite(installed, slack) -> None:
    await approve_one(installed, slack, f"sqlite:///{installed.folder / 'signoff.db'}")


async def test_it_serves_one_approval_on_postgres(installed, slack, bare_postgres_url) -> None:
    given = settings(slack, bare_postgres_url)
    for refused in (await installed.cli("serve", **given), await installed.cli("pending", **given)):
        assert refused.code == 1
        assert "signoff-bot migrate" in refused.err
        assert "Traceback" not in refused.err

    migrated = await installed.cli("migrate", **given)
    again = await installed.cli("migrate", **given)

    assert (migrated.code, again.code) == (0, 0), migrated
    await approve_one(installed, slack, bare_postgres_url)


async def approve_one(installed: Installed, slack: Sandbox, database: str) -> None:
    given = settings(slack, database)
    made = await installed.cli("keys", "create", "--scopes", "ask,read", "--name", "demo", "--any-approvers", **given)
    file = installed.folder / "signoff.db"
    assert (made.code, made.err) == (0, f"made {file}\n" if database.startswith("sqlite") else "")
    assert re.fullmatch(r"so_\w{22}_[\w-]{43}\n", made.out)
    headers = {"Authorization": f"Bearer {made.out.strip()}"}

    async with installed.serving(**given) as serving, aiohttp.ClientSession(serving.url, headers=headers) as run:
        slack.bot_url = f"{serving.url}/slack/events"
        assert resident_mib(serving.pid) <= MOST_RESIDENT_MIB
        async with run.get("/readyz") as reply:
            assert reply.status == 200
        asked = await sent(run, "/v1/approvals", DEPLOY)
        card = (await slack.wait_for(lambda workspace: workspace.messages(DEPLOYS), timeout=20))[-1]
        waiting = asyncio.create_task(read(run, f"/v1/interactions/{asked['id']}?wait=60"))
        clicked = await slack.person(ANA).click(DEPLOYS, card.ts, approve_button(card.blocks))
        assert clicked.ok, clicked.warning
        assert (await waiting)["state"] == "approved"
        claim = await sent(run, f"/v1/approvals/{asked['id']}/claim", {"digest": asked["digest"], "worker": "here"})
        assert (claim["execute"], claim["input"]) == (True, DEPLOY["input"])
        await slack.wait_for(lambda _: "Handed to" in str(card.blocks), timeout=20)


def approve_button(blocks: list[dict]) -> str:
    """As a person finds it: by its words."""
    elements = [element for block in blocks for element in block.get("elements", [])]
    (found,) = [each["action_id"] for each in elements if words_of(each) == "Approve"]
    return found


def words_of(element: dict) -> str:
    text = element.get("text")
    return text["text"] if isinstance(text, dict) else ""


async def sent(run: aiohttp.ClientSession, path: str, body: dict) -> dict:
    async with run.post(path, json=body) as reply:
        assert reply.status in {200, 201}, await reply.text()
        return await reply.json()


async def read(run: aiohttp.ClientSession, path: str) -> dict:
    async with run.get(path) as reply:
        return await reply.json()


def resident_mib(pid: int) -> float:
    """Of a process, as Linux counts it; 0 where there is no such count."""
    if sys.platform != "linux":
        return 0
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


async def test_the_demo_starts_and_shows_its_page(installed) -> None:
    process = await installed.start("signoff-bot", "demo", "--port", "0", "--bot-port", "0")
    try:
        async with asyncio.timeout(60):
            line = ""
            while "Open" not in line:
                raw = await process.stdout.readline()
                assert raw, await process.stderr.read()
                line = raw.decode()
        async with aiohttp.ClientSession() as session, session.get(line.split()[-1]) as reply:
            assert "<html" in await reply.text()
        process.terminate()
        await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
