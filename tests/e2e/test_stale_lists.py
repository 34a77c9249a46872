"""Private lists and Home are no copies of a card: a click that comes too late in one of them draws it anew."""

import pytest

from blocks import ids
from tests.e2e.house import ANA, BEN, DEPLOYS, GENERAL, has_buttons, plain

LONG = {"details": "\n".join(f"~ module.region[{number}]" for number in range(60))}
REGION = {"id": "region", "prompt": "Which region goes first, and why?"}


async def listed_late(here, asked):
    """Ana's list from before it was withdrawn."""
    ana = here.slack.person(ANA)
    await ana.command(GENERAL, "/pending")
    await withdraw(here, asked)
    return ana, ana.ephemerals(GENERAL)[-1]


async def withdraw(here, asked) -> None:
    assert (await here.api("POST", f"/v1/interactions/{asked['id']}/withdraw", {})).json["withdrawn"]


@pytest.mark.parametrize("action", [ids.REVIEW, ids.DENY_REASON])
async def test_a_form_that_a_list_cannot_open_any_more_takes_its_row_away(here, action) -> None:
    ana, listed = await listed_late(here, await here.ask(**LONG))

    await ana.click(GENERAL, listed.ts, action)

    await here.slack.wait_for(lambda _: any("Already withdrawn" in plain(note) for note in ana.ephemerals(GENERAL)))
    await here.slack.wait_for(lambda _: any("Nothing waits for you." in plain(one) for one in ana.ephemerals(GENERAL)))
    assert not any(has_buttons(one) for one in ana.ephemerals(GENERAL))


@pytest.mark.parametrize(("question", "action"), [(REGION, ids.FORM)])
async def test_a_question_that_is_over_leaves_the_list_too(here, question, action) -> None:
    ana, listed = await listed_late(here, await here.ask_question(questions=[question]))

    await ana.click(GENERAL, listed.ts, action)

    await here.slack.wait_for(lambda _: any("Nothing waits for you." in plain(one) for one in ana.ephemerals(GENERAL)))


async def test_a_page_of_a_review_that_was_settled_meanwhile_says_so_in_its_place(here) -> None:
    asked = await here.ask(details="\n".join(f"~ module.region[{number}]" for number in range(200)))
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)
    await ana.click(DEPLOYS, card.ts, ids.REVIEW)
    await here.slack.wait_for(lambda _: ana.modal)
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY)
    await here.read(asked["id"], wait=5)

    await ana.click_view(ids.suffixed(ids.PAGE, "next"))

    await here.slack.wait_for(lambda _: "Already denied" in str(ana.modal.content))
    assert "Your click changed nothing." in str(ana.modal.content)
    assert ana.modal.content.get("submit") is None
