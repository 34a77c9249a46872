"""Painting as rows: leases, fences, adoption."""

import asyncio

import pytest

from store import errors
from store.types import About, Lease, PostingState, Role
from store.work import SETTLING
from tests.store.contract.makers import (
    HOUR,
    MINUTE,
    NOW,
    OTHER,
    TENANT,
    a_question,
    asked,
    cards,
    decide,
    withdraw,
)

SOON, UNTIL, LATER = NOW + MINUTE, NOW + 2 * MINUTE, NOW + HOUR


async def one(store, **fields):
    """A question with one card, and the lease on that card."""
    question = await asked(store, a_question(**fields))
    (leased,) = await store.lease_postings(now=NOW, until=UNTIL, limit=1)
    return question, leased


async def finish(store, leased, **fields):
    defaults = {"posting": leased.posting, "lease": leased.lease, "painted": leased.posting.wanted, "now": SOON}
    return await store.finish_posting(**{**defaults, **fields})


async def lease(store, now=LATER, limit=10):
    return await store.lease_postings(now=now, until=now + MINUTE, limit=limit)


async def test_what_happened_is_said_once_wherever_it_was_to_be_said(store) -> None:
    question = await asked(store, a_question())
    line = {"tenant": TENANT, "interaction_id": question.id, "role": Role.OUTCOME, "now": SOON}

    said = await asyncio.gather(
        *(store.add_posting(**line, address=f"C{n}", thread_ts=f"{n}.1", about=About.RESOLVED) for n in range(5))
    )
    ran = await store.add_posting(**line, address=said[0].address, about=About.RAN)
    plain = await store.add_posting(**line, address=said[0].address)

    assert {each.id for each in said} == {said[0].id}
    assert len({said[0].id, ran.id, plain.id}) == 3
    found = (await store.find_postings(tenant=TENANT, interaction_ids=[question.id]))[question.id]
    assert {each.about for each in found if each.role is Role.OUTCOME} == {About.RESOLVED, About.RAN, None}


async def test_a_line_that_was_posted_twice_is_known_by_what_it_says(store) -> None:
    question = await asked(store, a_question())
    line = {"tenant": TENANT, "interaction_id": question.id, "role": Role.OUTCOME, "address": "C1"}
    resolved = await store.add_posting(**line, now=NOW - MINUTE, about=About.RESOLVED)
    (lost,) = await store.lease_postings(now=NOW, until=UNTIL, limit=1)
    (other,) = await store.lease_postings(now=UNTIL, until=LATER, limit=1)
    ran = await store.add_posting(**line, now=SOON, about=About.RAN)

    await finish(store, other, channel="C1", ts="1.1")
    await finish(store, lost, channel="C1", ts="2.2")

    found = (await store.find_postings(tenant=TENANT, interaction_ids=[question.id]))[question.id]
    assert lost.posting.id == other.posting.id == resolved.id
    assert [(each.about, each.ts) for each in found if each.about is not None and each.id != ran.id] == [
        (About.RESOLVED, "1.1"),
        (About.RESOLVED, "2.2"),
    ]
    assert [each.ts for each in found if each.id == ran.id] == [None]


async def refused_line(store):
    """A line that was to go into a thread, leased, and its question."""
    question = await asked(store, a_question())
    line = {"tenant": TENANT, "interaction_id": question.id, "role": Role.OUTCOME, "address": "C1", "thread_ts": "1.1"}
    await store.add_posting(**line, now=NOW - MINUTE, about=About.RESOLVED)
    (leased,) = await store.lease_postings(now=NOW - MINUTE, until=UNTIL, limit=1)
    return question, leased


async def the_line(store, question):
    found = (await store.find_postings(tenant=TENANT, interaction_ids=[question.id]))[question.id]
    (line,) = [each for each in found if each.about is not None]
    return line


async def test_a_refused_line_goes_to_somebody_instead_as_if_new(store) -> None:
    question, leased = await refused_line(store)
    one = {"posting": leased.posting, "lease": leased.lease}
    await store.place_posting(**one, channel="C1")
    await store.retry_posting(**one, error="not_in_channel", due_at=NOW, failed=True)
    (again,) = [each for each in await store.lease_postings(now=NOW, until=UNTIL, limit=9) if each.posting.about]

    assert await store.readdress_posting(posting=again.posting, lease=again.lease, address="U0DANA", now=SOON)

    line = await the_line(store, question)
    assert (line.address, line.channel, line.thread_ts, line.ts) == ("U0DANA", None, None, None)
    assert (line.state, line.attempts, line.error, line.failed_at) == (PostingState.WAITING, 0, None, None)
    assert not [each for each in await lease(store, now=SOON - MINUTE) if each.posting.about]
    (due,) = [each for each in await lease(store, now=SOON) if each.posting.about]
    assert due.posting.id == leased.posting.id
    twice = await store.add_posting(
        tenant=TENANT, interaction_id=question.id, role=Role.OUTCOME, address="C1", now=SOON, about=About.RESOLVED
    )
    assert twice.id == line.id


