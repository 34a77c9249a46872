"""A run that went silent: who asked hears it once, each operator is asked once, and the card moves on from there."""

from dataclasses import replace

from bot.outcomes import Line, due_lines, next_line
from bot.refusals import PLACE_TRIES
from store.types import About, Actor, ActorKind, Posting, Role, Stop, Surface
from tests.blocks.cases import approval
from tests.blocks.gallery_running import settled, unknown
from tests.paint.studio import CHIDI, DANA, NOT_A_MEMBER, shown

OPERATOR = Actor(kind=ActorKind.SLACK_USER, id=CHIDI)


async def go_silent(studio, asked, claim_id="c1") -> None:
    of = {"tenant": asked.tenant, "id": asked.id, "claim_id": claim_id, "at": studio.clock.now()}
    assert (await studio.store.claim_approval(**of, digest=asked.digest, worker="w", report_within=60)).execute
    studio.clock.advance(60)
    assert len(await studio.store.mark_unknown(now=studio.clock.now())) == 1


async def settle(studio, asked, *, happened: bool) -> None:
    of = {"tenant": asked.tenant, "id": asked.id, "actor": OPERATOR, "happened": happened}
    assert (await studio.store.settle(**of, at=studio.clock.now(), surface=Surface.CARD)).settled


def dms(studio) -> list[str]:
    return [shown(message) for message in studio.dms(CHIDI)]


async def test_a_silence_that_nobody_painted_before_it_was_over_asks_nobody(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    await go_silent(studio, asked)
    await settle(studio, asked, happened=True)

    await studio.pass_by(10)

    assert [shown(line).split(".")[0] for line in studio.told()] == [
        f"{DANA} Approved by Ana Ruiz",
        f"{DANA} It happened, says Chidi Eze",
    ]
    assert dms(studio) == []


async def test_a_second_silence_asks_operators_again_and_who_asked_is_told_of_it_too(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    await go_silent(studio, asked)
    await studio.pass_by(5)
    assert len(dms(studio)) == 1
    await settle(studio, asked, happened=False)
    await studio.pass_by(5)
    assert dms(studio)[0].startswith(f" It did not happen, says {CHIDI}")

    await go_silent(studio, asked, "c2")
    await studio.pass_by(10)

    assert [line.split("?")[0] for line in dms(studio)] == [dms(studio)[0], " Did it happen"]
    assert sum("Did it happen" in shown(line) for line in studio.told()) == 2
    assert {(copy.address, copy.turn) for copy in await studio.postings(asked, Role.NOTICE)} == {(CHIDI, 1), (CHIDI, 2)}


async def test_what_follows_a_second_silence_waits_for_its_line_and_is_said_once(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    for claim_id in ("c1", "c2"):
        await go_silent(studio, asked, claim_id)
        await studio.pass_by(5)
        await settle(studio, asked, happened=claim_id == "c2")

    await studio.pass_by(30)

    heard = [shown(line).removeprefix(f"{DANA} ").split(".")[0].split(" at ")[0] for line in studio.told()]
    silent = "Did it happen? Its run went silent"
    assert heard == ["Approved by Ana Ruiz", silent, silent, "It happened, says Chidi Eze"]
    lines = {(line.about, line.turn) for line in await studio.postings(asked, Role.OUTCOME)}
    assert lines == {(About.RESOLVED, 0), (About.UNKNOWN, 1), (None, 2), (About.RAN, 0)}


async def test_a_second_silence_whose_thread_refuses_it_is_told_by_a_direct_message(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    await go_silent(studio, asked)
    await studio.pass_by(5)
    await settle(studio, asked, happened=False)
    await studio.pass_by(5)
    # The line and the question to an operator, each so often.
    studio.slack.faults.add("chat.postMessage", error="restricted_action_thread_locked", times=2 * PLACE_TRIES)
    await go_silent(studio, asked, "c2")

    await studio.pass_by(30)

    assert [shown(line).split("?")[0] for line in studio.dms()] == [" Did it happen"]


async def test_a_painter_that_dies_after_asking_asks_nobody_twice(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    await studio.pass_by(3)
    await go_silent(studio, asked)
    finish = studio.store.finish_posting
    studio.store.finish_posting = _dies
    await studio.paint(1)
    studio.store.finish_posting = finish

    await studio.pass_by(60)

    lines = [line.about for line in await studio.postings(asked, Role.OUTCOME)]
    assert lines == [About.RESOLVED, About.UNKNOWN]
    assert len(await studio.postings(asked, Role.NOTICE)) == 1


async def _dies(**_) -> bool:
    raise RuntimeError("killed")


async def test_operators_are_asked_where_a_key_asked_and_nobody_is_to_be_told(studio) -> None:
    asked = await studio.ask(requested_by=None)
    await studio.approve(asked)
    await go_silent(studio, asked)

    await studio.pass_by(10)

    assert len(dms(studio)) == 1
    assert studio.told() == []


async def test_an_operator_who_asked_gets_both_the_notice_of_a_failed_card_and_the_question(studio) -> None:
    asked = await studio.ask(channels=(NOT_A_MEMBER, "C07DEPLOYS1"), requested_by=CHIDI)
    await studio.pass_by(30)
    assert [line[:40] for line in dms(studio)] == [dms(studio)[0][:40]]
    await studio.approve(asked)
    await go_silent(studio, asked)

    await studio.pass_by(30)

    assert sum("Did it happen?" in line for line in dms(studio)) == 1
    assert {copy.turn for copy in await studio.postings(asked, Role.NOTICE)} == {0, 1}


async def test_a_stop_repaints_what_it_holds_up_and_what_it_lets_go(studio) -> None:
    begun = await studio.ask(title="Begun")
    await studio.ask(title="Waiting")
    await studio.approve(begun)
    of = {"tenant": begun.tenant, "id": begun.id, "claim_id": "c1", "at": studio.clock.now()}
    await studio.store.claim_approval(**of, digest=begun.digest)
    await studio.pass_by(5)
    stop = Stop(tenant="default", id="stp_1", tool="deploy.*", actor=OPERATOR, at=studio.clock.now(), reason="no")
    await studio.store.add_stop(stop=stop)
    await studio.pass_by(5)
    stopped = {shown(card).split(" ")[0]: "Stopped by" in shown(card) for card in studio.messages()}

    await studio.store.end_stops(tenant="default", tool=None, actor=OPERATOR, at=studio.clock.now())
    await studio.pass_by(5)

    assert stopped == {"Waiting": True, "Begun": False}
    assert not any("Stopped by" in shown(card) for card in studio.messages())


def test_the_end_waits_for_the_line_that_asked() -> None:
    told = Posting(tenant="default", id="p1", interaction_id="a", role=Role.OUTCOME, address="C1", about=About.RESOLVED)
    told = replace(told, channel="C1", ts="1.1")
    asking = replace(told, id="p2", about=About.UNKNOWN, turn=1, ts=None, channel=None)
    decided, ran = Line(about=About.RESOLVED), Line(about=About.RAN)

    assert due_lines(unknown()) == (decided, Line(about=About.UNKNOWN, turn=1))
    assert due_lines(settled(happened=True)) == (decided, ran)
    assert due_lines(settled(happened=False)) == due_lines(approval(state="denied")) == (decided,)
    assert next_line(settled(happened=True), [told, asking]) is None
    assert next_line(settled(happened=True), [told, replace(asking, channel="C1", ts="1.2")]) == ran
    assert next_line(settled(happened=True), [told]) == ran
