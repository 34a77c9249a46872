"""Questions that a message cannot hold: forms, and menus that are searched."""

import pytest

from blocks import ids
from tests.e2e.house import ANA, BEN, CHIDI, ONCALL, REGIONS, REPORTS, has_buttons, plain

CUSTOMERS = {
    "id": "customer",
    "prompt": "Which customer does this ticket belong to?",
    "options": [{"id": f"c{n}", "label": f"Customer {n}"} for n in range(999)] + [{"id": "nw", "label": "Northwind"}],
}
WORDS = [{"id": f"w{n}", "prompt": f"Word number {n}?"} for n in range(3)]
PLAN = {"id": "plan", "prompt": "Which plan?", "allow_other": True, "options": [
    {"id": "team", "label": "Team"}, {"id": "business", "label": "Business"},
]}  # fmt: skip


def labels(options) -> list[str]:
    return [option["text"]["text"] for option in options]


async def searching(here, asked, person=ANA, *, query="", place=0):
    card = await here.card(REPORTS)
    menu = ids.suffixed(ids.VALUE, asked["id"])
    block = ids.question_block(place)
    return await here.slack.person(person).options(menu, channel=REPORTS, ts=card.ts, block_id=block, query=query)


async def opened(here, asked, person=ANA):
    """The form of a set, filled in with what it shows."""
    card = await here.card(REPORTS)
    someone = here.slack.person(person)
    await someone.click(REPORTS, card.ts, ids.FORM)
    await here.slack.wait_for(lambda _: someone.modal and someone.modal.content["callback_id"] == ids.VIEW_FORM)
    return someone


async def test_many_questions_are_answered_in_a_form_and_errors_stand_at_their_inputs(here) -> None:
    asked = await here.ask_question(questions=[PLAN, *WORDS], title="Onboard Northwind")
    card = await here.card(REPORTS)
    assert "Onboard Northwind: 4 questions" in plain(card)
    assert "Word number 2?" in plain(card)
    ana = await opened(here, asked)
    ana.fill_view(ids.VALUE, "1", block_id="q.0")
    ana.fill_view(ids.TEXT, "mine", block_id="q.0.other")
    for place in (1, 2, 3):
        ana.fill_view(ids.TEXT, f"word {place}", block_id=ids.question_block(place))

    refused = await ana.submit()

    assert refused.errors == {"q.0": "Choose one or write your own, not both."}
    assert (await here.read(asked["id"]))["state"] == "pending"
    ana.fill_view(ids.TEXT, None, block_id="q.0.other")
    await ana.submit()
    answers = (await here.read(asked["id"], wait=5))["answers"]
    assert [answer["value"] for answer in answers.values()] == ["Business", "word 1", "word 2", "word 3"]
    assert ana.modal is None
    await here.shows(card, "Answered")
    assert not has_buttons(card)


async def test_a_form_names_who_asked_as_the_card_does(here, owned_token) -> None:
    body = {**REGIONS, "questions": [PLAN, *WORDS]}
    asked = await here.api("POST", "/v1/questions", body, token=owned_token)
    card = await here.card(REPORTS)
    assert "Asked by Dana Whitfield" in plain(card)

    ana = await opened(here, asked.json)

    first, *_ = ana.modal.content["blocks"]
    assert [row["elements"][0]["text"] for row in first["elements"]] == ["Asked by Dana Whitfield."]


async def test_closing_the_form_keeps_waiting(here) -> None:
    asked = await here.ask_question(questions=[PLAN, *WORDS], title="Onboard")
    ana = await opened(here, asked)

    await ana.close()

    assert (await here.read(asked["id"]))["state"] == "pending"
    await opened(here, asked)


