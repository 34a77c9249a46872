"""What `signoff` says without a service: help, usage, what is missing. And what it does not load for that."""

import subprocess
import sys

import pytest

from tests.sdk.cli.shell import TOP, Pipeline

ASK = ("approve", "Deploy?", "--run", "r", "--channel", "C07DEPLOYS1")


@pytest.fixture
def alone(tmp_path):
    return Pipeline(folder=tmp_path, url="http://127.0.0.1:1", token="so_x_y")


@pytest.mark.parametrize(
    "command", [[], ["approve"], ["ask"], ["pending"], ["start"], ["runs"], ["stop-run"], ["work"]]
)
def test_help_loads_no_client(command) -> None:
    probe = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from signoff.cli import main\n"
        f"assert CliRunner().invoke(main, {[*command, '--help']}).exit_code == 0\n"
        "heavy = {'httpx', 'msgspec', 'asyncio', 'signoff.client'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", probe], check=False, capture_output=True, text=True, env={"PYTHONPATH": str(TOP / "sdk")}
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["approve", "Deploy?", "--wait", "90"], "write 90s, 30m, 2h, 1d or 1h30m"),
        (["approve", "Deploy?", "--tool", "deploy"], "--tool and --input come together"),
        (["approve", "Deploy?", "--tool", "deploy", "--input", "{"], "--input is not JSON"),
        (["approve", "Deploy?", "--tool", "deploy", "--input", '{"a": 1, "a": 2}'], "a key stands there twice"),
        (["approve", "Deploy?", "--tool", "deploy", "--input", "NaN"], "NaN is no number in JSON"),
        (["approve", "Deploy?", "--tool", "deploy", "--input", "@nowhere.json"], "nowhere.json"),
        (["approve", "Deploy?", "--fact", "Zone"], "write LABEL=VALUE"),
        (["approve", "Deploy?", "touch", "ran"], "unexpected extra arguments"),
        (["approve", "Deploy?", "--"], "After -- comes the command"),
        (["approve", "Deploy?", "--channel", "C07DEPLOYS1"], "Which run asks?"),
        (["ask", "Which?", "--multiple"], "--multiple and --other are for questions with --option"),
        (["withdraw"], "Say which"),
    ],
)
async def test_a_wrong_command_line_is_2_and_says_what_to_write(alone, words, says) -> None:
    said = await alone.run(*words)

    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert "Traceback" not in said.err


async def test_without_a_key_it_says_how_to_get_one(alone) -> None:
    said = await alone.run(*ASK, SIGNOFF_KEY="")

    assert said.code == 2
    assert said.err.startswith("Error: There is no key. Set SIGNOFF_KEY")


async def test_where_nobody_listens_it_says_where_it_looked(alone) -> None:
    said = await alone.run(*ASK)

    assert said.code == 1
    assert "http://127.0.0.1:1" in said.err
    assert "so_x_y" not in said.err


async def test_what_it_says_of_its_settings_is_said_in_options(alone) -> None:
    key = await alone.run(*ASK, "--key", "so_x y")
    url = await alone.run("runs", "--url", "signoff.acme")
    work = await alone.run("work", "nowhere:runtime", SIGNOFF_KEY="")
    away = await alone.run("runs")

    assert (key.code, key.err) == (2, "Error: The key holds characters that no key has. Copy it again, as one line.\n")
    assert (url.code, url.err) == (
        2,
        "Error: 'signoff.acme' is no address. SIGNOFF_URL or --url is like http://127.0.0.1:8300\n",
    )
    assert (work.code, work.err.startswith("Error: There is no key. Set SIGNOFF_KEY, or give --key.")) == (2, True)
    assert away.code == 1
    assert away.err.endswith("Is Signoff running there? SIGNOFF_URL or --url says where it is.\n")
    for said in (key, url, work, away):
        assert "url=" not in said.err
        assert "key=" not in said.err


async def test_a_secret_in_the_command_line_is_found_before_anybody_sees_it(alone) -> None:
    said = await alone.run(*ASK, "--", "deploy", "--token=hunter2hunter2", DEPLOY_TOKEN="hunter2hunter2")

    assert said.code == 2
    assert "the value of DEPLOY_TOKEN" in said.err
    assert "hunter2" not in said.err


async def test_a_runtime_that_is_not_there_is_said_plainly(alone) -> None:
    said = await alone.run("work", "nowhere:runtime")

    assert said.code != 0
    assert "Traceback" not in said.err


async def test_the_version_is_said(alone) -> None:
    assert (await alone.run("--version")).out.startswith("signoff, version 0.")