async def test_who_lost_the_lease_sends_a_line_nowhere_else(store) -> None:
    question, late = await refused_line(store)
    (mine,) = [each for each in await lease(store, now=UNTIL) if each.posting.about]

    assert not await store.readdress_posting(posting=late.posting, lease=late.lease, address="U0DANA", now=LATER)
    assert (await the_line(store, question)).address == "C1"
    assert await store.readdress_posting(posting=mine.posting, lease=mine.lease, address="U0DANA", now=LATER)
    assert not await store.readdress_posting(posting=mine.posting, lease=mine.lease, address="U0BEN", now=LATER)

    assert (await the_line(store, question)).address == "U0DANA"


async def test_a_line_that_a_late_report_found_in_its_thread_stays_there(store) -> None:
    question, late = await refused_line(store)
    (mine,) = [each for each in await lease(store, now=UNTIL) if each.posting.about]
    await finish(store, late, channel="C1", ts="2.2")

    assert not await store.readdress_posting(posting=mine.posting, lease=mine.lease, address="U0DANA", now=LATER)

    line = await the_line(store, question)
    assert (line.address, line.thread_ts, line.ts, line.state) == ("C1", "1.1", "2.2", PostingState.POSTED)
    (free,) = [each for each in await lease(store, now=LATER) if each.posting.about]
    assert await finish(store, free, now=LATER)


async def test_what_is_behind_is_leased_once(store) -> None:
    _, leased = await one(store)

    assert (leased.posting.wanted, leased.posting.painted, leased.lease.until) == (1, 0, UNTIL)
    assert not await lease(store, now=UNTIL - MINUTE)


async def test_a_lapsed_lease_may_be_taken_by_another(store) -> None:
    _, leased = await one(store)

    (other,) = await lease(store, now=UNTIL)

    assert other.posting.id == leased.posting.id
    assert other.lease.token != leased.lease.token


async def test_leases_go_to_the_oldest_due_first_up_to_the_limit(store) -> None:
    times = [NOW + 3 * MINUTE, NOW + MINUTE, NOW + 2 * MINUTE]
    third, first, second = [await asked(store, a_question(created_at=at)) for at in times]

    early = await store.lease_postings(now=NOW + 2 * MINUTE, until=LATER, limit=1)
    rest = await lease(store, now=NOW + 3 * MINUTE)

    assert [each.posting.interaction_id for each in early] == [first.id]
    assert [each.posting.interaction_id for each in rest] == [second.id, third.id]


async def test_a_painter_of_all_tenants_leases_them_all(store) -> None:
    await asked(store, a_question())
    await asked(store, a_question(tenant=OTHER))

    assert {each.posting.tenant for each in await lease(store)} == {TENANT, OTHER}


async def test_a_first_post_is_recorded_and_done(store) -> None:
    question, leased = await one(store)

    assert await finish(store, leased, channel="C0DEPLOY", ts="1.1", permalink="https://slack.example/1")

    (card,) = await cards(store, question)
    assert (card.channel, card.ts, card.permalink) == ("C0DEPLOY", "1.1", "https://slack.example/1")
    assert (card.painted, card.state) == (1, PostingState.POSTED)
    assert not await lease(store)


async def test_a_repaint_keeps_where_it_is(store) -> None:
    question, leased = await one(store)
    await finish(store, leased, channel="D1", ts="1.1", permalink="p")
    await withdraw(store, question)
    (again,) = await lease(store)

    assert await finish(store, again, painted=2)

    (card,) = await cards(store, question)
    assert (card.channel, card.ts, card.permalink, card.painted) == ("D1", "1.1", "p", 2)


async def test_what_changes_while_it_is_painted_is_behind_again(store) -> None:
    question, leased = await one(store)
    await withdraw(store, question)

    assert await finish(store, leased, channel="C0DEPLOY", ts="1.1")

    (again,) = await lease(store, now=SOON)
    assert (again.posting.wanted, again.posting.painted) == (2, 1)


async def test_a_failed_try_is_due_again_when_it_says(store) -> None:
    question, leased = await one(store)

    assert await store.retry_posting(posting=leased.posting, lease=leased.lease, error="boom", due_at=LATER)

    (card,) = await cards(store, question)
    assert (card.attempts, card.error, card.state) == (1, "boom", PostingState.WAITING)
    assert not await lease(store, now=LATER - MINUTE)
    assert len(await lease(store, now=LATER)) == 1