async def test_a_form_that_comes_too_late_says_who_answered(here) -> None:
    respondents = {"users": [ANA, BEN]}
    asked = await here.ask_question(questions=[PLAN, *WORDS], title="Onboard", respondents=respondents)
    ana, ben = await opened(here, asked), await opened(here, asked, BEN)
    for one in (ana, ben):
        one.fill_view(ids.VALUE, "0", block_id="q.0")
        for place in (1, 2, 3):
            one.fill_view(ids.TEXT, f"by {one.id}", block_id=ids.question_block(place))
    await ana.submit()

    await ben.submit()

    assert "Already answered" in str(ben.modal.content)
    assert (await here.read(asked["id"]))["resolved_by"]["id"] == ANA


async def test_a_form_of_very_much_opens_small_and_is_filled(here) -> None:
    long = [{"id": f"o{n}", "label": f"{'long ' * 16}{n}"} for n in range(100)]
    asked = await here.ask_question(
        questions=[{"id": f"q{n}", "prompt": f"Question {n}", "options": long} for n in range(20)], title="Everything"
    )
    ana = await opened(here, asked)

    kinds = {block["element"]["type"] for block in ana.modal.content["blocks"] if block["type"] == "input"}
    assert kinds == {"external_select"}
    found = await ana.options(ids.suffixed(ids.VALUE, asked["id"]), block_id="q.19", query="long")
    assert len(found.options) == 100
    await ana.click_view(ids.SHOW_ALL)
    await here.slack.wait_for(lambda _: len(ana.modals) == 2 and ana.modal.content["callback_id"] == ids.VIEW_SHOW_ALL)
    await ana.close()
    assert ana.modal.content["callback_id"] == ids.VIEW_FORM


async def test_a_thousand_options_are_searched_and_one_is_the_answer(here) -> None:
    asked = await here.ask_question(questions=[CUSTOMERS])

    found = await searching(here, asked, query="NORTH")

    assert found.ok  # within the three seconds that Slack gives
    assert labels(found.options) == ["Northwind"]
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)
    ana.fill(REPORTS, card.ts, ids.suffixed(ids.VALUE, asked["id"]), found.options[0]["value"])
    await ana.click(REPORTS, card.ts, ids.SUBMIT)
    answer = (await here.read(asked["id"], wait=5))["answers"]["customer"]
    assert (answer["value"], answer["option_ids"]) == ("Northwind", ["nw"])


async def test_several_of_a_thousand_options_are_the_answer(here) -> None:
    asked = await here.ask_question(questions=[{**CUSTOMERS, "multiple": True}])
    all_of = await searching(here, asked)
    one = await searching(here, asked, query="northwind")
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)

    chosen = [one.options[0]["value"], all_of.options[3]["value"]]
    ana.fill(REPORTS, card.ts, ids.suffixed(ids.VALUE, asked["id"]), chosen)
    await ana.click(REPORTS, card.ts, ids.SUBMIT)

    assert len(all_of.options) == 100
    answer = (await here.read(asked["id"], wait=5))["answers"]["customer"]
    assert answer["value"] == ["Customer 3", "Northwind"]


@pytest.mark.parametrize(
    ("respondents", "inside", "outside"), [({"users": [ANA]}, ANA, BEN), ({"groups": [ONCALL]}, CHIDI, ANA)]
)
async def test_only_who_may_answer_is_told_what_there_is_to_choose(here, respondents, inside, outside) -> None:
    asked = await here.ask_question(questions=[CUSTOMERS], respondents=respondents)

    found = {who: await searching(here, asked, who, query="north") for who in (inside, outside)}

    assert labels(found[inside].options) == ["Northwind"]
    assert found[outside].ok
    assert found[outside].options == []


async def test_a_question_that_is_over_offers_nothing(here) -> None:
    asked = await here.ask_question(questions=[{**CUSTOMERS, "is_skippable": True}], respondents={"users": [ANA, BEN]})
    card = await here.card(REPORTS)
    menu = ids.suffixed(ids.VALUE, asked["id"])
    here.slack.faults.add("chat.update", error="internal_error")
    await here.slack.person(ANA).click(REPORTS, card.ts, ids.SKIP)

    found = await here.slack.person(BEN).options(menu, channel=REPORTS, ts=card.ts, query="north")

    assert found.ok
    assert found.options == []
