"""`pending`, `show` and `wake`: what an operator sees of the rows, and how a run is told again."""

from datetime import timedelta

import pytest

from store.answers import Choice
from store.types import Decision, ExecutionStatus, Resume, ResumeKind
from tests.parts import open_parts

WEBHOOK = Resume(kind=ResumeKind.WEBHOOK, target="https://runs.example.com/resumed")


@pytest.fixture
async def parts(shell):
    async with open_parts(shell.database) as opened:
        yield opened


@pytest.fixture
async def key(parts):
    return (await parts.key())[0]


async def test_nothing_pending_is_said_in_words(shell, parts) -> None:
    assert (await shell.run("pending")).out == "Nothing waits.\n"


async def test_pending_lists_the_earliest_deadline_first_and_what_has_none_last(shell, parts, key) -> None:
    late = await parts.ask(key, operation_id="late", title="Late", expires_in=7200)
    question = await parts.ask_question(key)
    soon = await parts.ask(key, operation_id="soon", title="Soon", expires_in=60)

    lines = (await shell.run("pending")).lines

    assert [line.split()[0] for line in lines] == [soon.short_code, late.short_code, question.short_code]
    assert lines[0].split("  ")[2:] == ["until 2026-11-30 12:01 UTC", "Soon", "for U0ANA in C0DEPLOY"]
    assert "  no deadline  " in lines[2]
    assert "until no" not in lines[2]
    assert (await shell.run("pending", "--tenant", "other")).out == "Nothing waits.\n"


async def test_an_interaction_is_shown_by_id_and_by_short_code_in_any_case(shell, parts, key) -> None:
    asked = await parts.ask(key, requested_by="U0DANA")
    await parts.decide(asked, Decision.DENY)

    by_id = await shell.run("show", asked.id)
    by_code = await shell.run("show", asked.short_code.lower())

    assert by_id.code == 0
    assert by_id.out == by_code.out
    assert by_id.lines[0].split() == [asked.id, "approval", "denied"]
    for words in (
        "asked by   ci-bot for U0DANA at 2026-11-30 12:00 UTC",
        "may decide U0ANA",
        f"digest     {asked.digest}",
        'will run   deploy {"tag":"v1"}',
        "copy       card C0DEPLOY · waiting",
    ):
        assert words in by_id.out
    assert "by U0ANA (card): pending → denied" in by_id.lines[-1]


async def test_what_became_of_the_run_is_shown_with_its_detail(shell, parts, key) -> None:
    asked = await parts.ask(key)
    await parts.decide(asked)
    named = {"tenant": "default", "id": asked.id, "claim_id": "c1", "at": parts.clock.now()}
    await parts.store.claim_approval(**named, digest=asked.digest, worker="runner-3")
    await parts.store.report_execution(**named, status=ExecutionStatus.FAILED, detail="zone 2 is full")

    said = await shell.run("show", asked.id)

    assert "execution  failed at 2026-11-30 12:00 UTC · zone 2 is full" in said.lines
    events = [line for line in said.lines if line.startswith("event")]
    assert [line.partition("UTC ")[2].split()[0] for line in events] == ["created", "approved", "claimed", "reported"]
    assert [("→" in line) for line in events] == [False, True, False, False]
    assert events[1].endswith(": pending → approved")
    assert events[3].endswith("(api): failed")


async def test_how_the_run_is_told_is_shown(shell, parts, key) -> None:
    asked = await parts.ask(key, resume=WEBHOOK)
    await parts.decide(asked)
    before = await shell.run("show", asked.id)
    now = parts.clock.now()
    (leased,) = await parts.store.lease_resumptions(
        now=now, until=now + timedelta(seconds=20), limit=5, handlers=(), webhooks=True
    )
    await parts.store.retry_resumption(
        interaction=leased.interaction, lease=leased.lease, error="status 500", due_at=None, now=now
    )
    await parts.store.mark_stuck(now=parts.clock.advance(timedelta(days=30)), limit=100)

    after = await shell.run("show", asked.id)

    target = "resume     webhook https://runs.example.com/resumed"
    assert f"{target} · next at 2026-11-30 12:00 UTC · 0 wakes" in before.lines
    assert not [line for line in before.lines if line.startswith(("last error", "stuck"))]
    assert f"{target} · 0 wakes" in after.lines
    assert "last error status 500" in after.lines
    assert [line for line in after.lines if line.startswith("stuck      since 2026-1")]
    assert "resume     pull · 0 wakes" in (await shell.run("show", (await parts.ask_question(key)).id)).lines


async def test_answers_are_shown_beside_their_questions(shell, parts, key) -> None:
    asked = await parts.ask_question(key)
    assert "asks       Which region? → …" in (await shell.run("show", asked.id)).out

    await parts.answer(asked, {"region": Choice(option_ids=("eu",))})

    assert "asks       Which region? → Europe" in (await shell.run("show", asked.id)).out


async def test_what_a_run_wrote_cannot_steer_the_terminal(shell, parts, key) -> None:
    asked = await parts.ask(key, title="Deploy \x1b[2J\u202e", input={"note": "a\u200bb"})

    for said in (await shell.run("pending"), await shell.run("show", asked.id)):
        assert "Deploy ⟦U+001B⟧[2J⟦U+202E⟧" in said.out
        assert "\x1b" not in said.out
    assert "a⟦U+200B⟧b" in (await shell.run("show", asked.id)).out


async def test_an_unknown_code_and_another_tenants_are_the_same(shell, parts, key) -> None:
    asked = await parts.ask(key)

    assert await shell.refused("show", "ZZZZZ") == "no request ZZZZZ here\n"
    assert await shell.refused("show", asked.id, "--tenant", "other") == f"no request {asked.id} here\n"
    assert await shell.refused("wake", "ZZZZZ") == "no request ZZZZZ here\n"


async def test_a_decided_run_is_told_again(shell, parts, key) -> None:
    asked = await parts.ask(key, resume=WEBHOOK)
    await parts.decide(asked)

    said = await shell.run("wake", asked.short_code)

    assert (said.code, said.out) == (0, "The run run-1 is told again.\n")


async def test_where_nothing_is_to_be_told_wake_says_why(shell, parts, key) -> None:
    pending = await parts.ask(key, operation_id="one", resume=WEBHOOK)
    pulling = await parts.ask(key, operation_id="two")
    await parts.decide(pulling)
    claimed = await parts.ask(key, operation_id="three", resume=WEBHOOK)
    await parts.decide(claimed)
    await parts.store.claim_approval(
        tenant="default", id=claimed.id, claim_id="c1", digest=claimed.digest, at=parts.clock.now()
    )

    assert "still waits for its people" in await shell.refused("wake", pending.id)
    assert "its run asks for that itself" in await shell.refused("wake", pulling.id)
    assert "its run has been told or has claimed it" in await shell.refused("wake", claimed.id)