async def test_a_transition_does_not_hurry_what_has_to_wait(store) -> None:
    question, leased = await one(store)
    await store.retry_posting(posting=leased.posting, lease=leased.lease, error="429", due_at=LATER, counts=False)

    await withdraw(store, question)

    assert not await lease(store, now=LATER - MINUTE)
    (card,) = await cards(store, question)
    assert (card.attempts, card.wanted) == (0, 2)


async def test_a_success_forgets_the_failures_before_it(store) -> None:
    question, leased = await one(store)
    await store.retry_posting(posting=leased.posting, lease=leased.lease, error="boom", due_at=SOON)
    (again,) = await lease(store)

    await finish(store, again, channel="C0DEPLOY", ts="1.1")

    (card,) = await cards(store, question)
    assert (card.attempts, card.error) == (0, None)


async def test_what_failed_for_good_is_never_leased(store) -> None:
    question, leased = await one(store)

    assert await store.retry_posting(posting=leased.posting, lease=leased.lease, error="channel_not_found", due_at=None)

    await withdraw(store, question)
    (card,) = await cards(store, question)
    assert (card.state, card.error) == (PostingState.FAILED, "channel_not_found")
    assert not await lease(store)


async def test_a_painter_that_lost_its_lease_records_nothing_but_that_it_may_have_overwritten(store) -> None:
    question, late = await one(store)
    (mine,) = await lease(store, now=UNTIL)
    await finish(store, mine, channel="C0DEPLOY", ts="1.1", now=UNTIL)

    assert not await finish(store, late, permalink="wrong", now=UNTIL)

    (card,) = await cards(store, question)
    assert (card.painted, card.wanted, card.permalink, card.ts) == (1, 2, None, "1.1")
    assert len(await lease(store)) == 1


async def test_a_retry_without_its_lease_only_marks_behind(store) -> None:
    question, late = await one(store)
    (mine,) = await lease(store, now=UNTIL)
    await finish(store, mine, channel="C0DEPLOY", ts="1.1", now=UNTIL)

    assert not await store.retry_posting(posting=late.posting, lease=late.lease, error="boom", due_at=None)

    (card,) = await cards(store, question)
    assert (card.error, card.state, card.wanted, card.painted) == (None, PostingState.POSTED, 2, 1)


async def test_a_first_post_that_landed_without_its_lease_is_known(store) -> None:
    question, late = await one(store)
    (mine,) = await lease(store, now=UNTIL)

    assert not await finish(store, late, channel="C0DEPLOY", ts="1.1", now=UNTIL)
    assert await finish(store, mine, channel="C0DEPLOY", ts="2.2", now=UNTIL)

    found = await cards(store, question)
    assert sorted((each.channel, each.ts) for each in found) == [("C0DEPLOY", "1.1"), ("C0DEPLOY", "2.2")]
    assert all(each.wanted > each.painted for each in found)


async def test_a_post_that_landed_without_its_lease_after_the_other_is_a_copy(store) -> None:
    question, late = await one(store)
    (mine,) = await lease(store, now=UNTIL)
    await finish(store, mine, channel="D1", ts="2.2", now=UNTIL)

    assert not await finish(store, late, channel="D1", ts="1.1", now=UNTIL)

    found = await cards(store, question)
    assert [(each.ts, each.wanted > each.painted) for each in found] == [("2.2", True), ("1.1", True)]
    assert {each.role for each in found} == {Role.CARD}


async def test_a_lost_post_of_a_notice_is_known_as_a_notice(store) -> None:
    question = await asked(store, a_question(destination=a_question().destination))
    await store.add_posting(tenant=TENANT, interaction_id=question.id, role=Role.NOTICE, address="U1", now=NOW)
    taken = {each.posting.role: each for each in await store.lease_postings(now=NOW, until=UNTIL, limit=9)}
    mine = {each.posting.role: each for each in await lease(store, now=UNTIL)}
    await finish(store, mine[Role.NOTICE], channel="D1", ts="2.2", now=UNTIL)

    await finish(store, taken[Role.NOTICE], channel="D1", ts="1.1", now=UNTIL)

    notices = [each.ts for each in await cards(store, question) if each.role is Role.NOTICE]
    assert notices == ["2.2", "1.1"]


