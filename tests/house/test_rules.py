"""The rules of the house, held by programs: sizes, types, imports, ids, scopes, words."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TOP = Path(__file__).parents[2]
PACKAGES = ("bot", "store", "blocks", "sandbox", "sdk")
MOST_FUNCTION_LINES = 50
MOST_FILE_LINES = 400
MOST_TEST_LINES = 600
MOST_POSITIONAL = 5
MOST_DOUBLES_PER_THOUSAND = 3


def sources() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (TOP / package).rglob("*.py"))


def files_of_tests() -> list[Path]:
    return sorted((TOP / "tests").rglob("*.py"))


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text("utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_functions_have_at_most_fifty_lines() -> None:
    long = [
        f"{path.relative_to(TOP)}:{node.lineno} {node.name}"
        for path in sources()
        for node in functions(path)
        if node.end_lineno - node.lineno + 1 > MOST_FUNCTION_LINES
    ]

    assert long == []


def test_functions_take_at_most_five_arguments_by_position() -> None:
    wide = [
        f"{path.relative_to(TOP)}:{node.lineno} {node.name}"
        for path in sources()
        for node in functions(path)
        if len([a for a in node.args.posonlyargs + node.args.args if a.arg not in {"self", "cls"}]) > MOST_POSITIONAL
    ]

    assert wide == []


@pytest.mark.parametrize(("files", "most"), [(sources, MOST_FILE_LINES), (files_of_tests, MOST_TEST_LINES)])
def test_files_stay_short(files, most) -> None:
    long = [str(path.relative_to(TOP)) for path in files() if len(path.read_text("utf-8").splitlines()) > most]

    assert long == []


def test_doubles_are_rare() -> None:
    texts = [path.read_text("utf-8") for path in files_of_tests() if path != Path(__file__)]
    lines = sum(len(text.splitlines()) for text in texts)
    doubles = sum(len(re.findall(r"\b(?:MagicMock|AsyncMock|Mock\(|mocker\.|monkeypatch)", text)) for text in texts)

    assert doubles * 1000 <= MOST_DOUBLES_PER_THOUSAND * lines


def test_every_ignored_rule_says_why() -> None:
    bare = [
        f"{path.relative_to(TOP)}:{number}"
        for path in [*sources(), *files_of_tests()]
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(r"# (?:noqa(?:: [A-Z0-9, ]+)?|type: ignore(?:\[[\w, -]+\])?)\s*$", line)
    ]

    assert bare == []


def test_nothing_is_left_to_do_in_the_code() -> None:
    marks = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
    left = [str(path.relative_to(TOP)) for path in sources() if marks.search(path.read_text("utf-8"))]

    assert left == []


def run(*command: str) -> subprocess.CompletedProcess[str]:
    scripts = str(Path(sys.executable).parent)
    path = scripts + os.pathsep + os.environ["PATH"]
    return subprocess.run(
        command, cwd=TOP, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy",),
        ("lint-imports", "--no-cache"),
    ],
    ids=" ".join,
)
def test_the_tools_agree(command) -> None:
    done = run(*command)

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_action_ids_stand_in_one_file() -> None:
    literal = re.compile(r"[\"']so\.[a-z_]+[\"']")
    elsewhere = [
        str(path.relative_to(TOP))
        for path in sources()
        if path.parts[-2:] != ("blocks", "ids.py") and literal.search(path.read_text("utf-8"))
    ]

    assert elsewhere == []


def test_each_action_and_form_has_a_listener() -> None:
    from blocks import ids
    from bot.slack import listeners

    assert set(listeners.ACTIONS) == set(ids.ACTIONS)
    assert set(listeners.SUBMISSIONS) == set(ids.SUBMISSIONS)


def test_each_command_of_the_manifest_has_a_listener() -> None:
    from bot.slack import listeners

    manifest = yaml.safe_load((TOP / "manifest.yml").read_text("utf-8"))

    assert {entry["command"] for entry in manifest["features"]["slash_commands"]} == set(listeners.COMMANDS)


#: What each Web API method that we call needs (Slack's reference), with the arguments that we give it.
SCOPES_OF: dict[str, set[str]] = {
    "auth.test": set(),
    "chat.postMessage": {"chat:write"},
    "chat.update": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "conversations.info": {"channels:read", "groups:read"},
    "conversations.list": {"channels:read", "groups:read"},
    "conversations.open": {"im:write"},
    "users.info": {"users:read"},
    "users.list": {"users:read"},
    "users.lookupByEmail": {"users:read", "users:read.email"},
    "usergroups.list": {"usergroups:read"},
    "usergroups.users.list": {"usergroups:read"},
    "views.open": set(),
    "views.push": set(),
    "views.update": set(),
    "views.publish": set(),
}


def called_methods() -> set[str]:
    method = re.compile(r"[\"']((?:auth|chat|conversations|users|usergroups|views|team|bots)\.[a-zA-Z.]+)[\"']")
    reads = re.compile(r"_READS = .*?\n\)", re.DOTALL)
    return {
        found
        for path in (TOP / "bot").rglob("*.py")
        for found in method.findall(reads.sub("", path.read_text("utf-8")))
    }


def test_the_manifest_asks_for_the_scopes_that_are_used_and_no_others() -> None:
    manifest = yaml.safe_load((TOP / "manifest.yml").read_text("utf-8"))
    called = called_methods()

    assert called <= set(SCOPES_OF)
    used = set().union(*(SCOPES_OF[method] for method in called))
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == used | {"commands"}


def test_no_registry_is_named_and_no_lock_file_is_kept() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=False).stdout.split()

    assert not {"uv.lock", "package-lock.json", "poetry.lock"} & {Path(name).name for name in tracked}
    named = re.compile(r"https?://[^\s\"']*(?:/simple\b|pythonhosted|registry\.npm)")
    texts = [(TOP / name) for name in tracked if (TOP / name).suffix in {".py", ".txt", ".toml", ".md", ".yml", ""}]
    assert [str(p) for p in texts if p.is_file() and p != Path(__file__) and named.search(p.read_text("utf-8"))] == []


def test_help_loads_none_of_the_heavy_libraries() -> None:
    probe = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from bot.cli import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        "heavy = {'slack_bolt', 'slack_sdk', 'sqlalchemy', 'aiohttp', 'pydantic', 'alembic'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )

    done = run(sys.executable, "-c", probe)

    assert done.returncode == 0, done.stderr
