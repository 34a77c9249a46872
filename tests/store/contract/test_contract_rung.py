"""What a timer that rings sends: lines beside the cards that stand, and cards to people whom no line would reach."""

import asyncio
from datetime import timedelta

import pytest

from store.types import About, Destination, Escalation, Reminders, Role, Terms
from tests.store.contract.makers import HOUR, MINUTE, NOW, TENANT, an_approval, asked

HOP = Escalation(after=timedelta(minutes=5), users=("U0CHIDI", "U0ANA"), groups=("S0LEADS",))
DUE = NOW + timedelta(minutes=6)


async def waiting(store, *, channels=(), users=(), terms=None, stands=True):
    """An approval whose cards are posted, or all of whose cards failed."""
    wanted = an_approval(
        destination=Destination(channels=channels, users=users), terms=terms or Terms(escalation=(HOP,))
    )
    approval = await asked(store, wanted)
    for leased in await store.lease_postings(now=NOW, until=NOW + MINUTE, limit=20):
        mine = {"posting": leased.posting, "lease": leased.lease}
        if stands:
            channel = leased.posting.address.replace("U0", "D0")
            await store.finish_posting(**mine, painted=1, now=NOW, channel=channel, ts=f"1.{channel}")
        else:
            await store.retry_posting(**mine, error="is_archived", due_at=NOW + HOUR, failed=True)
    return approval


async def rung(store, approval, now=DUE):
    """What is there since then, by role, address and what it says."""
    before = {each.id for each in await postings(store, approval)}
    await store.ring_due(now=now)
    return [each for each in await postings(store, approval) if each.id not in before]


async def postings(store, approval):
    return (await store.find_postings(tenant=TENANT, interaction_ids=[approval.id]))[approval.id]


async def test_an_escalation_is_said_in_the_threads_of_channels_and_not_to_those_who_have_a_card(store) -> None:
    approval = await waiting(store, channels=("C0ONE", "C0TWO"), users=("U0ANA",))

    lines = await rung(store, approval)

    assert {(each.role, each.about, each.address, each.thread_ts) for each in lines} == {
        (Role.REMINDER, About.ESCALATED, "C0ONE", "1.C0ONE"),
        (Role.REMINDER, About.ESCALATED, "C0TWO", "1.C0TWO"),
    }


@pytest.mark.parametrize("stands", [True, False])
async def test_where_no_channel_tells_them_new_people_get_cards_and_new_groups_a_line(store, stands) -> None:
    channels = () if stands else ("C0GONE",)
    approval = await waiting(store, channels=channels, users=("U0ANA",), stands=stands)

    sent = await rung(store, approval)

    assert {(each.role, each.about, each.address) for each in sent} == {
        (Role.CARD, None, "U0CHIDI"),
        (Role.REMINDER, About.ESCALATED, "S0LEADS"),
    }
    leased = await store.lease_postings(now=DUE, until=DUE + MINUTE, limit=20)
    assert {each.posting.id for each in leased} >= {each.id for each in sent}


async def test_a_card_that_is_on_its_way_to_a_channel_tells_them_itself(store) -> None:
    approval = await asked(
        store, an_approval(destination=Destination(channels=("C0ONE",)), terms=Terms(escalation=(HOP,)))
    )

    assert await rung(store, approval) == []


async def test_reminders_repeat_at_one_place_and_each_says_which_it_is(store) -> None:
    reminders = Reminders(after=timedelta(minutes=10))
    approval = await waiting(store, channels=("C0ONE",), users=("U0ANA",), terms=Terms(reminders=reminders))

    first = await rung(store, approval, NOW + timedelta(minutes=10))
    again = await rung(store, approval, NOW + timedelta(minutes=40))

    assert {(each.about, each.address, each.turn) for each in (*first, *again)} == {
        (About.REMINDED, address, turn) for address in ("C0ONE", "D0ANA") for turn in (1, 2)
    }


async def test_of_many_that_ring_one_sends(store) -> None:
    approval = await waiting(store, users=("U0ANA",))

    await asyncio.gather(*(store.ring_due(now=DUE) for _ in range(8)))

    cards = [each for each in await postings(store, approval) if each.role is Role.CARD]
    assert sorted(each.address for each in cards) == ["U0ANA", "U0CHIDI"]
    found = await store.find_approval(tenant=TENANT, id=approval.id)
    assert [(hop.users, hop.at) for hop in found.course.hops] == [(HOP.users, DUE)]
