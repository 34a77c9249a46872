"""`stop`, `go`, `stops` and `settle`, and what `show` and `pending` say of all that."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from store.types import (
    Actor,
    ActorKind,
    Approvers,
    Decision,
    Destination,
    Edited,
    Escalation,
    Key,
    Surface,
    Terms,
)
from tests.cli.shell import Shell
from tests.parts import Parts, open_parts
from tests.policies import gone_silent, policy

BEN = Actor(kind=ActorKind.SLACK_USER, id="U0BEN")


@pytest.fixture
async def parts(shell: Shell) -> AsyncIterator[Parts]:
    async with open_parts(shell.database) as opened:
        yield opened


@pytest.fixture
async def key(parts: Parts) -> Key:
    return (await parts.key())[0]


async def claim(parts: Parts, asked: Any, claim_id: str = "c1") -> Any:
    return await parts.store.claim_approval(
        tenant=asked.tenant, id=asked.id, claim_id=claim_id, digest=asked.digest, at=parts.clock.now()
    )


async def test_a_tool_is_stopped_until_it_goes_on(shell: Shell, parts: Parts, key: Key) -> None:
    asked = await parts.ask(key, tool_name="deploy.release")
    await parts.decide(asked)
    stopped = await shell.run("stop", "deploy.*", "--reason", "zone 2 is down")
    again = await shell.run("stop", "deploy.*")
    listed = await shell.run("stops")
    held = await claim(parts, asked)
    shown = await shell.run("show", asked.id)
    goes = await shell.run("go", "deploy.*")
    after = await claim(parts, asked)

    until = "until `signoff-bot go 'deploy.*'`; what runs already goes on."
    assert stopped.out == f"Stopped: deploy.*. No claim of it executes {until}\n"
    assert again.out.startswith("Stopped already: deploy.* since ")
    assert re.fullmatch(r"deploy\.\* since .* UTC by \S+ \(command line\): zone 2 is down\n", listed.out)
    assert (held.claimed, held.execute, held.stopped.reason) == (False, False, "zone 2 is down")
    assert held.stopped.actor.kind is ActorKind.OPERATOR
    assert f"stopped    {listed.out}".strip() in shown.lines
    assert goes.out == "Goes on: deploy.*.\n"
    assert after.execute is True


async def test_everything_goes_on_at_once_and_what_still_holds_is_said(shell: Shell, parts: Parts) -> None:
    for tool in ((), ("deploy.*",), ("mail",)):
        assert (await shell.run("stop", *tool)).code == 0
    one = await shell.run("go", "mail")
    rest = await shell.run("go")

    assert one.lines[0] == "Goes on: mail."
    assert [line.split()[:3] for line in one.lines[1:]] == [
        ["Still", "stopped:", "everything"],
        ["Still", "stopped:", "deploy.*"],
    ]
    assert rest.lines == ["Goes on: everything.", "Goes on: deploy.*."]
    assert (await shell.run("stops")).out == "Nothing is stopped.\n"


async def test_what_is_not_stopped_cannot_go_on(shell: Shell, parts: Parts) -> None:
    await shell.run("stop", "deploy.*")

    assert "there is no stop of exactly 'deploy.release'" in await shell.refused("go", "deploy.release")
    await shell.run("go")
    assert "nothing is stopped; `signoff-bot stops`" in await shell.refused("go")


async def test_a_star_alone_is_everything_here_as_without_a_tool(shell: Shell, parts: Parts) -> None:
    assert (await shell.run("stop", "*")).out.startswith("Stopped: everything.")
    assert (await shell.run("stop")).out.startswith("Stopped already: everything since ")
    assert (await shell.run("go", "*")).out == "Goes on: everything.\n"


@pytest.mark.parametrize("tool", ["*.deploy", "a*b", "x" * 201, "a\x1bb"])
async def test_what_no_tool_is_called_is_refused(shell: Shell, parts: Parts, tool: str) -> None:
    assert "write a tool's name" in await shell.refused("stop", tool)
    assert not await parts.store.list_stops(tenant="default")


async def test_what_did_not_happen_runs_once_more(shell: Shell, parts: Parts, key: Key) -> None:
    silent = await gone_silent(parts, key)
    said = await shell.run("settle", silent.short_code, "--did-not")
    shown = await shell.run("show", silent.id)
    old = await claim(parts, silent, "claim-1")
    new = await claim(parts, silent, "claim-2")

    assert said.out.startswith(f"{silent.id} did not happen: one new claim may run it until ")
    assert any(re.fullmatch(r"settled    .* by \S+ \(command line\): it did not happen", line) for line in shown.lines)
    assert shown.lines[-1].endswith("(cli): it did not happen")
    assert (old.claimed, old.execute, new.claimed) == (False, False, True)


async def test_what_happened_is_done_and_settled_once(shell: Shell, parts: Parts, key: Key) -> None:
    silent = await gone_silent(parts, key)
    said = await shell.run("settle", silent.id, "--happened")

    assert said.out == f"{silent.id} happened: it counts as done, and runs no more.\n"
    assert f"{silent.id} is not unknown: its run is succeeded" in await shell.refused("settle", silent.id, "--did-not")


async def test_what_never_ran_and_a_question_cannot_be_settled(shell: Shell, parts: Parts, key: Key) -> None:
    asked = await parts.ask(key)
    question = await parts.ask_question(key)

    assert "is not unknown: it is not running" in await shell.refused("settle", asked.id, "--happened")
    assert "is a question" in await shell.refused("settle", question.id, "--happened")
    assert (await shell.run("settle", asked.id)).code == 2


async def test_votes_policy_and_escalation_are_shown_and_so_is_progress(shell: Shell, parts: Parts) -> None:
    rule = policy(
        approvers=Approvers(users=("U0ANA", "U0BEN"), quorum=2),
        destination=Destination(channels=("C0PROD",)),
        terms=Terms(escalation=(Escalation(after=timedelta(seconds=30), users=("U0CEO",)),)),
    )
    await parts.store.set_policy(policy=rule)
    key, _ = await parts.key(name="bound", policies=("prod",))
    asked = await parts.ask(key, approvers=None)
    await parts.store.ring_due(now=parts.clock.advance(60))
    await parts.decide(asked)
    pending = await shell.run("pending")
    shown = await shell.run("show", asked.id)

    assert pending.lines[0].endswith("for U0ANA, U0BEN, U0CEO in C0PROD, C0DEPLOY · 1 of 2")
    for words in (
        "may decide U0ANA, U0BEN, U0CEO",
        "policy     prod, revision 1",
        "decided by 2 approvals or 1 denial, never by who asked · 1 of 2",
        "escalated  2026-11-30 12:01 UTC to U0CEO",
        "vote       2026-11-30 12:01 UTC U0ANA allow-once",
    ):
        assert words in shown.lines
    assert any(line.endswith("escalated by timer (sweep): U0CEO") for line in shown.lines)


async def test_an_edited_input_is_shown_before_and_after(shell: Shell, parts: Parts, key: Key) -> None:
    asked = await parts.ask(key)
    edited = Edited(input_json='{"tag":"v2"}', digest="d" * 64)
    await parts.store.decide_approval(
        tenant="default",
        id=asked.id,
        actor=BEN,
        decision=Decision.ALLOW_ONCE,
        at=parts.clock.now(),
        surface=Surface.MODAL,
        edited=edited,
    )
    shown = await shell.run("show", asked.id)

    assert 'will run   deploy {"tag":"v1"}' in shown.lines
    assert 'changed to deploy {"tag":"v2"}' in shown.lines
    assert f"digest now {'d' * 64}" in shown.lines
