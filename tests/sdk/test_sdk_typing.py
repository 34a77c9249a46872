"""What type checkers make of the public verbs: results are precise, and slips are found before anything runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PROGRAM = """
from collections.abc import Coroutine
from typing import Any, assert_type

import signoff
from signoff.types import AnyInteraction, Approval, QuestionSet

so = signoff.Signoff()
later = signoff.AsyncSignoff()

@so.requires_approval(title="x", to="#deploys")
def raises(a: int) -> float: return 1.0
@so.requires_approval(on_denial="text")
def says(a: int) -> float: return 1.0
@later.requires_approval(on_denial="text")
async def says_later(a: int) -> float: return 1.0
@signoff.requires_approval(to=["#deploys"])
async def raises_later(a: int) -> float: return 1.0
@signoff.requires_approval(on_denial="text")
async def says_of_environment(a: int) -> float: return 1.0

assert_type(raises(1), float)
assert_type(says(1), float | str)
assert_type(so.wait(so.request_approval("x", run_id="r")), Approval)
assert_type(so.wait(so.ask_questions([])), QuestionSet)
assert_type(so.wait("apr_1"), AnyInteraction)
with so.approved("x", tool_name="x", input={"a": 1}, timeout=3, to="#deploys") as action:
    assert_type(action, signoff.Action)

async def main() -> None:
    assert_type(await says_later(1), float | str)
    assert_type(await raises_later(1), float)
    assert_type(await says_of_environment(1), float | str)
    async with later.approved("x") as action:
        assert_type(action, signoff.AsyncAction)
    async with (await later.request_approval("x")).execution(report_within=None) as action:
        assert_type(action, signoff.AsyncAction)

so.request_approval("x", aprovers=1)  # a slip
raises("x")  # a slip
so.claim("apr_1", digst="d")  # a slip
"""


@pytest.mark.timeout(300)
def test_type_checkers_know_the_verbs_and_find_slips(tmp_path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--cache-dir", tmp_path / "cache", file],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(TOP / "sdk")},
        capture_output=True,
        text=True,
        check=False,
    )

    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    slips = {number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# a slip")}
    assert found == slips, done.stdout + done.stderr
