"""Lines while something waits: each pings once, whoever can still act, and nobody after it is over."""

from datetime import timedelta

import pytest

from bot.reminders import GROUP_AGAIN
from store.types import (
    Actor,
    ActorKind,
    Approvers,
    Decision,
    Escalation,
    PostingState,
    Reminders,
    Role,
    Surface,
    Terms,
)
from tests.paint.studio import ANA, BEN, CHIDI, DANA, DEPLOYS, NOT_A_MEMBER, shown

ONCALL = "S07ONCALL01"
MINUTE = 60
WAITS = " Still waiting. Open the card"
MAY = " Still waiting: you may decide this, too. Open the card"
REMIND = Terms(reminders=Reminders(after=timedelta(minutes=10)))


def escalating(*, users=(), groups=()) -> Terms:
    return Terms(escalation=(Escalation(after=timedelta(minutes=10), users=users, groups=groups),))


async def vote(studio, asked, who, decision=Decision.ALLOW_ONCE) -> None:
    await studio.store.decide_approval(
        tenant=asked.tenant,
        id=asked.id,
        actor=Actor(kind=ActorKind.SLACK_USER, id=who),
        decision=decision,
        at=studio.clock.now(),
        surface=Surface.CARD,
    )


async def rings(studio, minutes: float = 10) -> None:
    studio.clock.advance(minutes * MINUTE)
    assert await studio.store.ring_due(now=studio.clock.now())


def lines(studio, channel=DEPLOYS) -> list:
    return [message for message in studio.messages(channel) if message.blocks[0].get("block_id") == "note"]


def said(studio, channel=DEPLOYS) -> list[str]:
    return [shown(line) for line in lines(studio, channel)]


async def test_a_reminder_mentions_in_the_thread_who_has_not_voted_yet(studio) -> None:
    who = Approvers(users=(ANA, BEN, CHIDI, DANA), quorum=3)
    asked = await studio.ask(terms=REMIND, approvers=who)
    await studio.paint()
    await vote(studio, asked, ANA)
    await rings(studio)

    await studio.paint()

    # Dana asked: she cannot approve her own request.
    assert said(studio) == [f"{BEN} {CHIDI}{WAITS}"]
    card = studio.messages()[0]
    assert lines(studio)[0].thread_ts == card.ts
    link = next(part for part in lines(studio)[0].blocks[0]["elements"][0]["elements"] if part["type"] == "link")
    assert link["url"].endswith(f"/archives/{DEPLOYS}/p{card.ts.replace('.', '')}")


async def test_a_line_is_posted_once_and_never_painted_again(studio) -> None:
    asked = await studio.ask(terms=REMIND)
    await studio.paint()
    await rings(studio)
    await studio.paint()
    line = lines(studio)[0]

    await studio.approve(asked)
    await studio.pass_by(5)

    assert len(lines(studio)) == 1
    assert not line.edited
    assert all(call["ts"] != line.ts for call in studio.called("chat.update"))


@pytest.mark.parametrize("decision", [Decision.ALLOW_ONCE, Decision.DENY])
async def test_a_line_of_what_is_over_by_then_is_not_posted_and_its_posting_ends(studio, decision) -> None:
    asked = await studio.ask(terms=REMIND)
    await studio.paint()
    await rings(studio)
    await vote(studio, asked, ANA, decision)

    await studio.pass_by(5)

    assert said(studio) == []
    line = await studio.posting(asked, Role.REMINDER)
    assert (line.painted, line.error, line.state) == (line.wanted, None, PostingState.WAITING)


async def test_who_has_a_card_of_their_own_is_reminded_there_and_not_twice(studio) -> None:
    asked = await studio.ask(users=(BEN,), terms=REMIND)
    await studio.paint()
    await rings(studio)

    await studio.paint()

    assert said(studio) == [f"{ANA}{WAITS}"]
    dm = studio.slack.workspace.dm(BEN)
    assert said(studio, dm.id) == [f"{BEN}{WAITS}"]
    assert lines(studio, dm.id)[0].thread_ts == studio.dms(BEN)[0].ts
    assert len(await studio.postings(asked, Role.REMINDER)) == 2


async def test_who_has_voted_by_direct_message_is_left_alone(studio) -> None:
    asked = await studio.ask(
        channels=(), users=(ANA, BEN), terms=REMIND, approvers=Approvers(users=(ANA, BEN), quorum=2)
    )
    await studio.paint()
    await vote(studio, asked, ANA)
    await rings(studio)

    await studio.pass_by(5)

    assert said(studio, studio.slack.workspace.dm(ANA).id) == []
    assert said(studio, studio.slack.workspace.dm(BEN).id) == [f"{BEN}{WAITS}"]


async def test_of_a_small_group_those_are_mentioned_who_have_not_voted(studio) -> None:
    asked = await studio.ask(terms=REMIND, approvers=Approvers(groups=(ONCALL,), quorum=2))
    await studio.paint()
    await vote(studio, asked, BEN)
    await rings(studio)

    await studio.paint()

    assert said(studio) == [f"{CHIDI}{WAITS}"]


async def test_a_group_that_cannot_be_read_is_mentioned_as_a_group(studio) -> None:
    studio.slack.faults.add("usergroups.users.list", error="missing_scope")
    await studio.ask(terms=REMIND, approvers=Approvers(groups=(ONCALL,)))
    await studio.paint()
    await rings(studio)

    await studio.paint()

    assert {"type": "usergroup", "usergroup_id": ONCALL} in lines(studio)[0].blocks[0]["elements"][0]["elements"]


