"""Accounts are looked up beside the painting of a card, so that a click needs no look-up; few, and not at every repaint."""

from collections import Counter

from bot.people import Standing
from bot.slack.directory import MEMBERS_BUDGET, NAMES_FRESH, NAMES_RETRY
from store.types import Actor, ActorKind, Approvers, Decision, Surface
from tests.clock import FakeClock
from tests.directory.slow_slack import SlowSlack, directory
from tests.paint.studio import ANA, BEN, CHIDI, open_studio

ONCALL = "S07ONCALL01"
MEMBER = {"ok": True, "user": {"id": "U0ANA", "name": "ana"}}


async def test_accounts_are_asked_for_once_few_at_a_time_and_known_to_the_click() -> None:
    slack, clock = SlowSlack(), FakeClock()
    slack.reply = MEMBER
    slack.open.clear()
    async with directory(slack, clock, click_budget=MEMBERS_BUDGET) as found:
        users = [f"U{n:04}" for n in range(6)]
        found.warm_accounts(users)
        found.warm_accounts([*users, *users])
        await slack.asked(4)
        at_once = len(slack.calls)
        slack.open.set()
        await slack.asked(6)
        standing = [await found.standing(tenant="default", user=user) for user in users]
        found.warm_accounts(users)

    assert at_once == 4
    assert standing == [Standing.MEMBER] * 6
    assert slack.calls == ["users.info"] * 6


async def test_one_card_looks_up_so_many_accounts_and_no_more() -> None:
    slack, clock = SlowSlack(), FakeClock()
    slack.reply = MEMBER
    async with directory(slack, clock, click_budget=MEMBERS_BUDGET) as found:
        found.warm_accounts([f"U{n:04}" for n in range(500)])
        await slack.asked(40)

    assert len(slack.calls) == 40


async def test_a_card_warms_those_named_and_the_members_of_its_groups_and_a_repaint_asks_nobody_again() -> None:
    async with open_studio() as studio:
        asked = await studio.ask(approvers=Approvers(users=(ANA,), groups=(ONCALL,), quorum=2), requested_by=None)
        await studio.paint()
        await studio.slack.wait_for(lambda _: len(looked_up(studio)) >= 3)
        first = looked_up(studio)

        await studio.store.decide_approval(
            tenant=asked.tenant,
            id=asked.id,
            actor=Actor(kind=ActorKind.SLACK_USER, id=ANA),
            decision=Decision.ALLOW_ONCE,
            at=studio.clock.now(),
            surface=Surface.CARD,
        )
        await studio.pass_by(5)
        again = looked_up(studio)
        studio.clock.advance(NAMES_FRESH * 2)
        await studio.touch((await studio.postings(asked))[0])
        await studio.paint()
        await studio.slack.wait_for(lambda _: len(looked_up(studio)) >= 6)

    assert Counter(first) == Counter([ANA, BEN, CHIDI])
    assert again == first


def looked_up(studio) -> list[str]:
    return [call.args["user"] for call in studio.slack.calls if call.method == "users.info"]


async def test_a_known_account_stands_while_slack_fails_and_is_asked_for_again_in_a_minute_not_at_every_click() -> None:
    slack, clock = SlowSlack(), FakeClock()
    slack.reply = MEMBER
    async with directory(slack, clock, click_budget=MEMBERS_BUDGET) as found:
        await found.standing(tenant="default", user=ANA)
        clock.advance(NAMES_FRESH * 2)
        slack.reply = {"ok": False, "error": "internal_error"}

        standing = [await found.standing(tenant="default", user=ANA) for _ in range(3)]
        asked = len(slack.calls)
        clock.advance(NAMES_RETRY * 2)
        await found.standing(tenant="default", user=ANA)

    assert standing == [Standing.MEMBER] * 3
    assert (asked, len(slack.calls)) == (2, 3)
