"""What lists hold: a thousand and no more, said so; what is stuck, for operators; ids and codes, whole."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.lookups import MOST_PENDING, Waiting
from bot.people import Person
from store.types import Actor, ActorKind, Decision, Installation, Resume, ResumeKind, Stop
from tests.parts import Parts, open_parts

ANA = Person(user_id="U0ANA", team_id="T0HOME")
HANDLER = Resume(kind=ResumeKind.HANDLER, target="deploy")


@pytest.fixture
async def parts():
    async with open_parts("memory://") as opened:
        yield opened


async def waiting(parts: Parts, *, is_operator: bool = False, person: Person = ANA) -> Waiting:
    installation = Installation(
        tenant="default",
        team_id="T0HOME",
        enterprise_id=None,
        app_id="A0",
        bot_user_id="U0BOT",
        bot_id="B0",
        team_name="Acme",
        team_url=None,
        bound_at=parts.clock.now(),
    )
    return await parts.lookups.pending_for(
        tenant="default", person=person, channel=None, is_operator=is_operator, installation=installation
    )


async def many(parts: Parts, count: int) -> None:
    key, _ = await parts.key()
    one = await parts.ask(key)
    for number in range(1, count):
        await parts.store.create_approval(
            approval=replace(one, id=f"apr_{number:026}", operation_id=str(number), request_digest=str(number))
        )


@pytest.mark.parametrize(("count", "is_cut"), [(MOST_PENDING, False), (MOST_PENDING + 1, True)])
async def test_a_list_says_whether_more_waits_than_it_holds(parts, count, is_cut) -> None:
    await many(parts, count)

    found = await waiting(parts)

    assert (len(found.mine), found.is_cut) == (MOST_PENDING, is_cut)


async def test_operators_see_what_is_stuck_and_nobody_else_does(parts) -> None:
    key, _ = await parts.key()
    stuck = await parts.ask(key, resume=HANDLER, operation_id="stuck")
    well = await parts.ask(key, resume=HANDLER, operation_id="well")
    for asked in (stuck, well):
        await parts.decide(asked, Decision.DENY)
    leases = await parts.store.lease_resumptions(
        now=parts.clock.now(), until=parts.clock.now(), limit=9, handlers=["deploy"], webhooks=False
    )
    (leased,) = [lease for lease in leases if lease.interaction.id == stuck.id]
    await parts.store.retry_resumption(
        interaction=leased.interaction, lease=leased.lease, error="boom", due_at=None, now=parts.clock.now()
    )

    assert [row.interaction.id for row in (await waiting(parts, is_operator=True)).stuck] == [stuck.id]
    assert (await waiting(parts)).stuck == ()


async def claim_and_vanish(parts: Parts, asked) -> None:
    of = {"tenant": asked.tenant, "id": asked.id, "claim_id": asked.id, "at": parts.clock.now()}
    assert (await parts.store.claim_approval(**of, digest=asked.digest, report_within=60)).execute
    parts.clock.advance(60)
    await parts.store.mark_unknown(now=parts.clock.now())


async def test_operators_see_what_went_silent_oldest_first_and_may_say_what_happened(parts) -> None:
    key, _ = await parts.key()
    silent = [await parts.ask(key, operation_id=str(number)) for number in range(2)]
    for asked in silent:
        await parts.decide(asked)
        await claim_and_vanish(parts, asked)

    found = await waiting(parts, is_operator=True)

    assert [(row.interaction.id, row.may_settle) for row in found.unknown] == [(asked.id, True) for asked in silent]
    assert (await waiting(parts)).unknown == ()


async def test_an_operators_id_of_another_workspace_sees_nothing_of_it(parts) -> None:
    key, _ = await parts.key()
    asked = await parts.ask(key)
    await parts.decide(asked)
    await claim_and_vanish(parts, asked)
    stranger = Person(user_id="U0ANA", team_id="T0ELSEWHERE")

    found = await waiting(parts, is_operator=True, person=stranger)

    assert (found.unknown, found.everything) == ((), ())


async def test_what_no_card_reached_comes_first_for_operators_with_the_reason(parts) -> None:
    key, _ = await parts.key()
    well, unreached = [await parts.ask(key, operation_id=each) for each in ("well", "unreached")]
    now = parts.clock.now()
    leases = await parts.store.lease_postings(now=now, until=now + timedelta(minutes=1), limit=9)
    (leased,) = [lease for lease in leases if lease.posting.interaction_id == unreached.id]
    await parts.store.retry_posting(
        posting=leased.posting, lease=leased.lease, error="is_archived", due_at=now, failed=True
    )

    found = await waiting(parts, is_operator=True)
    others = await waiting(parts)

    assert [row.interaction.id for row in found.everything] == [unreached.id, well.id]
    assert [[copy.error for copy in row.unreached] for row in found.everything] == [["is_archived"], []]
    assert not any(row.unreached for row in others.everything)


async def test_what_a_stop_keeps_from_starting_is_not_called_stuck(parts) -> None:
    key, _ = await parts.key()
    held, free = await parts.ask(key, operation_id="held"), await parts.ask(key, operation_id="free", tool_name="mail")
    for asked in (held, free):
        await parts.decide(asked)
    parts.clock.advance(timedelta(minutes=16))
    assert len(await parts.store.mark_stuck(now=parts.clock.now())) == 2
    actor = Actor(kind=ActorKind.SLACK_USER, id="U0CHIDI")
    stop = Stop(tenant="default", id="stp_1", tool="deploy*", actor=actor, at=parts.clock.now())
    await parts.store.add_stop(stop=stop)

    found = await waiting(parts, is_operator=True)

    assert [row.interaction.id for row in found.stuck] == [free.id]


async def test_only_a_whole_id_or_exactly_its_code_finds_something(parts) -> None:
    key, _ = await parts.key()
    asked = await parts.ask(key)
    found = {
        given: len(await parts.lookups.by_code(tenant="default", code=given))
        for given in (asked.id, asked.short_code, asked.short_code.lower())
    }
    missed = {
        given: len(await parts.lookups.by_code(tenant="default", code=given))
        for given in ("", asked.id[-1], asked.id[-4:], asked.id[-6:], asked.id[1:], "\x00" * 5, "%____")
    }

    assert set(found.values()) == {1}
    assert set(missed.values()) == {0}
