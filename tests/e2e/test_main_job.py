"""The main job: a run asks, a person clicks in Slack, the run goes on exactly once."""

import asyncio

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
