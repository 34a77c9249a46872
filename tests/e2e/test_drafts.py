"""A form that is closed opens again as it was left, for who left it, as long as it waits."""

import json

import pytest

from blocks import ids
from tests.e2e.house import ANA, BEN, CHIDI, DEPLOYS, REPORTS

FAR = [{"id": f"c{n}", "label": f"Customer {n}"} for n in range(300)]
PLANS = [{"id": "team", "label": "Team"}, {"id": "business", "label": "Business"}]
ASKED = [
    {"id": "plan", "prompt": "Which plan?", "options": PLANS, "allow_other": True},
    {"id": "customers", "prompt": "Which customers?", "options": FAR, "multiple": True, "default": ["c7"]},
    {"id": "zones", "prompt": "Which zones?", "multiple": True, "default": ["z0", "z2"], "is_skippable": True,
     "options": [{"id": f"z{n}", "label": f"Zone {n}"} for n in range(8)]},
    {"id": "said", "prompt": "What do we tell them?", "default": ["Soon."]},
]  # fmt: skip
BOTH = {"users": [ANA, BEN]}


async def ask(here, **changes):
    return await here.ask_question(questions=ASKED, title="Onboard Northwind", respondents=BOTH, **changes)


async def opened(here, person, *, action=ids.FORM, channel=REPORTS):
    card = await here.card(channel)
    someone = here.slack.person(person)
    await someone.click(channel, card.ts, action)
    await here.slack.wait_for(lambda _: someone.modal)
    return someone


def shown(someone) -> dict:
    """By block: what its input holds from the start."""
    blocks = [block for block in someone.modal.blocks if block["type"] == "input"]
    return {block["block_id"]: _initial(block["element"]) for block in blocks}


def _initial(element):
    if "initial_value" in element:
        return element["initial_value"]
    one = element.get("initial_option")
    return one["text"]["text"] if one else [option["text"]["text"] for option in element.get("initial_options", [])]


def is_kept(someone) -> bool:
    return "Filled in as you left it." in json.dumps(someone.modal.content)


async def test_what_was_entered_is_there_again_and_is_submitted(here) -> None:
    asked = await ask(here)
    ana = await opened(here, ANA)
    assert not is_kept(ana)
    assert shown(ana) == {
        "q.0": [],
        "q.0.other": [],
        "q.1": ["Customer 7"],
        "q.2": ["Zone 0", "Zone 2"],
        "q.3": "Soon.",
    }
    search = ids.suffixed(ids.VALUE, asked["id"])
    found = (await ana.options(search, block_id="q.1", query="customer 29")).options
    # Each is told as it is made; the last two by the state of the ones before and after.
    await ana.enter_view(ids.VALUE, "1", block_id="q.0")
    await ana.enter_view(search, [found[1]["value"], "7"], block_id="q.1")
    await ana.enter_view(ids.VALUE, [], block_id="q.2")
    sent = await ana.enter_view(ids.TEXT, "Tomorrow & <soon>.", block_id="q.3")
    assert (sent.status, sent.body) == (200, "")

    await ana.close()
    ana = await opened(here, ANA)

    assert is_kept(ana)
    assert shown(ana) == {
        "q.0": "Business",
        "q.0.other": [],
        "q.1": ["Customer 7", found[1]["text"]["text"]],
        "q.2": [],
        "q.3": "Tomorrow & <soon>.",
    }
    assert (await here.read(asked["id"]))["state"] == "pending"
    assert ana.notices == []
    assert (await ana.submit()).ok
    answers = (await here.read(asked["id"], wait=5))["answers"]
    assert answers["plan"]["value"] == "Business"
    assert answers["customers"]["option_ids"] == ["c7", f"c{found[1]['value']}"]
    assert answers["zones"]["is_skipped"]
    assert answers["said"]["value"] == "Tomorrow & <soon>."


async def test_what_was_taken_back_stays_taken_back(here) -> None:
    await ask(here)
    ana = await opened(here, ANA)
    await ana.enter_view(ids.VALUE, "0", block_id="q.0")
    await ana.enter_view(ids.TEXT, "mine", block_id="q.0.other")
    await ana.enter_view(ids.VALUE, None, block_id="q.0")
    await ana.enter_view(ids.TEXT, None, block_id="q.3")
    await ana.close()

    ana = await opened(here, ANA)

    assert (shown(ana)["q.0"], shown(ana)["q.0.other"], shown(ana)["q.3"]) == ([], "mine", [])
    await ana.enter_view(ids.TEXT, None, block_id="q.0.other")
    await ana.close()
    assert shown(await opened(here, ANA))["q.0.other"] == []


