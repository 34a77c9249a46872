"""Every card, note, list and form worth looking at, by name. `python -m tests.blocks.gallery` rewrites the goldens."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from blocks import approval as approvals
from blocks import editing, home, modal, notices, notices_voting, outcome, pending, plain, question
from blocks.ids import Filter, Where
from blocks.outcome import Place
from blocks.pending import Row
from blocks.surface import Message, Paint, View
from store.drafts import Draft
from store.types import (
    About,
    Answer,
    Approval,
    Approvers,
    Claim,
    Decision,
    Edited,
    Execution,
    ExecutionStatus,
    Question,
    Resume,
    ResumeKind,
    Resumption,
    Risk,
    State,
    Terms,
)
from tests.blocks import gallery_running, gallery_time
from tests.blocks.cases import (
    ANA,
    BEN,
    CHIDI,
    DANA,
    DEADLINE,
    DECIDED,
    GROUP,
    INPUT,
    LINK,
    PAINT,
    approval,
    failed_card,
    options,
    person,
    questions,
)
from tests.blocks.gallery_time import PARTLY

UNKNOWN_ROW = Row(interaction=gallery_running.unknown(), link=LINK, can_settle=True)
CARDS = Path(__file__).parent / "cards"
WHERE = Where(channel="C07DEPLOYS1", ts="1764511320.000100")
SCHEMA = """{"properties": {
    "service": {"enum": ["api", "web"]},
    "version": {"type": "string", "description": "Like 1.4.2"},
    "environment": {"enum": ["staging", "production"]}
}}"""
EDITABLE = approval(input_schema=SCHEMA, terms=Terms(may_edit=True))
EDITED = Edited(
    input_json=INPUT.replace("1.4.2", "1.4.3").replace('"zones": 3', '"zones": 1'), digest="77ab01f4" + "0" * 56
)
REGIONS = options(
    "Europe, Middle East and Africa",
    "United States and Canada",
    "Latin America",
    "India",
    "Japan and Korea",
    "Southeast Asia",
)
APPROVED: dict[str, Any] = {
    "state": State.APPROVED,
    "resolved_at": DECIDED,
    "resolved_by": person(ANA),
    "decision": Decision.ALLOW_ONCE,
}
HANDLER = Resume(kind=ResumeKind.HANDLER, target="h")
#: Told by four messages, none of which led to a claim.
TOLD_IN_VAIN = Resumption(wakes=3, told_at=DECIDED + timedelta(minutes=45), stuck_at=DECIDED + timedelta(minutes=75))
#: A receiver that answered nothing but errors.
NEVER_TOLD = Resumption(attempts=8, last_error="HTTP 503", stuck_at=DECIDED + timedelta(minutes=15))
CLAIM = Claim(claim_id="c1", at=DECIDED + timedelta(minutes=1), execute=True, worker="worker-3")
LONG_INPUT = json.dumps(
    {
        "database": "orders",
        "schema": 41,
        "statements": [f"INSERT INTO region_map VALUES ('C{n:03}')" for n in range(211)],
    }
)
STEPS = "\n".join(f"{n}. Zone {n % 3 + 1}, step {n}: drain, deploy, warm up, check, undrain." for n in range(1, 44))
HOSTILE = "Refund <!channel> *now* :fire: \u202etxt.exe & <https://acme.com|safe>"


def painted(revision: int, **changes: Any) -> Paint:
    return replace(PAINT, revision=revision, **changes)


def executed(status: ExecutionStatus, minutes: int, detail: str | None = None) -> Approval:
    at = DECIDED + timedelta(minutes=minutes)
    run = Execution(status=status, at=at, started_at=CLAIM.at, detail=detail)
    return approval(**APPROVED, claim=CLAIM, execution=run)


def long_one(**changes: Any) -> Approval:
    return approval(
        title="Migrate orders database to schema 41",
        tool_name="db.migrate",
        input_json=LONG_INPUT,
        body=None,
        **changes,
    )


def confirmation(**changes: Any) -> Approval:
    body = "- Goes to status.acme.com and to 214 subscribers.\n- Names the cause: an expired certificate."
    return approval(title="Publish the incident report", tool_name=None, input_json=None, body=body, **changes)


def hostile() -> Approval:
    return approval(
        title=HOSTILE,
        run_id="x`*_~ <!here>",
        requested_by="U07EVE00000",
        tool_name="pay<!everyone>",
        body="Click [acme.com/approve](https://evil.example/acme.com), says <!subteam^S07ONCALL01> @channel <b>now</b>",
        input_json=json.dumps(
            {"account": "DE02\u200b1203", "memo": "</code><@U07BEN9D1MT> ```", "- x\n+ y": 1}, ensure_ascii=False
        ),
    )


def regions(**changes: Any) -> Question:
    plain = Question(id="regions", prompt="Which regions go into the report?", options=REGIONS, multiple=True)
    return replace(plain, **changes)


def several() -> tuple[Question, ...]:
    currency = Question(id="currency", prompt="Which currency?", options=options("EUR", "USD", "INR"))
    sentence = Question(id="top", prompt="A sentence for the top of the report?", is_skippable=True)
    return regions(), currency, sentence


def _approvals() -> dict[str, Message]:
    drawn = _open_ones() | _decided_ones() | gallery_time.approvals()
    return {f"approval_{name}": approvals.card(*given) for name, given in drawn.items()}


def _open_ones() -> dict[str, tuple[Approval, Paint]]:
    hidden = {DANA: "Dana <!here> Whitfield", "U07EVE00000": "<@U07ANA4K2QX>"}
    changed = approval(
        supersedes="apr_old", input_json=INPUT.replace("1.4.2", "1.4.3"), title="Deploy api 1.4.3 to production"
    )
    return {
        "open": (approval(), PAINT),
        "open_high_risk": (approval(risk=Risk.HIGH), PAINT),
        "open_reason_required": (approval(approvers=Approvers(users=(ANA, BEN), require_reason=True)), PAINT),
        "open_quorum": (approval(approvers=Approvers(groups=(GROUP,), quorum=2)), PAINT),
        "open_editable": (EDITABLE, PAINT),
        "open_dm": (approval(), painted(1, dm_users=frozenset({ANA}))),
        "open_confirmation": (confirmation(), PAINT),
        "open_body_cut": (approval(body=STEPS), PAINT),
        "open_long": (long_one(), PAINT),
        "open_replacing": (changed, painted(1, replaces=approval(), replaces_link=LINK)),
        "open_hostile": (hostile(), painted(1, names=hidden)),
    }


def _decided_ones() -> dict[str, tuple[Approval, Paint]]:
    denied = {
        "state": State.DENIED,
        "resolved_by": person(BEN),
        "decision": Decision.DENY,
        "feedback": "Freeze until Monday.",
    }
    return {
        "partly": (PARTLY, painted(2)),
        "approved": (approval(**APPROVED, votes=PARTLY.votes), painted(5)),
        "approved_edited": (
            replace(EDITABLE, **APPROVED, edited=EDITED, feedback="1.4.2 was pulled an hour ago."),
            painted(5),
        ),
        "approved_quorum": (
            replace(PARTLY, **APPROVED, votes=(*PARTLY.votes, replace(PARTLY.votes[0], actor=person(BEN)))),
            painted(5),
        ),
        "stuck": (
            approval(**APPROVED, resumption=TOLD_IN_VAIN, resume=HANDLER),
            painted(6),
        ),
        "stuck_denied": (approval(**APPROVED | denied, resumption=NEVER_TOLD, resume=HANDLER), painted(6)),
        "stuck_pull": (approval(**APPROVED, resumption=Resumption(stuck_at=DECIDED)), painted(6)),
        "lapsed_unclaimed": (approval(**APPROVED, resumption=TOLD_IN_VAIN, resume=HANDLER), painted(6, lapsed=True)),
        "lapsed": (approval(**APPROVED, claim=replace(CLAIM, execute=False)), painted(6)),
        "handed": (approval(**APPROVED, claim=CLAIM), painted(7)),
        "running": (executed(ExecutionStatus.RUNNING, 5, "Zone 1 of 3 is live, waiting 5 minutes."), painted(7)),
        "done": (executed(ExecutionStatus.SUCCEEDED, 17, "api 1.4.2 is live in 3 of 3 zones."), painted(8)),
        "failed": (executed(ExecutionStatus.FAILED, 3, "zone 1: health check failed, 3 of 3 tries"), painted(8)),
        "unknown": (executed(ExecutionStatus.UNKNOWN, 4), painted(8, operators=(CHIDI,))),
        "denied_reason": (approval(**APPROVED | denied), painted(5)),
        "expired": (approval(state=State.EXPIRED, resolved_at=DEADLINE), painted(5)),
        "withdrawn": (
            approval(
                state=State.WITHDRAWN, resolved_at=DECIDED, resolved_by=person(DANA), reason="Found a bug in 1.4.2."
            ),
            painted(5),
        ),
        "superseded": (
            approval(state=State.SUPERSEDED, resolved_at=DECIDED, superseded_by="apr_new"),
            painted(5, replaced_by_link=LINK),
        ),
    }


def _questions() -> dict[str, Message]:
    ways = options("Retry", "Skip rows", "Approve")
    says = ("from row 1,204 on", "leave out the 7 rows that failed", "take them as they are")
    described = tuple(replace(option, description=words) for option, words in zip(ways, says, strict=True))
    first = Question(
        id="q",
        prompt="Which region goes first?",
        options=options("eu-west", "us-east"),
        allow_other=True,
        is_skippable=True,
    )
    services = Question(
        id="s",
        prompt="Which service should be restarted?",
        options=options(*(f"service-{n}" for n in range(12))),
        is_skippable=True,
    )
    texts = ("Some customers", "All customers", "Nobody", "Customers in Europe")
    wordy = Question(
        id="w",
        prompt="Which text goes to the status page?",
        options=options(
            *(f"{who} saw errors between 14:02 and 14:10 UTC while we replaced a certificate." for who in texts)
        ),
        allow_other=True,
    )
    free = Question(
        id="t",
        prompt="What should the status page say?",
        description="Two sentences are enough.",
        default=("All is well.",),
    )
    customers = Question(
        id="c",
        prompt="Which customer does this ticket belong to?",
        options=options(*(f"Customer {n}" for n in range(314))),
    )
    wordy_ones = replace(
        customers,
        multiple=True,
        default=("o7",),
        is_skippable=True,
        options=options(*(f"{'word ' * 20}{n}" for n in range(101))),
    )
    answered = {"state": State.ANSWERED, "resolved_at": DECIDED, "resolved_by": person(ANA)}
    chosen = {
        "regions": Answer(is_skipped=False, value=("Europe, Middle East and Africa", "India"), option_ids=("o0", "o3"))
    }
    rest = {"currency": Answer(is_skipped=False, value="EUR", option_ids=("o0",)), "top": Answer(is_skipped=True)}
    drawn = {
        "open_buttons": questions(first),
        "open_buttons_described": questions(
            Question(id="q", prompt="How should the import continue?", options=described)
        ),
        "open_select": questions(services, expires_at=DEADLINE),
        "open_checkboxes": questions(regions(options=REGIONS[:3])),
        "open_multiselect": questions(regions(default=("o0", "o1"), is_skippable=True), title="Regions"),
        "open_other": questions(wordy),
        "open_text": questions(free),
        "open_external": questions(customers, title="Customer"),
        "open_external_several": questions(wordy_ones),
        "open_several": questions(*several(), title="Weekly report"),
        "open_form": questions(*several(), *(replace(free, id=f"t{n}") for n in range(4)), title="Onboard Northwind"),
        "answered": questions(regions(), answers=chosen, **answered),
        "answered_several": questions(*several(), title="Weekly report", answers=chosen | rest, **answered),
        "skipped": questions(first, answers={"q": Answer(is_skipped=True)}, **answered),
        "stuck": questions(regions(), answers=chosen, **answered, resumption=NEVER_TOLD, resume=HANDLER),
        "expired": questions(services, state=State.EXPIRED, expires_at=DEADLINE, resolved_at=DEADLINE),
        "withdrawn": questions(services, state=State.WITHDRAWN, resolved_at=DECIDED, resolved_by=person(DANA)),
    }
    return {f"question_{name}": question.card(given, painted(1)) for name, given in drawn.items()}


def _notes() -> dict[str, Message]:
    denied = approval(state=State.DENIED, resolved_at=DECIDED, resolved_by=person(BEN))
    several_may = Approvers(users=(ANA, BEN), groups=(GROUP,))
    gone = approval(state=State.SUPERSEDED, resolved_at=DECIDED)
    drawn = {
        "already_approved": notices.already(approval(**APPROVED), clicker=BEN),
        "already_approved_elsewhere": notices.already(approval(**APPROVED), clicker=BEN, card=LINK),
        "already_done": notices.already(executed(ExecutionStatus.SUCCEEDED, 17), clicker=BEN),
        "already_by_you": notices.already(denied, clicker=BEN),
        "expired": notices.already(approval(state=State.EXPIRED, resolved_at=DEADLINE), clicker=BEN),
        "withdrawn": notices.already(
            approval(state=State.WITHDRAWN, resolved_at=DECIDED, resolved_by=person(DANA)), clicker=BEN
        ),
        "replaced": notices.already(gone, clicker=BEN, link=LINK),
        "not_allowed": notices.not_allowed(several_may),
        "own_request": notices.own_request(Approvers(users=(ANA, BEN, DANA)), DANA),
        "guest": notices.guest(several_may),
        "other_workspace": notices.other_workspace(several_may),
        "group_unreadable": notices.group_unreadable(GROUP),
        "group_gone": notices.group_gone(GROUP, DANA),
        "group_gone_of_a_key": notices.group_gone(GROUP, None),
        "not_a_waker": notices.not_a_waker(several_may),
        "reason_needed": notices.reason_needed(),
        "reason_too_long": notices.reason_too_long(3000),
        "person_unreadable": notices.person_unreadable(several_may),
        "unconfirmed": notices.unconfirmed(),
        "form_late": notices.form_late(),
        "incomplete": notices.incomplete("Which currency?"),
        "both_given": notices.unfit("Choose one or write your own, not both."),
        "unfit": notices.unfit("Choose one of the options.", "Which currency?"),
        "too_long": notices.too_long("Which currency?", 3000),
        "retired": notices.retired(),
        "gone": notices.gone(),
        "withdraw_by_another": notices.withdraw_by_another(DANA),
        "withdraw_of_a_key": notices.withdraw_by_another(None),
        "take_back_too_late": notices_voting.take_back_too_late(executed(ExecutionStatus.RUNNING, 5)),
        "take_back_too_late_handed": notices_voting.take_back_too_late(executed(ExecutionStatus.CLAIMED, 5)),
        "take_back_too_late_lapsed": notices_voting.take_back_too_late(approval(**APPROVED, lapsed_at=DEADLINE)),
        "unknown_code": notices.unknown_code("XW3C6"),
        "ambiguous_code": notices.ambiguous_code("XW3C6"),
        "withdrawn_by_command": notices.withdrawn("Deploy <!here>", card=LINK),
        "form_retired": notices.form_retired(),
        "practice_unsent": notices.practice_unsent("cannot_dm_bot"),
        "practice_elsewhere": notices.practice_elsewhere(),
        "recorded": notices.recorded(),
        "failed": notices.failed(),
    }
    return {f"note_{name}": message for name, message in (drawn | gallery_time.notes()).items()}


def _lists() -> dict[str, Message]:
    counts = {Filter.MINE: 3, Filter.APPROVALS: 2, Filter.QUESTIONS: 1, Filter.ALL: 11}
    first = questions(Question(id="q", prompt="Which region goes first?", options=options("eu-west", "us-east")))
    of_two = approval(approvers=Approvers(users=(ANA, BEN), quorum=2))
    earlier = gallery_running.before()
    rows = [
        Row(interaction=of_two, link=LINK, can_decide=True, is_compared=True, precedent=earlier),
        Row(interaction=questions(*several(), title="Weekly report"), link=LINK, can_decide=True),
        Row(interaction=first, can_decide=True),
        Row(interaction=long_one(), link=LINK, can_decide=True),
        Row(interaction=confirmation(), link=LINK),
    ]
    denied = approval(state=State.DENIED, resolved_at=DECIDED, resolved_by=person(BEN), feedback="Freeze until Monday.")
    stuck = [
        Row(interaction=approval(**APPROVED, resumption=TOLD_IN_VAIN, resume=HANDLER), link=LINK),
        Row(interaction=approval(**APPROVED, resumption=Resumption(stuck_at=DECIDED)), link=LINK),
        Row(
            interaction=replace(first, state=State.EXPIRED, resolved_at=DECIDED, resumption=NEVER_TOLD, resume=HANDLER)
        ),
        Row(interaction=approval(), can_decide=True),
    ]
    return {
        "pending_list": pending.listing(rows, shown=Filter.MINE, counts=counts, names=PAINT.names),
        "pending_page_2": pending.listing(rows[4:], shown=Filter.ALL, counts=counts, page=1, names=PAINT.names),
        "pending_stuck": pending.listing(
            stuck, shown=Filter.ALL, counts=counts | {Filter.ALL: 1002}, names=PAINT.names, is_cut=True
        ),
        "pending_empty_cut": pending.listing([], shown=Filter.MINE, counts={Filter.ALL: 1000}, is_cut=True),
        "pending_empty": pending.listing([], shown=Filter.MINE, counts={Filter.ALL: 2}),
        "pending_help": pending.help_card(),
        "thread_outcome": outcome.thread_outcome(approval(**APPROVED), mention=DANA, names=PAINT.names),
        "thread_outcome_ran": outcome.thread_outcome(
            executed(ExecutionStatus.SUCCEEDED, 17, "api 1.4.2 is live in 3 of 3 zones."),
            mention=DANA,
            names=PAINT.names,
            about=About.RAN,
        ),
        "thread_outcome_before_it_ran": outcome.thread_outcome(
            executed(ExecutionStatus.SUCCEEDED, 17, "api 1.4.2 is live in 3 of 3 zones."),
            mention=DANA,
            names=PAINT.names,
            about=About.RESOLVED,
        ),
        "thread_outcome_stale": outcome.thread_outcome(
            approval(**APPROVED), mention=DANA, names=PAINT.names, about=About.RESOLVED, is_stale=True
        ),
        "thread_outcome_lapsed": outcome.thread_outcome(
            approval(**APPROVED, lapsed_at=DECIDED), mention=DANA, about=About.RAN
        ),
        "dm_requester": outcome.dm_requester(denied, link=LINK),
        "dm_requester_lapsed": outcome.dm_requester(
            approval(**APPROVED, lapsed_at=DECIDED), link=LINK, about=About.RAN
        ),
        "dm_requester_stale": outcome.dm_requester(
            denied,
            link=LINK,
            about=About.RESOLVED,
            places=[
                Place(address="C07DEPLOYS1", error="is_inactive"),
                Place(address=BEN, error="user_disabled", has_card=False),
            ],
        ),
        "dm_card_failed": failed_card("not_in_channel"),
        **_failed_cards(),
        **gallery_time.lines(),
    }


def _failed_cards() -> dict[str, Message]:
    """One notice of failed cards, as its interaction and its places move on."""
    channel, person_ = Place(address="C07DEPLOYS1"), Place(address=BEN)
    absent = replace(channel, error="is_archived", has_card=False)
    frozen = replace(channel, error="edit_window_closed")
    failed = outcome.dm_card_failed
    return {
        "dm_card_failed_several": failed(
            approval(), places=[absent, replace(person_, error="user_disabled", has_card=False)]
        ),
        "dm_card_failed_frozen": failed(approval(), places=[frozen, person_], link=LINK),
        "dm_card_failed_there": failed(approval(), places=[channel, person_], link=LINK),
        "dm_card_failed_under_way": failed(approval(expires_at=None), places=[replace(channel, has_card=False)]),
        "dm_card_failed_over": failed(approval(**APPROVED), places=[absent, replace(frozen, address=BEN)], link=LINK),
        "plain_approval": plain.card(approval(), PAINT),
        "plain_approved": plain.card(approval(**APPROVED), PAINT),
        "plain_question": plain.card(questions(Question(id="q", prompt="Which region?")), PAINT),
        "plain_words": plain.words(approval(), PAINT),
        "plain_words_approved": plain.words(approval(**APPROVED), PAINT),
    }


def messages() -> dict[str, Message]:
    ours = _approvals() | _questions() | _notes() | _lists()
    return ours | gallery_running.cards() | gallery_running.notes() | gallery_running.lines()


def views() -> dict[str, View]:
    denied = approval(state=State.DENIED, resolved_at=DECIDED, resolved_by=person(BEN))
    drawn: dict[str, Callable[[], View]] = {
        "home": lambda: home.home(*_at_home(), names=PAINT.names),
        "home_empty": lambda: home.home([], []),
        "home_operator": lambda: home.home([], [], unknown=[UNKNOWN_ROW] * 6, names=PAINT.names),
        "home_of_much": lambda: home.home(_at_home()[0] * 7, _at_home()[1] * 6, names=PAINT.names, is_cut=True),
        "deny_reason": lambda: modal.deny_reason(approval(), WHERE),
        "review_first": lambda: modal.review(
            long_one(), WHERE, paint=gallery_running.compared(gallery_running.before())
        ),
        "review_last": lambda: modal.review(long_one(risk=Risk.HIGH), WHERE, page=99),
        "review_confirmation": lambda: modal.review(confirmation(), WHERE),
        "show_all": lambda: modal.show_all(approval(body=STEPS), WHERE, names=PAINT),
        "show_all_questions": lambda: modal.show_all(questions(*several(), title="Weekly report"), WHERE),
        "other": lambda: modal.other(questions(several()[1]), 0, WHERE),
        "form": lambda: modal.form(questions(*several(), title="Weekly report"), WHERE, PAINT),
        "form_described": lambda: modal.form(
            questions(
                Question(
                    id="plan",
                    prompt="Which plan?",
                    options=tuple(replace(o, description="up to 50 people") for o in REGIONS[:3]),
                ),
                Question(
                    id="c",
                    prompt="Which customers?",
                    options=options(*(f"Customer {n}" for n in range(101))),
                    multiple=True,
                ),
                title="Onboard Northwind",
            ),
            WHERE,
        ),
        "form_of_too_much": lambda: modal.form(
            questions(
                *(Question(id=f"q{n}", prompt=f"{n} " + "& why " * 499, description="<so> " * 600) for n in range(20)),
                title="Much",
            ),
            WHERE,
        ),
        "deny_reason_kept": lambda: modal.deny_reason(
            approval(), WHERE, draft=Draft(typed={0: "Freeze until Monday."})
        ),
        "form_kept": lambda: modal.form(
            questions(*several(), title="Weekly report"),
            WHERE,
            PAINT,
            draft=Draft(chosen={0: (1, 3), 1: (0,)}, typed={1: "Whatever finance says", 2: "Sales are up."}),
        ),
        "form_of_one": lambda: modal.form(questions(several()[1]), WHERE, PAINT),
        "too_late": lambda: modal.ended(notices.already(denied, clicker=ANA), typed="Tell support before you start."),
        "too_late_replaced": lambda: modal.ended(
            notices.already(approval(state=State.SUPERSEDED, resolved_at=DECIDED), link=LINK)
        ),
        "retired": lambda: modal.ended(notices.form_retired(), typed="Tell support before you start."),
        "ended": lambda: modal.ended(notices.not_allowed(Approvers(users=(ANA,))), typed="Not now."),
        "edit": lambda: editing.form(EDITABLE, WHERE),
        "edit_compare": lambda: editing.compare(EDITABLE, EDITED, WHERE),
        "loading": modal.loading,
    }
    built = {name: build() for name, build in drawn.items()} | gallery_running.views()
    return {name if name.startswith("home") else f"modal_{name}": view for name, view in built.items()}


def _at_home() -> tuple[list[Row], list[Row]]:
    """What waits for Ana, and what she asked."""
    first = questions(Question(id="q", prompt="Which region goes first?", options=options("eu-west", "us-east")))
    waiting = [
        Row(interaction=PARTLY, link=LINK, can_decide=True),
        Row(interaction=questions(*several(), title="Weekly report", expires_at=DEADLINE), link=LINK, can_decide=True),
        Row(interaction=long_one(), link=LINK, can_decide=True),
    ]
    asked = [
        Row(interaction=approval(title="Rotate the signing keys"), link=LINK),
        Row(interaction=first),
        Row(interaction=executed(ExecutionStatus.RUNNING, 5), link=LINK),
        Row(interaction=approval(state=State.DENIED, resolved_at=DECIDED, resolved_by=person(BEN)), link=LINK),
        Row(
            interaction=approval(**APPROVED | {"state": State.DENIED}, resumption=NEVER_TOLD, resume=HANDLER), link=LINK
        ),
        Row(interaction=approval(state=State.SUPERSEDED, resolved_at=DECIDED), link=LINK, newer_link=LINK),
        Row(interaction=replace(first, state=State.EXPIRED, expires_at=DEADLINE, resolved_at=DEADLINE), link=LINK),
    ]
    return waiting, asked


def gallery() -> dict[str, dict[str, Any]]:
    """All payloads by name."""
    drawn: dict[str, Message | View] = {**messages(), **views()}
    return {name: one.payload() for name, one in drawn.items()}


def main() -> None:
    CARDS.mkdir(exist_ok=True)
    for old in CARDS.glob("*.json"):
        old.unlink()
    for name, payload in gallery().items():
        (CARDS / f"{name}.json").write_text(json.dumps(payload, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
