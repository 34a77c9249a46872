"""Questions in the message: buttons, menus, multi-selects, text, own answers, several at once."""

from blocks import ids
from tests.e2e.house import ANA, BEN, REPORTS, has_buttons, plain

ONE = {"id": "first", "prompt": "Which region goes first?", "options": [
    {"id": "eu", "label": "eu-west"}, {"id": "us", "label": "us-east"}, {"id": "ap", "label": "ap-south"},
]}  # fmt: skip


async def test_a_button_answers_a_single_question(here) -> None:
    asked = await here.ask_question(questions=[ONE])
    card = await here.card(REPORTS)

    clicked = await here.slack.person(ANA).click(REPORTS, card.ts, ids.suffixed(ids.PICK, 1))

    assert clicked.ok
    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["answers"]) == (
        "answered",
        {"first": {"is_skipped": False, "value": "us-east", "option_ids": ["us"]}},
    )
    await here.shows(card, "Answered")
    assert not has_buttons(card)


async def test_a_multi_select_answer_is_a_list_in_the_order_chosen(here) -> None:
    asked = await here.ask_question()
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)

    ana.fill(REPORTS, card.ts, ids.VALUE, ["2", "0"])
    await ana.click(REPORTS, card.ts, ids.SUBMIT)

    answer = (await here.read(asked["id"], wait=5))["answers"]["regions"]
    assert sorted(answer["value"]) == ["Europe", "Japan"]
    assert isinstance(answer["value"], list)


async def test_an_untouched_default_counts_as_chosen(here) -> None:
    regions = {**REGION, "default": ["eu", "jp"]}
    asked = await here.ask_question(questions=[regions])
    card = await here.card(REPORTS)

    await here.slack.person(ANA).click(REPORTS, card.ts, ids.SUBMIT)

    assert (await here.read(asked["id"], wait=5))["answers"]["regions"]["option_ids"] == ["eu", "jp"]


async def test_an_incomplete_submit_names_the_question_and_keeps_waiting(here) -> None:
    needed = {**REGION, "is_skippable": False}
    asked = await here.ask_question(questions=[needed])
    card = await here.card(REPORTS)

    await here.slack.person(ANA).click(REPORTS, card.ts, ids.SUBMIT)

    notes = await here.slack.wait_for(lambda _: here.slack.person(ANA).ephemerals(REPORTS))
    assert "Not submitted yet" in plain(notes[0])
    assert "Which regions go into the report?" in plain(notes[0])
    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_skip_is_an_answer_of_its_own(here) -> None:
    asked = await here.ask_question()
    card = await here.card(REPORTS)

    await here.slack.person(ANA).click(REPORTS, card.ts, ids.SKIP)

    assert (await here.read(asked["id"], wait=5))["answers"] == {"regions": {"is_skipped": True}}
    await here.shows(card, "Skipped")


async def test_an_own_answer_goes_through_its_form(here) -> None:
    asked = await here.ask_question(questions=[{**ONE, "allow_other": True}])
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)

    await ana.click(REPORTS, card.ts, ids.OTHER)
    await here.slack.wait_for(lambda _: ana.modal)
    sent = await ana.submit(state={ids.other_block(0): {ids.TEXT: "sa-east"}})

    assert sent.ok
    answer = (await here.read(asked["id"], wait=5))["answers"]["first"]
    assert (answer["value"], answer["other"]) == ("sa-east", "sa-east")


async def test_several_questions_are_answered_at_once(here) -> None:
    currency = {"id": "currency", "prompt": "Which currency?", "options": [
        {"id": name, "label": name.upper()} for name in ("eur", "usd", "inr", "jpy", "brl", "chf")
    ]}  # fmt: skip
    sentence = {"id": "lead", "prompt": "A sentence for the top?", "is_skippable": True}
    asked = await here.ask_question(questions=[REGION, currency, sentence], title="Weekly report")
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)

    ana.fill(REPORTS, card.ts, ids.VALUE, ["1"], block_id=ids.question_block(0))
    await ana.click(REPORTS, card.ts, ids.SUBMIT)
    notes = await here.slack.wait_for(lambda _: ana.ephemerals(REPORTS))
    assert "Which currency?" in plain(notes[0])
    ana.fill(REPORTS, card.ts, ids.VALUE, "0", block_id=ids.question_block(1))
    await ana.click(REPORTS, card.ts, ids.SUBMIT)

    answers = (await here.read(asked["id"], wait=5))["answers"]
    assert (answers["regions"]["value"], answers["currency"]["value"]) == (["United States"], "EUR")
    assert answers["lead"] == {"is_skipped": True}


async def test_only_respondents_answer(here) -> None:
    asked = await here.ask_question(questions=[ONE])
    card = await here.card(REPORTS)
    ben = here.slack.person(BEN)

    await ben.click(REPORTS, card.ts, ids.suffixed(ids.PICK, 0))

    notes = await here.slack.wait_for(lambda _: ben.ephemerals(REPORTS))
    assert "You cannot" in plain(notes[0])
    assert (await here.read(asked["id"]))["state"] == "pending"


REGION = {
    "id": "regions",
    "prompt": "Which regions go into the report?",
    "multiple": True,
    "is_skippable": True,
    "options": [
        {"id": name, "label": label}
        for name, label in [
            ("eu", "Europe"),
            ("us", "United States"),
            ("jp", "Japan"),
            ("in", "India"),
            ("la", "Latin America"),
            ("cn", "China"),
        ]
    ],
}
