"""docs/interrupts.md against the code: its program is run, from the save to what runs."""

import asyncio
import inspect
import json
import sys

import pytest

from blocks import ids
from store import interrupt_cards, interrupts
from store.interrupts import InterruptStore
from tests.docs.page import TOP, blocks, clean_environment, page, quoted, tables
from tests.e2e.house import ANA, DEPLOYS, place

PAGE = page("interrupts.md")


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (ids.APPROVE, [{"type": "approve"}, "run refund {'order': 'o-1', 'amount': 12.5}"]),
        (ids.DENY, [{"type": "reject", "reason": "Denied, without a reason."}]),
    ],
)
async def test_the_program_of_the_page_waits_for_a_person_and_does_what_was_decided(tmp_path, action, said) -> None:
    (program,) = blocks(PAGE, "python")
    url = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with place(url) as here:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program),
            cwd=TOP,
            env={**clean_environment(tmp_path), "DATABASE_URL": url, "PYTHONPATH": str(TOP)},
            stdout=asyncio.subprocess.PIPE,
        )
        card = await here.card(DEPLOYS)
        assert (await here.slack.person(ANA).click(DEPLOYS, card.ts, action)).ok
        out, _ = await asyncio.wait_for(process.communicate(), 30)

    first, *rest = out.decode().splitlines()
    assert [json.loads(first.replace("'", '"')), *rest] == said
    assert process.returncode == 0


def test_the_page_names_every_method_and_no_other() -> None:
    (rows,) = tables(PAGE)
    named = {quoted(row[0])[0].partition("(")[0] for row in rows}

    assert named == {name for name, _ in inspect.getmembers(InterruptStore, inspect.isfunction) if name[0] != "_"}


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"more than {interrupts._LONGEST_ID} characters" in PAGE
    assert f"of more than {interrupt_cards._MOST_INPUT // 1024} KiB" in PAGE
    assert f"`{interrupts._HASHED}…`" in PAGE