async def test_a_wrong_lease_holds_nothing(store) -> None:
    question, leased = await one(store)

    assert not await finish(store, leased, lease=Lease(token="made up", until=UNTIL))
    assert not await store.retry_posting(
        posting=leased.posting, lease=Lease(token="made up", until=UNTIL), error="x", due_at=None
    )
    assert await finish(store, leased)
    assert not await finish(store, leased)
    assert (await cards(store, question))[0].painted == 1


async def test_a_posting_is_added_once(store) -> None:
    question = await asked(store, a_question())
    more = {"tenant": TENANT, "interaction_id": question.id, "role": Role.NOTICE, "address": "U1", "now": SOON}

    first, *rest = await asyncio.gather(*(store.add_posting(**more, thread_ts="1.2") for _ in range(5)))

    assert {each.id for each in rest} == {first.id}
    assert (first.role, first.address, first.thread_ts, first.wanted, first.painted) == (
        Role.NOTICE,
        "U1",
        "1.2",
        1,
        0,
    )
    assert len(await cards(store, question)) == 2
    card = await store.add_posting(**{**more, "role": Role.CARD, "address": "C0DEPLOY"})
    assert card.id == (await cards(store, question))[0].id
    assert len(await lease(store)) == 2


async def test_a_known_copy_is_adopted_as_it_is(store) -> None:
    question, leased = await one(store)
    await finish(store, leased, channel="C0DEPLOY", ts="1.1")

    known = await store.adopt(tenant=TENANT, interaction_id=question.id, channel="C0DEPLOY", ts="1.1", now=SOON)

    assert [known] == await cards(store, question)
    assert known.id == leased.posting.id


async def test_a_copy_fills_the_card_of_its_channel_that_has_no_ts(store) -> None:
    question = await asked(store, a_question())

    filled = await store.adopt(tenant=TENANT, interaction_id=question.id, channel="C0DEPLOY", ts="1.1", now=SOON)

    assert [filled] == await cards(store, question)
    assert (filled.channel, filled.ts, filled.wanted, filled.painted) == ("C0DEPLOY", "1.1", 1, 0)


async def test_a_card_that_failed_is_alive_once_its_copy_is_seen(store) -> None:
    question, leased = await one(store)
    await store.retry_posting(posting=leased.posting, lease=leased.lease, error="fatal_error", due_at=None)

    filled = await store.adopt(tenant=TENANT, interaction_id=question.id, channel="C0DEPLOY", ts="1.1", now=SOON)

    assert (filled.id, filled.state) == (leased.posting.id, PostingState.POSTED)
    assert len(await lease(store)) == 1


async def test_an_unknown_copy_is_added_and_is_behind_once_what_began_before_is_over(store) -> None:
    question, leased = await one(store)
    await finish(store, leased, channel="C0DEPLOY", ts="1.1")
    place = {"tenant": TENANT, "interaction_id": question.id, "now": SOON}

    copy = await store.adopt(**place, channel="C0DEPLOY", ts="2.2")

    assert (copy.role, copy.address, copy.wanted - copy.painted) == (Role.CARD, "C0DEPLOY", 1)
    assert copy.id not in {each.posting.id for each in await lease(store, now=SOON)}
    assert copy.id in {each.posting.id for each in await lease(store, now=SOON + SETTLING)}


async def test_a_copy_does_not_stand_for_the_card_that_was_asked_for(store) -> None:
    question = await asked(store, a_question())
    place = {"tenant": TENANT, "interaction_id": question.id, "now": SOON}
    await store.adopt(**place, channel="C0ELSE", ts="1.1")

    added = await store.add_posting(**place, role=Role.CARD, address="C0ELSE")

    assert added.ts is None
    assert len(await cards(store, question)) == 3


async def test_a_copy_seen_many_times_at_once_is_one(store) -> None:
    question, leased = await one(store)
    place = {"tenant": TENANT, "interaction_id": question.id, "now": SOON}

    seen, *_ = await asyncio.gather(
        asyncio.gather(*(store.adopt(**place, channel="C0DEPLOY", ts="1.1") for _ in range(8))),
        finish(store, leased, channel="C0DEPLOY", ts="1.1"),
    )

    assert {each.ts for each in seen} == {"1.1"}
    assert [each.ts for each in await cards(store, question)] == ["1.1"]


async def test_a_click_marks_a_known_copy_behind(store) -> None:
    question, leased = await one(store)
    await finish(store, leased, channel="C0DEPLOY", ts="1.1")
    place = {"tenant": TENANT, "interaction_id": question.id}

    assert await store.mark_behind(**place, channel="C0DEPLOY", ts="1.1")
    assert not await store.mark_behind(**place, channel="C0DEPLOY", ts="9.9")
    assert not await store.mark_behind(**{**place, "tenant": OTHER}, channel="C0DEPLOY", ts="1.1")

    (card,) = await cards(store, question)
    assert (card.wanted, card.painted) == (2, 1)
    assert len(await lease(store)) == 1


