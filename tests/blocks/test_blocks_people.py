"""Who is named, who is pinged, and how long something took."""

from dataclasses import replace
from datetime import timedelta

import pytest

from blocks import approval, fallback, limits, modal, notices, outcome, pending, people, plain, question, richtext
from blocks.surface import Block, Paint
from store.types import Actor, ActorKind, Answer, Approval, Approvers, Course, Hop, Question, Resumption, Risk, State
from tests.blocks import cases, gallery_running
from tests.blocks.cases import ANA, BEN, CHIDI, DANA, DECIDED, GROUP, NAMES, PAINT, options, questions
from tests.blocks.gallery import APPROVED, WHERE


def said(parts: list[Block]) -> str:
    return "".join(part.get("text") or f"@{part.get('user_id') or part.get('usergroup_id')}" for part in parts)


@pytest.mark.parametrize("forged", ["<!channel>", "U1|x", "here", "", "U07ana", "U07\nX"])
def test_an_id_that_is_none_mentions_nobody(forged: str) -> None:
    by = Actor(kind=ActorKind.SLACK_USER, id=forged)

    assert [part["type"] for part in people.actor(by)] == ["text"]
    assert richtext.user(forged)["type"] == richtext.usergroup(forged)["type"] == "text"
    assert "<" not in fallback.who(by)
    assert "<" not in fallback.mention(forged)


def test_a_key_that_decided_is_named_as_a_key() -> None:
    by = Actor(kind=ActorKind.API_KEY, id="key_1", name="ci-<!here>")
    card = approval.card(cases.approval(**APPROVED | {"resolved_by": by}), PAINT)

    assert said(people.actor(by)) == "key ci-<!here>"
    assert card.text.startswith("Approved by key ci-&lt;!here&gt;, ")


def test_ten_people_are_named_and_the_rest_counted() -> None:
    crowd = Approvers(users=tuple(f"U{n}" for n in range(13)))

    assert said(people.approvers(crowd, Paint())).endswith("@U8, @U9 and 3 more")


def test_who_gets_a_copy_is_named_without_a_second_ping() -> None:
    who = people.approvers(Approvers(users=(ANA, BEN)), Paint(names=NAMES, dm_users=frozenset({ANA})))

    assert said(who) == f"Ana Ruiz or @{BEN}"


def test_a_card_that_must_not_ping_names_everybody_in_plain_words() -> None:
    who = people.approvers(Approvers(users=(ANA,), groups=(GROUP,)), Paint(names=NAMES, mention=False))

    assert {part["type"] for part in who} == {"text"}
    assert said(who) == "Ana Ruiz or @oncall-leads"


def test_more_than_two_deciders_are_counted() -> None:
    assert said(people.actors([cases.person(f"U{n}") for n in range(4)])) == "@U0, @U1 and 2 more"


def test_where_no_person_asked_the_key_did() -> None:
    assert people.asker(cases.approval(requested_by=None), {}) == "report-bot"
    assert people.asker(cases.approval(), {}) == cases.DANA


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(seconds=1), "1 second"),
        (timedelta(seconds=59.9), "59 seconds"),
        (timedelta(minutes=16, seconds=50), "16 minutes"),
        (timedelta(hours=2), "2 hours"),
        (timedelta(hours=1, minutes=1), "1 hour 1 minute"),
        (timedelta(days=3, hours=5), "3 days"),
        (timedelta(seconds=-5), "0 seconds"),
    ],
)
def test_a_length_is_said_in_its_two_largest_units(length: timedelta, words: str) -> None:
    assert people.duration(length) == words


def test_a_run_that_pulls_has_no_button_to_wake_it() -> None:
    stuck = cases.approval(**APPROVED, resumption=Resumption(stuck_at=DECIDED))
    card = approval.card(stuck, PAINT)

    assert "Approved, but no run picked it up" in card.text
    assert card.blocks[-1]["type"] == "context"


def test_an_approval_nobody_claimed_in_time_lapses_where_the_painter_says_so() -> None:
    card = approval.card(cases.approval(**APPROVED), Paint(lapsed=True))

    assert card.text.startswith("Approved but not started in time, nothing ran: ")


def test_a_late_click_on_a_skipped_question_says_skipped() -> None:
    skipped = questions(
        Question(id="q", prompt="p", options=options("a")),
        state=State.ANSWERED,
        resolved_at=DECIDED,
        resolved_by=cases.person(ANA),
        answers={"q": Answer(is_skipped=True)},
    )

    assert notices.already(skipped, clicker=BEN).text == "Already skipped: nothing changed."


def test_a_form_ends_in_the_words_of_the_reply_under_a_fitting_title() -> None:
    refused = modal.ended(notices.not_allowed(Approvers(users=(ANA,))), typed="Not now.")

    assert refused.title == "Not yours to decide"
    assert refused.submit is None
    assert refused.payload()["blocks"][0]["elements"][-1]["elements"][0]["text"] == "Not now."


def test_a_refusal_by_slack_is_explained_by_its_cause() -> None:
    causes = ["not_in_channel", "is_archived", "restricted_action_read_only_channel", "user_disabled", "invalid_blocks"]
    advice = {
        said(card.blocks[0]["elements"][1]["elements"]) for card in (cases.failed_card(cause) for cause in causes)
    }

    assert len(advice) == len(causes)


