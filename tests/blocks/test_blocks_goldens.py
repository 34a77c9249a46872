"""Each card as it was looked at and found right. After a wanted change: `python -m tests.blocks.gallery`, then review."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from blocks import ids, limits
from blocks.surface import Message
from sandbox.validate import check
from tests.blocks.gallery import CARDS, gallery, messages, views

DRAWN = gallery()


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_a_card_is_the_one_that_was_reviewed(name: str) -> None:
    reviewed = json.loads((CARDS / f"{name}.json").read_text(encoding="utf-8"))

    assert DRAWN[name] == reviewed


def test_every_golden_belongs_to_a_card() -> None:
    assert {path.stem for path in CARDS.glob("*.json")} == set(DRAWN)


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_slacks_rules_accept_each_card_as_sent_and_as_stored(name: str) -> None:
    payload = DRAWN[name]

    problems = check.view(payload) if "type" in payload else check.blocks(payload["blocks"], stored=True)

    assert problems == []


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_no_block_holds_mrkdwn_and_nothing_is_null(name: str) -> None:
    written = json.dumps(DRAWN[name])

    assert "mrkdwn" not in written
    assert "null" not in written


@pytest.mark.parametrize("name", sorted(messages()))
def test_a_message_stays_within_its_budget(name: str) -> None:
    message = messages()[name]

    assert isinstance(message, Message)
    assert limits.total(message.blocks) <= limits.MESSAGE
    assert len(message.blocks) <= limits.MESSAGE_BLOCKS
    assert len(message.text) <= limits.FALLBACK


def test_the_state_is_the_second_block_of_every_card() -> None:
    cards = {name: card for name, card in DRAWN.items() if name.startswith(("approval_", "question_"))}

    assert {card["blocks"][1]["block_id"].split(".")[0] for card in cards.values()} == {"status"}


def test_the_action_stands_above_the_words_of_the_run() -> None:
    order = [block["block_id"].split(".")[0] for block in DRAWN["approval_open"]["blocks"]]

    assert order == ["title", "status", "asked", "input", "body", "foot", "act"]


def test_facts_and_what_changed_stand_above_the_action_and_links_below_the_words_of_the_run() -> None:
    order = [block["block_id"].split(".")[0] for block in DRAWN["approval_open_facts"]["blocks"]]

    assert order == ["title", "status", "asked", "facts", "seen", "input", "body", "links", "foot", "act"]


def test_what_a_person_has_to_look_at_beside_the_action_hides_none_of_it() -> None:
    plain, given = (DRAWN[f"approval_{name}"]["blocks"] for name in ("open", "open_facts"))

    assert [b for b in given if b["block_id"] == "input.1"] == [b for b in plain if b["block_id"] == "input.1"]


def test_every_action_id_drawn_is_known_and_every_known_one_is_drawn() -> None:
    drawn = {ids.base(element["action_id"]) for payload in DRAWN.values() for element in _elements(payload)}

    assert drawn == ids.ACTIONS
    assert ids.INPUTS < ids.ACTIONS


def test_inputs_tell_what_changes_in_forms_and_never_in_messages() -> None:
    telling = {
        name: [block.get("dispatch_action", False) for block in payload["blocks"] if block["type"] == "input"]
        for name, payload in DRAWN.items()
    }
    forms = {name for name, payload in DRAWN.items() if payload.get("callback_id") in ids.FORMS}

    assert all(told and all(told) for name, told in telling.items() if name in forms)
    assert not any(any(told) for name, told in telling.items() if name not in forms)


def test_every_view_with_a_submit_button_is_known() -> None:
    assert {view.callback_id for view in views().values() if view.submit} == ids.SUBMISSIONS


def test_closed_cards_have_no_elements_unless_it_can_be_taken_back_or_the_run_is_stuck_or_silent() -> None:
    with_elements = {
        name
        for name, payload in DRAWN.items()
        if name.startswith(("approval_", "question_"))
        and any(block["type"] == "actions" for block in payload["blocks"])
    }

    assert {name for name in with_elements if "open" not in name} == {
        "approval_approved",
        "approval_approved_quorum",
        "approval_escalated",
        "approval_expiring",
        "approval_expiring_partly",
        "approval_extended",
        "approval_partly",
        "approval_partly_both",
        "approval_partly_denied",
        "approval_stuck",
        "approval_stuck_denied",
        "approval_unknown",
        "question_stuck",
    }


def test_the_words_that_the_house_does_not_use_are_not_used() -> None:
    unwanted = ("please wait", "successfully", "oops", "reject", "idempotent", "payload", "!")
    plain = {
        name: json.dumps(card) for name, card in DRAWN.items() if "hostile" not in name and "by_command" not in name
    }

    assert [(name, word) for name, card in plain.items() for word in unwanted if word in card.lower()] == []


def _elements(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if "action_id" in part:
            yield part
        for inner in part.values():
            yield from _elements(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _elements(inner)
