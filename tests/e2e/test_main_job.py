"""The main job: a run asks, a person clicks in Slack, the run goes on exactly once."""

import asyncio

from blocks import ids
from tests.e2e.house import ANA, BEN, CHIDI, DANA, DEPLOYS, GUEST, has_buttons, plain


async def test_an_approval_is_asked_clicked_and_claimed_once(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    assert "Deploy api 1.4.2 to production" in plain(card)

    clicked = await here.slack.person(ANA).click(DEPLOYS, card.ts, "so.approve")

    assert clicked.ok
    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["resolved_by"]["id"]) == ("approved", ANA)
    claims = await asyncio.gather(*(here.claim(asked, worker=f"w{n}", claim_id=f"c{n}") for n in range(5)))
    assert sorted(claim.json["execute"] for claim in claims) == [False] * 4 + [True]
    await here.shows(card, "Handed to")
    assert not has_buttons(card)


async def test_the_second_click_is_told_who_decided_and_changes_nothing(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, "so.deny")

    await here.slack.person(BEN).click(DEPLOYS, card.ts, "so.approve", stale=True)

    note = await here.slack.wait_for(lambda _: here.slack.person(BEN).ephemerals(DEPLOYS))
    assert "Already denied by @U07ANA4K2QX" in plain(note[-1])
    assert (await here.read(asked["id"]))["state"] == "denied"


async def test_who_may_not_decide_is_told_who_could(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)

    for person, words in [
        (CHIDI, "You cannot decide this"),
        (GUEST, "You cannot decide this"),
        (DANA, "You asked for"),
    ]:
        for action in ("so.approve", "so.deny"):
            await here.slack.person(person).click(DEPLOYS, card.ts, action)
        notes = await here.slack.wait_for(
            lambda _, person=person: (
                len(here.slack.person(person).ephemerals(DEPLOYS)) == 2
                and here.slack.person(person).ephemerals(DEPLOYS)
            )
        )
        assert all(words in plain(note) and "@U07ANA4K2QX" in plain(note) for note in notes)

    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_a_copy_whose_first_click_is_refused_is_known_from_then_on(here) -> None:
    here.slack.faults.add("chat.postMessage", drop_reply=True, times=1)
    asked = await here.ask()
    await here.card(DEPLOYS, count=2)
    lost, known = here.slack.workspace.messages(DEPLOYS)
    chidi = here.slack.person(CHIDI)
    await chidi.click(DEPLOYS, lost.ts, ids.DENY)
    await here.slack.wait_for(lambda _: chidi.ephemerals(DEPLOYS))
    async with asyncio.timeout(10):
        while lost.ts not in {copy["ts"] for copy in (await here.read(asked["id"]))["postings"]}:
            pass

    await here.slack.person(ANA).click(DEPLOYS, known.ts, ids.APPROVE)

    await here.shows(known, "Approved")
    await here.shows(lost, "Approved")


async def test_a_card_that_does_not_follow_in_time_is_made_up_for_in_words(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    here.slack.faults.add("chat.update", down=True)
    ana = here.slack.person(ANA)

    await ana.click(DEPLOYS, card.ts, ids.APPROVE)

    notes = await here.slack.wait_for(lambda _: ana.ephemerals(DEPLOYS))
    assert [plain(note) for note in notes] == ["Recorded. The card follows."]
    assert (await here.read(asked["id"]))["state"] == "approved"


async def test_a_group_that_does_not_exist_asks_nobody_to_click_again(here) -> None:
    await here.ask(approvers={"groups": ["S07NOSUCH01"]})
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)

    await ana.click(DEPLOYS, card.ts, ids.APPROVE)

    notes = await here.slack.wait_for(lambda _: ana.ephemerals(DEPLOYS))
    assert "@U07DANA5WFD can ask again" in plain(notes[0])
    assert "in a minute" not in plain(notes[0])


async def test_a_plain_denial_where_a_reason_is_needed_opens_the_form_for_it(here) -> None:
    from dataclasses import replace

    store = here.house.store
    asked = await here.ask(operation_id="template")
    stored = await store.find_approval(tenant="default", id=asked["id"])
    strict = replace(
        stored,
        id="apr_01KB9Q4V7M2T8R5XW3C6STRICT",
        operation_id="strict",
        approvers=replace(stored.approvers, require_reason=True),
    )
    await store.create_approval(approval=strict)
    await here.card(DEPLOYS, count=2)
    card = here.slack.workspace.messages(DEPLOYS)[-1]
    ana = here.slack.person(ANA)

    await ana.click(DEPLOYS, card.ts, ids.DENY, value=strict.id, forge=True)

    await here.slack.wait_for(lambda _: ana.modal)
    assert ana.modal.content["callback_id"] == ids.VIEW_DENY
    assert (await here.read(strict.id))["state"] == "pending"