async def test_a_click_revives_a_copy_that_had_failed(store) -> None:
    question, leased = await one(store)
    await finish(store, leased, channel="C0DEPLOY", ts="1.1")
    await withdraw(store, question)
    (again,) = await lease(store, now=LATER)
    await store.retry_posting(posting=again.posting, lease=again.lease, error="message_not_found", due_at=None)

    await store.mark_behind(tenant=TENANT, interaction_id=question.id, channel="C0DEPLOY", ts="1.1")

    (card,) = await cards(store, question)
    assert (card.state, card.error) == (PostingState.POSTED, None)
    assert len(await lease(store, now=LATER + HOUR)) == 1


async def test_postings_are_found_for_each_id_that_was_asked(store) -> None:
    first, second = await asked(store), await asked(store)
    ids = [first.id, second.id, "apr_missing"]

    found = await store.find_postings(tenant=TENANT, interaction_ids=ids)

    assert {id_: len(each) for id_, each in found.items()} == {first.id: 2, second.id: 2, "apr_missing": 0}
    assert await store.find_postings(tenant=TENANT, interaction_ids=[]) == {}


async def test_no_posting_is_added_to_what_is_not_there(store) -> None:
    elsewhere = await asked(store, tenant=OTHER)
    for id_ in ("apr_missing", elsewhere.id):
        with pytest.raises(errors.NotFound):
            await store.add_posting(tenant=TENANT, interaction_id=id_, role=Role.CARD, address="C1", now=NOW)
        with pytest.raises(errors.NotFound):
            await store.adopt(tenant=TENANT, interaction_id=id_, channel="C1", ts="1.1", now=NOW)


async def test_a_vote_repaints_every_copy(store) -> None:
    approval = await asked(store)
    for leased in await lease(store):
        await finish(store, leased, channel=leased.posting.address, ts="1.1")

    await decide(store, approval, at=LATER - MINUTE)

    assert len(await lease(store, now=LATER - MINUTE)) == 2


async def test_what_failed_may_be_due_again_and_is_shown_as_failed_until_it_is_posted(store) -> None:
    question, leased = await one(store)
    again = {"posting": leased.posting, "lease": leased.lease, "error": "not_in_channel", "due_at": LATER}

    await store.retry_posting(**again, failed=True)

    (shown,) = await cards(store, question)
    assert (shown.state, shown.error) == (PostingState.FAILED, "not_in_channel")
    assert not await lease(store, now=LATER - MINUTE)
    (retried,) = await lease(store, now=LATER)
    await finish(store, retried, channel="C0DEPLOY", ts="1.1")
    (shown,) = await cards(store, question)
    assert (shown.state, shown.error) == (PostingState.POSTED, None)


async def test_a_message_that_replaces_a_deleted_one_takes_its_row(store) -> None:
    question, leased = await one(store)
    await finish(store, leased, channel="C0DEPLOY", ts="1.1")
    await withdraw(store, question)
    (leased,) = await lease(store)

    await finish(store, leased, channel="C0DEPLOY", ts="2.2", replaces=True)

    (card,) = await cards(store, question)
    assert (card.ts, card.wanted - card.painted) == ("2.2", 0)


async def test_a_fenced_replacement_is_one_more_copy(store) -> None:
    question, leased = await one(store)
    await finish(store, leased, channel="C0DEPLOY", ts="1.1")
    await withdraw(store, question)
    (lapsed,) = await lease(store, now=LATER)
    await lease(store, now=LATER + HOUR)

    assert not await finish(store, lapsed, channel="C0DEPLOY", ts="2.2", replaces=True, now=LATER + HOUR)

    assert sorted(card.ts for card in await cards(store, question)) == ["1.1", "2.2"]


async def test_a_click_in_an_opened_dm_fills_the_posting_that_is_on_its_way(store) -> None:
    question, leased = await one(store)
    assert await store.place_posting(posting=leased.posting, lease=leased.lease, channel="D0ANA")

    await store.adopt(tenant=TENANT, interaction_id=question.id, channel="D0ANA", ts="1.1", now=SOON)
    await finish(store, leased, channel="D0ANA", ts="1.1")

    (card,) = await cards(store, question)
    assert (card.channel, card.ts, card.wanted - card.painted) == ("D0ANA", "1.1", 0)


async def test_nobody_places_a_posting_of_another(store) -> None:
    _, leased = await one(store)
    await lease(store, now=LATER)

    assert not await store.place_posting(posting=leased.posting, lease=leased.lease, channel="D0ANA")
