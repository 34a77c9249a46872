"""What lists hold: a thousand and no more, said so; what is stuck, for operators; ids and codes, whole."""

from dataclasses import replace

import pytest

from bot.lookups import MOST_PENDING, Waiting
from bot.people import Person
from store.types import Decision, Installation, Resume, ResumeKind
from tests.parts import Parts, open_parts

ANA = Person(user_id="U0ANA", team_id="T0HOME")
HANDLER = Resume(kind=ResumeKind.HANDLER, target="deploy")


@pytest.fixture
async def parts():
    async with open_parts("memory://") as opened:
        yield opened


async def waiting(parts: Parts, *, is_operator: bool = False) -> Waiting:
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
        tenant="default", person=ANA, channel=None, is_operator=is_operator, installation=installation
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