def test_a_set_without_a_title_is_called_by_its_first_question_wherever_it_is_named() -> None:
    asked = questions(*(Question(id=f"q{n}", prompt=f"Which  region {n}?") for n in range(4)), title="")
    row = pending.row_blocks("row", pending.Row(interaction=asked, can_decide=True), {})
    told = outcome.dm_requester(replace(asked, state=State.EXPIRED), link="https://acme.slack.com/x")

    assert row[0]["elements"][0]["elements"][0]["text"] == "Which region 0?"
    assert row[1]["elements"][0]["accessibility_label"] == "Answer: Which region 0?"
    assert question.card(asked, PAINT).text == "4 questions: Which region 0?"
    assert modal.show_all(asked, WHERE).blocks[0]["elements"][0]["elements"][0]["text"] == "Which region 0?"
    assert said(told.blocks[0]["elements"][0]["elements"]).endswith("Expired: Which region 0?")
    assert told.text == "Expired: Which region 0?"


def test_who_asked_is_not_waited_for_where_somebody_else_decides() -> None:
    hop = Hop(at=DECIDED, users=(DANA, CHIDI))
    asked = cases.approval(approvers=Approvers(users=(ANA, DANA)), course=Course(hops=(hop,)), requested_by=DANA)
    allowed = replace(asked, approvers=replace(asked.approvers, allow_requester=True))

    assert _state_of(asked).startswith(f"Waiting for @{ANA} or @{CHIDI}, until ")
    assert _state_of(asked).endswith(f" @{CHIDI} may decide too.")
    assert _state_of(allowed).startswith(f"Waiting for @{ANA}, @{DANA} or @{CHIDI}, until ")
    assert said(people.approvers(asked.deciders, PAINT)) == f"@{ANA} or @{CHIDI}"


def test_a_step_that_added_nobody_who_may_decide_is_not_told() -> None:
    hop = Hop(at=DECIDED, users=(DANA,))
    asked = cases.approval(approvers=Approvers(users=(ANA,)), course=Course(hops=(hop,)), requested_by=DANA)

    assert "may decide too" not in _state_of(asked)


def _state_of(asked: Approval) -> str:
    line = approval.card(asked, PAINT).blocks[1]["elements"][0]["elements"]
    return said([part for part in line if part["type"] != "emoji"]).lstrip()


def test_who_asked_alone_hears_that_nobody_else_may() -> None:
    note = notices.own_request(Approvers(), DANA)

    assert said(note.blocks[0]["elements"][0]["elements"]) == (
        "You asked for this yourself, and nobody else is named who may decide it. Nothing changed."
    )


def test_who_withdrew_it_themselves_reads_so() -> None:
    mine = cases.approval(state=State.WITHDRAWN, resolved_at=DECIDED, resolved_by=cases.person(DANA))
    note = notices.already(mine, clicker=DANA)

    assert said(note.blocks[0]["elements"][0]["elements"]).startswith("You already withdrew this ")
    assert note.text == "You already withdrew this."


def test_high_risk_is_said_in_words_wherever_it_is_decided() -> None:
    risky = cases.approval(risk=Risk.HIGH)
    row = pending.row_blocks("row", pending.Row(interaction=risky, can_decide=True), {})

    assert "High-risk approval" in str(row[0])
    assert "High risk. " in str(modal.review(risky, WHERE).blocks[0])
    assert plain.card(risky, Paint()).blocks[-1]["elements"][0]["style"] == "danger"


def test_where_a_reason_is_needed_the_smallest_card_asks_for_one_too() -> None:
    needs = cases.approval(approvers=Approvers(users=(ANA,), require_reason=True))

    row = plain.card(needs, Paint()).blocks[-1]["elements"]

    assert [one["text"]["text"] for one in row if one["type"] == "button"] == ["Review and approve…", "Deny…"]


def test_the_smallest_card_of_a_silent_run_lets_an_operator_say_what_happened() -> None:
    row = plain.card(gallery_running.unknown(), Paint()).blocks[-1]["elements"]

    assert [one["text"]["text"] for one in row] == ["It happened", "It did not happen"]


def test_the_smallest_card_names_ten_people_and_counts_the_others() -> None:
    crowd = Approvers(users=tuple(f"U{place}" for place in range(15)))
    many = cases.approval(approvers=crowd)
    names = dict.fromkeys(crowd.users, "&" * 80)

    drawn, named = plain.card(many, Paint(names=names)), plain.words(many, Paint(names=names))

    assert sum(part["type"] == "user" for part in drawn.blocks[1]["elements"][0]["elements"]) == 10
    assert named.blocks[1]["elements"][0]["text"].endswith("… and 5 more.")
    assert limits.cost(named.blocks[1]["elements"][0]["text"]) < limits.TEXT


def test_who_asked_for_a_thread_that_is_not_there_is_told_what_to_do() -> None:
    told = str(cases.failed_card("cannot_reply_to_message").blocks)

    assert "no such thread" in told
    assert "cannot_reply_to_message" not in told


def test_the_line_of_an_outcome_pings_who_asked_and_nobody_else() -> None:
    denied = cases.approval(**APPROVED | {"state": State.DENIED})
    by_key = replace(denied, resolved_by=Actor(kind=ActorKind.API_KEY, id="key_1", name="ci-<@U07BEN9D1MT>"))

    told = outcome.thread_outcome(denied, mention=DANA, names=NAMES)
    unknown = outcome.thread_outcome(denied, mention=DANA)
    keyed = outcome.thread_outcome(by_key, mention=DANA)

    assert said(told.blocks[0]["elements"][0]["elements"]) == f"@{DANA} Denied by Ana Ruiz."
    assert told.text == f"<@{DANA}> Denied by Ana Ruiz: Deploy api 1.4.2 to production"
    assert said(unknown.blocks[0]["elements"][0]["elements"]) == f"@{DANA} Denied."
    assert keyed.text.startswith(f"<@{DANA}> Denied by key ci-&lt;@U07BEN9D1MT&gt;: ")
