"""Slack misbehaves: decisions stand, cards follow, and nothing is ever silent."""

import asyncio

from blocks import ids
from tests.e2e.house import ANA, ARCHIVED, BEN, DANA, DEPLOYS, GONE, NOT_A_MEMBER, has_buttons, plain


async def test_clicks_decide_while_slacks_web_api_is_down(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    down = here.slack.faults.add("*", down=True)

    clicked = await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    assert clicked.ok
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"
    assert has_buttons(card)
    here.slack.faults.remove(down)
    await here.shows(card, "Approved")


async def test_a_429_is_honoured_and_the_card_still_comes(here) -> None:
    here.slack.faults.add("chat.postMessage", status=429, retry_after=1, times=1)

    await here.ask()

    await here.card(DEPLOYS)
    assert len([call for call in here.slack.calls if call.method == "chat.postMessage"]) == 2


async def test_a_card_that_slack_refuses_alarms_and_tells_who_asked(here) -> None:
    asked = await here.ask(channels=[NOT_A_MEMBER, ARCHIVED])

    dm = await here.slack.wait_for(lambda ws: (d := ws.dm(DANA)) and ws.messages(d.id), timeout=20)

    assert "can see this yet" in plain(dm[0])
    read = await here.read(asked["id"])
    assert read["state"] == "pending"
    errors = {posting["channel"]: posting["error"] for posting in read["postings"] if posting["state"] == "failed"}
    assert set(errors.values()) <= {"not_in_channel", "channel_not_found", "is_archived"}
    assert errors


async def test_a_card_for_somebody_who_left_alarms_tells_who_asked_and_others_still_decide(here) -> None:
    asked = await here.ask(channels=[DEPLOYS], users=[GONE])
    card = await here.card(DEPLOYS)

    dm = await here.slack.wait_for(lambda ws: (d := ws.dm(DANA)) and ws.messages(d.id), timeout=20)

    assert "has no account any more" in plain(dm[0])
    failed = [posting for posting in (await here.read(asked["id"]))["postings"] if posting["state"] == "failed"]
    assert [posting["error"] for posting in failed] == ["user_disabled"]
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"


async def test_who_was_told_of_a_failed_card_is_not_told_that_it_waits_nor_twice_how_it_ended(here) -> None:
    asked = await here.ask(channels=[DEPLOYS, ARCHIVED])
    card = await here.card(DEPLOYS)
    (notice,) = await here.slack.wait_for(lambda ws: (d := ws.dm(DANA)) and ws.messages(d.id), timeout=20)
    assert "It still waits" in plain(notice)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    await here.shows(notice, "never reached")
    line = await here.line(DEPLOYS)
    assert plain(line) == f"@{DANA} Approved by Ana Ruiz."
    assert "It is over" in plain(notice)
    assert "Approved" not in plain(notice)
    assert "still waits" not in plain(notice)
    assert (await here.read(asked["id"]))["state"] == "approved"


async def test_a_copy_whose_post_lost_its_answer_is_closed_at_its_first_click(here) -> None:
    here.slack.faults.add("chat.postMessage", drop_reply=True, times=1)
    asked = await here.ask()
    await here.card(DEPLOYS, count=2)
    lost, known = here.slack.workspace.messages(DEPLOYS)

    await here.slack.person(ANA).click(DEPLOYS, known.ts, ids.APPROVE)
    await here.shows(known, "Approved")
    await here.slack.person(BEN).click(DEPLOYS, lost.ts, ids.DENY)

    await here.shows(lost, "Approved")
    assert not has_buttons(lost)
    assert (await here.read(asked["id"]))["state"] == "approved"


async def test_fifty_clicks_of_two_people_make_one_decision_and_close_every_copy(here) -> None:
    asked = await here.ask(users=[ANA, BEN], channels=[DEPLOYS, "C07REPORTS2"])
    cards = [await here.card(channel) for channel in (DEPLOYS, "C07REPORTS2")]
    people = [here.slack.person(ANA), here.slack.person(BEN)]

    async def click(number: int):
        person, card = people[number % 2], cards[number // 2 % 2]
        action = ids.APPROVE if number % 3 else ids.DENY
        return await person.click(card.channel, card.ts, action, stale=True)

    outcomes = await asyncio.gather(*(click(number) for number in range(50)))

    assert all(outcome.ok for outcome in outcomes)
    read = await here.read(asked["id"], wait=5)
    assert read["state"] in {"approved", "denied"}
    assert len(read["votes"]) == 1
    await here.slack.wait_for(lambda _: sum(len(person.ephemerals()) for person in people) == 49)
    assert all("lready" in plain(note) for person in people for note in person.ephemerals())
    copies = [*cards, *(here.slack.workspace.messages(here.slack.workspace.dm(p.id).id)[0] for p in people)]
    for copy in copies:
        await here.slack.wait_for(lambda _, copy=copy: not has_buttons(copy))
