"""Who asked is told once how it ended, and nobody else is pinged."""

from dataclasses import replace

import pytest

from bot.hub import Hub
from bot.jobs import Jobs
from bot.outcomes import Line, Place, due_lines, next_line, place_of
from store.types import About, Actor, ActorKind, Decision, ExecutionStatus, Posting, Role, State, Surface
from tests.blocks.cases import KEY, approval
from tests.blocks.gallery import executed
from tests.paint.studio import ANA, BEN, CHIDI, DANA, DEPLOYS, GENERAL, NOT_A_MEMBER, REPORTS, shown


async def claim(studio, asked) -> bool:
    """Whether the claimant executes it."""
    one = {"tenant": asked.tenant, "id": asked.id, "claim_id": "c1"}
    return (await studio.store.claim_approval(**one, digest=asked.digest, at=studio.clock.now())).execute


async def run(studio, asked, status=ExecutionStatus.SUCCEEDED, detail="3 of 3 zones") -> None:
    one = {"tenant": asked.tenant, "id": asked.id, "claim_id": "c1"}
    assert await claim(studio, asked)
    await studio.store.report_execution(**one, status=status, at=studio.clock.now(), detail=detail)


async def test_a_decision_and_its_end_are_each_one_line_in_the_thread_of_the_card(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    card = studio.messages()[0]
    await studio.approve(asked)
    await studio.paint(1)
    await run(studio, asked)

    await studio.pass_by(10)

    assert [shown(line) for line in studio.told()] == [f"{DANA} Approved by Ana Ruiz.", f"{DANA} Done.3 of 3 zones"]
    assert {line.thread_ts for line in studio.told()} == {card.ts}
    assert [line.text.count("<@") for line in studio.told()] == [1, 1]
    assert not any(line.edited for line in studio.told())
    assert studio.dms() == []


async def test_what_ended_before_anybody_painted_is_said_in_order(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    await run(studio, asked, ExecutionStatus.FAILED, None)

    await studio.pass_by(10)

    assert [shown(line) for line in studio.told()] == [f"{DANA} Approved by Ana Ruiz.", f"{DANA} Failed."]


async def test_several_cards_get_one_line_and_a_card_in_a_thread_has_it_in_that_thread(studio) -> None:
    parent = studio.slack.workspace.post(DEPLOYS, ANA, "shall we?")
    both = await studio.ask(channels=(DEPLOYS, REPORTS), users=(BEN,))
    inside = await studio.ask(thread_ts=parent.ts)
    for asked in (both, inside):
        await studio.approve(asked)

    await studio.pass_by(20)

    assert len(studio.told()) == 2
    assert parent.ts in {line.thread_ts for line in studio.told()}
    assert studio.told(REPORTS) == studio.dms() == []
    assert len(studio.dms(BEN)) == 1


async def test_without_a_card_in_a_channel_who_asked_gets_one_direct_message(studio) -> None:
    asked = await studio.ask(channels=(), users=(BEN,))
    await studio.store.decide_approval(
        tenant=asked.tenant,
        id=asked.id,
        actor=Actor(kind=ActorKind.SLACK_USER, id=BEN),
        decision=Decision.DENY,
        feedback="Freeze until Monday.",
        at=studio.clock.now(),
        surface=Surface.CARD,
    )

    await studio.pass_by(10)

    [line] = studio.dms()
    assert shown(line) == f" Denied by {BEN}: Deploy api 1.4.2 to productionFreeze until Monday."
    assert "link" in str(line.blocks)
    assert "<@" not in line.text.replace(f"<@{BEN}>", "")


async def test_where_the_channel_cannot_be_reached_a_direct_message_says_it(studio) -> None:
    asked = await studio.ask(channels=(NOT_A_MEMBER,), users=(BEN,))
    await studio.pass_by(30)
    await studio.approve(asked)

    await studio.pass_by(30)

    assert [shown(line) for line in studio.dms()][-1] == f" Approved by {ANA}: Deploy api 1.4.2 to production"


async def test_an_expiry_is_told(studio) -> None:
    asked = await studio.ask(expires_at=studio.clock.now())
    await studio.store.expire_due(now=studio.clock.now())

    await studio.pass_by(10)

    assert asked.requested_by == DANA
    assert [shown(line) for line in studio.told()] == [f"{DANA} Expired."]


async def test_a_painter_that_dies_after_painting_the_card_loses_no_line_and_doubles_none(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.approve(asked)
    finish = studio.store.finish_posting
    studio.store.finish_posting = _dies
    await studio.paint(1)
    studio.store.finish_posting = finish

    await studio.pass_by(60)

    # The line itself was posted before its painter died, too; Slack may hold that one twice, the store knows one.
    assert len({posting.id for posting in await studio.postings(asked, Role.OUTCOME)}) == 1
    assert {shown(line) for line in studio.told()} == {f"{DANA} Approved by Ana Ruiz."}


async def _dies(**_: object) -> bool:
    raise ConnectionError("the process is gone")


async def test_who_named_nobody_is_told_nothing(studio) -> None:
    asked = await studio.ask(requested_by=None)
    await studio.paint()
    await studio.approve(asked)

    await studio.pass_by(10)

    assert await studio.postings(asked, Role.OUTCOME) == []


OPERATOR = Actor(kind=ActorKind.SLACK_USER, id=CHIDI)
ANOTHER_KEY = Actor(kind=ActorKind.API_KEY, id="key_other", name="cleanup-bot")


@pytest.mark.parametrize(
    ("by", "lines"),
    [
        (Actor(kind=ActorKind.REQUESTER, id=DANA), []),
        (KEY, []),
        (OPERATOR, [f"{DANA} Withdrawn by Chidi Eze.Freeze."]),
        (ANOTHER_KEY, [f"{DANA} Withdrawn by key cleanup-bot.Freeze."]),
    ],
    ids=["who asked", "the key that asked for them", "an operator", "another key"],
)
async def test_a_withdrawal_is_told_where_somebody_else_did_it(studio, by, lines) -> None:
    asked = await studio.ask()
    await studio.paint()
    one = {"tenant": asked.tenant, "id": asked.id, "at": studio.clock.now(), "surface": Surface.CARD}
    await studio.store.withdraw(**one, actor=by, reason="Freeze.")

    await studio.pass_by(10)

    assert [shown(line) for line in studio.told()] == lines


@pytest.mark.parametrize(
    ("person", "key", "told"),
    [(DANA, None, False), (None, None, False), (BEN, None, True), (None, ANOTHER_KEY, True)],
    ids=["for the same person", "by the same key", "for somebody else", "by another key"],
)
async def test_a_replacement_is_told_where_somebody_else_asked_for_it(studio, person, key, told) -> None:
    asked = await studio.ask()
    await studio.paint()
    more = {} if key is None else {"asked_by": key}
    await studio.ask(run_id=asked.run_id, supersedes=asked.id, requested_by=person, **more)
    assert (await studio.store.find_approval(tenant=asked.tenant, id=asked.id)).state is State.SUPERSEDED

    await studio.pass_by(10)

    assert [shown(line) for line in studio.told()] == [f"{DANA} Replaced by a newer request."] * told


async def test_what_was_replaced_leads_to_the_newer_card_once_that_stands(studio) -> None:
    old = await studio.ask(channels=(DEPLOYS, REPORTS))
    await studio.paint()
    newer = await studio.ask(run_id=old.run_id, supersedes=old.id, channels=(GENERAL,))

    await studio.pass_by(10)

    link = (await studio.posting(newer)).permalink
    assert link is not None
    for channel in (DEPLOYS, REPORTS):
        assert link in str(studio.messages(channel)[0].blocks)


async def lapse(studio, asked) -> None:
    studio.clock.advance(asked.run_within.total_seconds())
    await studio.store.mark_stuck(now=studio.clock.now())


@pytest.mark.parametrize("is_claimed", [False, True], ids=["nobody came", "somebody came too late"])
async def test_what_nobody_started_in_time_is_told_once(studio, is_claimed) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.approve(asked)
    await studio.pass_by(5)
    await lapse(studio, asked)
    await studio.pass_by(5)
    if is_claimed:
        assert not await claim(studio, asked)

    await studio.pass_by(10)

    assert [shown(line) for line in studio.told()] == [
        f"{DANA} Approved by Ana Ruiz.",
        f"{DANA} Not started in time. Nothing ran.",
    ]


async def test_noting_that_nobody_started_wakes_the_painter(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    hub = Hub(studio.store)
    jobs = Jobs(store=studio.store, service=None, clock=studio.clock, hub=hub)
    studio.clock.advance(asked.run_within.total_seconds() - 1)
    assert await jobs.mark_stuck() == 1
    bell = hub.bell()
    studio.clock.advance(1)

    assert await jobs.mark_stuck() == 0

    assert bell.is_set()
    assert (await studio.store.find_approval(tenant=asked.tenant, id=asked.id)).lapsed_at == studio.clock.now()


async def test_a_claim_that_came_too_late_before_that_was_noted_is_told_alike(studio) -> None:
    asked = await studio.ask(channels=(), users=(BEN,))
    await studio.approve(asked)
    await studio.pass_by(5)
    studio.clock.advance(asked.run_within.total_seconds())
    assert not await claim(studio, asked)

    await studio.pass_by(10)

    assert [shown(line) for line in studio.dms()] == [
        f" Approved by {ANA}: Deploy api 1.4.2 to production",
        " Not started in time: Deploy api 1.4.2 to production. Nothing ran.",
    ]


async def test_a_run_that_fetches_its_denial_has_nothing_more_to_tell(studio) -> None:
    asked = await studio.ask()
    one = {"tenant": asked.tenant, "id": asked.id, "at": studio.clock.now()}
    by = Actor(kind=ActorKind.SLACK_USER, id=BEN)
    await studio.store.decide_approval(**one, actor=by, decision=Decision.DENY, surface=Surface.CARD)
    await studio.store.claim_approval(**one, claim_id="c1", digest=asked.digest)

    await studio.pass_by(10)

    assert [shown(line) for line in studio.told()] == [f"{DANA} Denied by Ben Okafor."]


def test_nobody_is_told_what_they_did_themselves() -> None:
    mine = Actor(kind=ActorKind.SLACK_USER, id=DANA)
    asked = approval(state=State.APPROVED, requested_by=DANA, resolved_by=mine)

    assert due_lines(asked) == ()
    assert due_lines(replace(asked, lapsed_at=asked.created_at)) == (Line(about=About.RAN),)
    assert due_lines(replace(asked, resolved_by=Actor(kind=ActorKind.SLACK_USER, id=ANA))) == (
        Line(about=About.RESOLVED),
    )


def test_a_line_goes_where_the_one_before_it_went() -> None:
    card = Posting(tenant="t", id="p1", interaction_id="a", role=Role.CARD, address=DEPLOYS, channel=DEPLOYS, ts="1.1")
    by_dm = replace(card, id="p2", role=Role.OUTCOME, address=DANA, about=About.RESOLVED, channel="D1")

    assert place_of(DANA, [card]) == Place(address=DEPLOYS, thread_ts="1.1")
    assert place_of(DANA, [card, by_dm]) == Place(address=DANA)


def test_a_line_waits_for_a_card_that_is_on_its_way_to_a_channel() -> None:
    card = Posting(tenant="t", id="p1", interaction_id="a", role=Role.CARD, address=DEPLOYS)
    direct = replace(card, id="p2", address=BEN, channel="D1", ts="1.1")

    assert place_of(DANA, [card, direct]) is None
    assert place_of(DANA, [direct]) == Place(address=DANA)
    assert place_of(DANA, [replace(card, channel=DEPLOYS, ts="2.2"), direct]) == Place(address=DEPLOYS, thread_ts="2.2")


def test_the_end_is_told_when_the_decision_stands_there_or_could_not_be_told() -> None:
    asked = executed(ExecutionStatus.SUCCEEDED, 17)
    first = Posting(tenant="t", id="p1", interaction_id="a", role=Role.OUTCOME, address=DEPLOYS, about=About.RESOLVED)

    assert next_line(asked, []) == Line(about=About.RESOLVED)
    assert next_line(asked, [first]) is None
    assert next_line(asked, [replace(first, channel=DEPLOYS, ts="1.1")]) == Line(about=About.RAN)
    assert next_line(asked, [replace(first, failed_at=asked.created_at)]) == Line(about=About.RAN)
    assert next_line(asked, [replace(first, ts="1.1"), replace(first, about=About.RAN)]) is None