async def test_text_whose_own_message_was_lost_comes_with_the_next_one(here) -> None:
    await ask(here)
    ana = await opened(here, ANA)
    ana.fill_view(ids.TEXT, "unheard", block_id="q.3")
    await ana.enter_view(ids.VALUE, "0", block_id="q.0")
    await ana.close()

    assert shown(await opened(here, ANA))["q.3"] == "unheard"


async def test_two_people_have_a_draft_each(here) -> None:
    await ask(here)
    ana, ben = await opened(here, ANA), await opened(here, BEN)
    await ana.enter_view(ids.VALUE, "0", block_id="q.0")
    await ben.enter_view(ids.VALUE, "1", block_id="q.0")
    await ben.enter_view(ids.TEXT, "of Ben", block_id="q.3")
    for one in (ana, ben):
        await one.close()

    ana, ben = await opened(here, ANA), await opened(here, BEN)

    assert (shown(ana)["q.0"], shown(ana)["q.3"]) == ("Team", "Soon.")
    assert (shown(ben)["q.0"], shown(ben)["q.3"]) == ("Business", "of Ben")


async def test_a_draft_ends_with_what_it_was_for(here) -> None:
    asked = await ask(here)
    of = {"tenant": "default", "interaction_id": asked["id"]}
    ana, ben = await opened(here, ANA), await opened(here, BEN)
    for one in (ana, ben):
        await one.enter_view(ids.VALUE, "0", block_id="q.0")
    assert await here.house.store.find_draft(**of, person=BEN) is not None
    assert (await ana.submit()).ok
    await here.read(asked["id"], wait=5)

    late = await ben.enter_view(ids.VALUE, "1", block_id="q.0")

    assert (late.status, late.body, ben.notices) == (200, "", [])
    assert [await here.house.store.find_draft(**of, person=person) for person in (ANA, BEN)] == [None, None]
    assert await here.house.store.drop_drafts() == 2


@pytest.mark.parametrize("person", [ANA, BEN])
async def test_a_reason_that_was_begun_is_kept(here, person) -> None:
    asked = await here.ask()
    someone = await opened(here, person, action=ids.DENY_REASON, channel=DEPLOYS)
    await someone.enter_view(ids.TEXT, "Freeze until Monday.")
    await someone.close()

    someone = await opened(here, person, action=ids.DENY_REASON, channel=DEPLOYS)

    assert is_kept(someone)
    assert shown(someone) == {ids.REASON_BLOCK: "Freeze until Monday."}
    assert (await someone.submit()).ok
    assert (await here.read(asked["id"], wait=5))["feedback"] == "Freeze until Monday."


async def test_an_answer_of_ones_own_that_was_begun_is_kept(here) -> None:
    asked = await here.ask_question(questions=[ASKED[0]])
    ana = await opened(here, ANA, action=ids.OTHER)
    await ana.enter_view(ids.TEXT, "Enterprise")
    await ana.close()

    ana = await opened(here, ANA, action=ids.OTHER)

    assert shown(ana) == {"q.0.other": "Enterprise"}
    assert (await ana.submit()).ok
    assert (await here.read(asked["id"], wait=5))["answers"]["plan"]["value"] == "Enterprise"


@pytest.mark.parametrize(
    "tampered",
    [
        {"value": "99999999999999999999"},
        {"value": "-1"},
        {"value": "٣"},
        {"value": "NaN"},
        {"block_id": "q.99999"},
        {"block_id": "q.x"},
        {"action_id": "so.value.qst_someoneelse"},
    ],
)
async def test_what_no_form_of_ours_sends_keeps_nothing_and_says_nothing(here, tampered) -> None:
    asked = await ask(here)
    ana = await opened(here, ANA)
    given = {"action_id": ids.VALUE, "value": "0", "block_id": "q.0", **tampered}

    sent = await ana.click_view(**given, forge=True)

    assert (sent.status, sent.body, ana.notices) == (200, "", [])
    draft = await here.house.store.find_draft(tenant="default", interaction_id=asked["id"], person=ANA)
    assert draft is None or draft.chosen in ({}, {0: ()})
    await ana.close()
    assert shown(await opened(here, ANA))["q.0"] == []


async def test_nobody_reads_the_draft_of_another_by_opening_their_form(here) -> None:
    await ask(here)
    ana = await opened(here, ANA)
    await ana.enter_view(ids.TEXT, "of Ana alone", block_id="q.3")
    card = await here.card(REPORTS)
    chidi = here.slack.person(CHIDI)

    await chidi.click(REPORTS, card.ts, ids.FORM)

    await here.slack.wait_for(lambda _: chidi.ephemerals(REPORTS))
    assert chidi.modal is None
    assert "of Ana alone" not in json.dumps((await opened(here, BEN)).modal.content)