async def test_what_could_not_be_sent_for_long_is_not_sent_in_a_heap(studio) -> None:
    asked = await studio.ask(terms=REMIND)
    await studio.paint()
    await rings(studio)
    await rings(studio, 20)

    await studio.pass_by(5)

    assert said(studio) == [f"{ANA} {BEN}{WAITS}"]
    assert len(await studio.postings(asked, Role.REMINDER)) == 2


async def test_an_escalation_mentions_the_new_people_only_and_the_card_says_since_when(studio) -> None:
    await studio.ask(terms=escalating(users=(CHIDI,)))
    await studio.paint()
    await rings(studio)

    await studio.pass_by(3)

    assert said(studio) == [f"{CHIDI}{MAY}"]
    assert f"Waiting for {ANA}, {BEN} or {CHIDI}" in shown(studio.messages()[0])
    assert f" {CHIDI} may decide too." in shown(studio.messages()[0])


async def test_two_escalations_that_are_late_each_mention_their_own_people(studio) -> None:
    steps = tuple(Escalation(after=timedelta(minutes=n), users=(who,)) for n, who in ((10, CHIDI), (20, "U07EXTRA001")))
    await studio.ask(terms=Terms(escalation=steps))
    await studio.paint()
    await rings(studio)
    await rings(studio)

    await studio.pass_by(5)

    assert sorted(said(studio)) == sorted([f"{CHIDI}{MAY}", f"U07EXTRA001{MAY}"])


@pytest.mark.parametrize("channels", [(), (NOT_A_MEMBER,)])
async def test_where_no_channel_tells_them_new_people_get_a_card_of_their_own(studio, channels) -> None:
    asked = await studio.ask(channels=channels, users=(ANA,), terms=escalating(users=(CHIDI,)))
    await studio.pass_by(60)
    assert studio.dms(CHIDI) == []
    await rings(studio)

    await studio.pass_by(5)

    [card] = studio.dms(CHIDI)
    assert f"{BEN} or {CHIDI}" in shown(card)
    assert {posting.address for posting in await studio.postings(asked)} == {*channels, ANA, CHIDI}


async def test_an_escalated_group_that_no_channel_tells_gets_a_card_for_each_member(studio) -> None:
    asked = await studio.ask(
        channels=(), users=(BEN,), terms=escalating(groups=(ONCALL,)), approvers=Approvers(users=(BEN,))
    )
    await studio.paint()
    down = studio.slack.faults.add("usergroups.users.list", status=500)
    await rings(studio)
    await studio.pass_by(10)
    assert studio.dms(CHIDI) == []
    studio.slack.faults.remove(down)

    await studio.pass_by(int(GROUP_AGAIN) + 5)

    # Ben is a member, too, and has his card already.
    assert {posting.address for posting in await studio.postings(asked)} == {BEN, CHIDI}
    assert len(studio.dms(CHIDI)) == len(studio.dms(BEN)) == 1
    line = await studio.posting(asked, Role.REMINDER)
    assert (line.ts, line.painted) == (None, line.wanted)


async def test_a_deadline_that_is_near_is_said_once_and_the_card_offers_more_time(studio) -> None:
    deadline = studio.clock.now() + timedelta(hours=2)
    await studio.ask(expires_at=deadline, terms=Terms(extension=timedelta(hours=2)))
    await studio.paint()
    await rings(studio, 91)

    await studio.pass_by(3)

    [line] = said(studio)
    assert line.startswith(f"{ANA} {BEN} Expires soon, ")
    assert "Expires soon, " in shown(studio.messages()[0])
    assert "Give me 2 more hours" in shown(studio.messages()[0])


async def take_back(studio, asked) -> None:
    actor = Actor(kind=ActorKind.SLACK_USER, id=ANA)
    outcome = await studio.store.take_back(
        tenant=asked.tenant, id=asked.id, actor=actor, at=studio.clock.now(), surface=Surface.CARD
    )
    assert outcome.taken_back


async def test_who_asked_is_told_once_that_an_approval_was_taken_back(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.approve(asked)
    await studio.pass_by(3)
    await take_back(studio, asked)

    await studio.pass_by(10)

    words = [shown(line) for line in studio.told()]
    assert words == [f"{DANA} Approved by Ana Ruiz.", f"{DANA} Approval taken back by Ana Ruiz. Nothing ran."]
    assert f"Denied: the approval was taken back by {ANA}" in shown(studio.messages()[0])


async def test_what_was_taken_back_before_anybody_was_told_is_one_line(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.approve(asked)
    with studio.client.gate("chat.update") as held:
        await studio.painter.start_due()
        await held.reached.wait()
        await take_back(studio, asked)

    await studio.pass_by(40)

    assert [shown(line) for line in studio.told()] == [f"{DANA} Approval taken back by Ana Ruiz. Nothing ran."]


async def test_a_line_that_was_asked_for_and_is_untrue_by_then_makes_way_for_the_true_one(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.approve(asked)
    limited = studio.slack.faults.add("chat.postMessage", status=429, retry_after=20)
    await studio.pass_by(3)
    await take_back(studio, asked)
    studio.slack.faults.remove(limited)

    await studio.pass_by(40)

    assert len(await studio.postings(asked, Role.OUTCOME)) == 2
    assert [shown(line) for line in studio.told()] == [f"{DANA} Approval taken back by Ana Ruiz. Nothing ran."]
