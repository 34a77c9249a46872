"""*Edit input…*: the fields of the input, what differs, and a run that gets exactly what was approved."""

import json

import pytest

from blocks import ids
from store.drafts import Draft
from tests.e2e.house import ANA, BEN, DEPLOY, DEPLOYS, has_buttons, plain

SCHEMA = {
    "type": "object",
    "properties": {
        "service": {"enum": ["api", "web"]},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$", "description": "Like 1.4.2"},
        "strategy": {"type": "object", "properties": {"zones": {"maximum": 9}}},
    },
    "additionalProperties": False,
}
SERVICE, VERSION, STRATEGY = (ids.field_block(place) for place in range(3))


async def opened(here, **changes):
    """An ask that may be edited, its card, and Ana before its form."""
    asked = await here.ask(input_schema=SCHEMA, **changes)
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)
    await edit(here, ana, asked, card)
    return asked, card, ana


async def edit(here, person, asked, card) -> None:
    await person.click(DEPLOYS, card.ts, ids.MORE, value=ids.encode_menu(ids.Verb.EDIT, asked["id"]))
    await here.slack.wait_for(lambda _: person.modal and person.modal.content["callback_id"] == ids.VIEW_EDIT)


async def compared(ana, version="1.4.3", **more):
    ana.fill_view(ids.TEXT, version, block_id=VERSION)
    for block, words in more.items():
        ana.fill_view(ids.TEXT, words, block_id=block)
    return await ana.submit()


async def test_a_changed_input_is_approved_after_what_differs_was_shown(here) -> None:
    asked, card, ana = await opened(here)
    await compared(ana, **{ids.WHY_BLOCK: "1.4.2 was pulled."})
    shown = plain(ana.modal)
    assert len(ana.modals) == 2
    assert (await here.read(asked["id"]))["state"] == "pending"

    await ana.submit()

    assert '- version   "1.4.2"' in shown
    assert '+ version   "1.4.3"' in shown
    assert ana.modals == []
    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["feedback"]) == ("approved", "1.4.2 was pulled.")
    assert read["edited"]["input"] == {"service": "api", "version": "1.4.3", "strategy": {"zones": 3}}
    assert read["input"]["version"] == "1.4.2"
    await here.shows(card, "Approved with changes")
    assert "1.4.2 was pulled." in plain(card)
    assert not has_buttons(card)


async def test_only_a_claim_that_means_the_changed_action_runs_it(here) -> None:
    asked, _, ana = await opened(here)
    await compared(ana)
    await ana.submit()
    read = await here.read(asked["id"], wait=5)

    as_asked = await here.claim(asked, claim_id="c1")
    as_changed = await here.claim({**asked, "digest": read["edited"]["digest"]}, claim_id="c1")

    assert (as_asked.status, as_asked.json["code"]) == (409, "digest_mismatch")
    assert as_asked.json["approval"]["edited"] == read["edited"]
    assert as_changed.json["execute"] is True
    assert as_changed.json["input"]["version"] == "1.4.3"


async def test_who_takes_whatever_was_made_of_it_gets_the_changed_input(here) -> None:
    asked, _, ana = await opened(here)
    await compared(ana)
    await ana.submit()
    await here.read(asked["id"], wait=5)

    claim = (await here.claim(asked, claim_id="c1", accept_edited=True)).json

    assert (claim["execute"], claim["input"]["version"]) == (True, "1.4.3")


@pytest.mark.parametrize(
    ("fields", "block", "words"),
    [
        ({VERSION: "next"}, VERSION, "Must match"),
        ({STRATEGY: '{"zones": 12}'}, STRATEGY, "At most 9."),
        ({STRATEGY: '{"zones": \n 3'}, STRATEGY, "Not valid JSON: line 2."),
        ({}, SERVICE, "Nothing differs"),
    ],
)
async def test_what_does_not_fit_is_said_under_its_field(here, fields, block, words) -> None:
    asked, _, ana = await opened(here)
    for name, entered in fields.items():
        ana.fill_view(ids.TEXT, entered, block_id=name)

    sent = await ana.submit()

    assert words in sent.errors[block]
    assert len(ana.modals) == 1
    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_what_was_changed_in_another_window_is_not_approved_unseen(here) -> None:
    asked, _, ana = await opened(here)
    await compared(ana, "1.4.3")
    elsewhere = Draft(typed={1_000: json.dumps({**DEPLOY["input"], "version": "1.4.4"})})
    kept = {"tenant": "default", "interaction_id": asked["id"], "person": ANA}
    assert await here.house.store.keep_draft(**kept, draft=elsewhere, at=await here.house.store.now())

    await ana.submit()

    assert "changed in another window" in str(ana.modal.content)
    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_a_changed_input_that_comes_too_late_changes_nothing(here) -> None:
    asked, card, ana = await opened(here)
    await compared(ana)
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY)

    await ana.submit()

    assert "Already denied" in str(ana.modal.content)
    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["edited"]) == ("denied", None)


async def test_a_stranger_gets_no_form(here) -> None:
    asked = await here.ask(input_schema=SCHEMA, approvers={"users": [BEN]})
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)
    await ana.click(DEPLOYS, card.ts, ids.MORE, value=ids.encode_menu(ids.Verb.EDIT, asked["id"]))

    await here.slack.wait_for(lambda _: ana.ephemerals(DEPLOYS))

    assert "You cannot decide this" in plain(ana.ephemerals(DEPLOYS)[-1])
    assert ana.modals == []


@pytest.mark.parametrize(
    "changes", [{"input_schema": None}, {"approvers": {"users": [ANA, BEN], "quorum": 2}}], ids=["no schema", "quorum"]
)
async def test_where_it_may_not_be_changed_nobody_is_offered_to(here, changes) -> None:
    await here.ask(**{"input_schema": SCHEMA, **changes})
    card = await here.card(DEPLOYS)

    assert "Edit input" not in str(card.blocks)
