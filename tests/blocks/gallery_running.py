"""The part of the gallery about what runs: silences, stops, what changed since the last time, what a run adds."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from blocks import approval as approvals
from blocks import modal, outcome, pending, silence, stopping
from blocks.ids import Filter, Where
from blocks.outcome import Place
from blocks.pending import Row
from blocks.surface import Message, Paint, View
from store.types import (
    About,
    Approval,
    Claim,
    Course,
    Decision,
    Execution,
    ExecutionStatus,
    Fact,
    Settlement,
    State,
    Vote,
)
from tests.blocks.cases import ANA, BEN, CHIDI, DANA, DECIDED, INPUT, LINK, NAMES, PAINT, approval, person, stop
from tests.blocks.cases import link as linked

WHERE = Where(channel="C07DEPLOYS1", ts="1764511320.000100")
APPROVED: dict[str, Any] = {
    "state": State.APPROVED,
    "resolved_at": DECIDED,
    "resolved_by": person(ANA),
    "decision": Decision.ALLOW_ONCE,
}
CLAIM = Claim(claim_id="c1", at=DECIDED + timedelta(minutes=1), execute=True, worker="worker-3")
SILENT = DECIDED + timedelta(minutes=4)
SETTLED = DECIDED + timedelta(minutes=38)
STOP = stop(at=DECIDED - timedelta(minutes=1), reason="error rate of api doubled.")
EVERYTHING = replace(STOP, id="stp_2", tool=None, reason=None)
PLAN = "\n".join(f"~ module.region[{n}].aws_instance.api: ami-0{n:03} -> ami-1{n:03}" for n in range(1, 60))
SHORT_PLAN = "~ aws_instance.api[0]: version 1.4.1 -> 1.4.2\n  0 to add, 1 to change, 0 to destroy"
FACTS = (
    Fact(label="Service", value="api"),
    Fact(label="Version", value="1.4.1 → 1.4.2"),
    Fact(label="Traffic", value="12,400 requests/min"),
    Fact(label="Roll back", value="2 minutes"),
)
LINKS = (
    linked("What changed", "https://github.com/acme/api/compare/v1.4.1...v1.4.2"),
    linked("Dashboard", "https://grafana.acme.com/d/api?from=now-1h"),
)
HOSTILE = "<!channel> *b* \u202etxt & `x`"


def unknown(**changes: Any) -> Approval:
    run = Execution(
        status=ExecutionStatus.UNKNOWN,
        at=SILENT,
        started_at=CLAIM.at,
        detail="Zone 1 of 3 is live, waiting 5 minutes.",
    )
    return approval(**APPROVED | {"claim": CLAIM, "execution": run} | changes)


def settled(*, happened: bool) -> Approval:
    said = Settlement(actor=person(CHIDI), at=SETTLED, happened=happened, silent_at=SILENT)
    if not happened:
        return approval(**APPROVED, course=Course(settlement=said, spent_claims=("c1",)))
    run = Execution(status=ExecutionStatus.SUCCEEDED, at=SETTLED, started_at=CLAIM.at)
    return approval(**APPROVED, claim=CLAIM, execution=run, course=Course(settlement=said))


def before(version: str = "1.4.1", status: ExecutionStatus = ExecutionStatus.SUCCEEDED, **changes: Any) -> Approval:
    """The approval before: three days ago, by Ben."""
    at = DECIDED - timedelta(days=3)
    run = Execution(status=status, at=at, started_at=at)
    old = {"resolved_at": at, "resolved_by": person(BEN), "claim": replace(CLAIM, at=at), "execution": run}
    given = {"input_json": INPUT.replace("1.4.2", version), "digest": "1" * 64}
    return approval(**APPROVED | old | given | changes)


def agreed(*people: str) -> tuple[Vote, ...]:
    return tuple(Vote(actor=person(who), decision=Decision.ALLOW_ONCE, at=DECIDED) for who in people)


def compared(precedent: Approval | None) -> Paint:
    return replace(PAINT, is_compared=True, precedent=precedent)


def cards() -> dict[str, Message]:
    hostile_facts = tuple(Fact(label=HOSTILE, value=HOSTILE * 5) for _ in range(4))
    hostile_links = (linked(HOSTILE, "https://evil.example/acme.com"), linked("acme.com", "https://аcme.com/x"))
    drawn = {
        "unknown_settled": (settled(happened=True), replace(PAINT, revision=9)),
        "unknown_retry": (settled(happened=False), replace(PAINT, revision=9)),
        "open_stopped": (approval(), replace(PAINT, stopped=STOP)),
        "approved_stopped": (approval(**APPROVED), replace(PAINT, revision=5, stopped=EVERYTHING)),
        "open_facts": (approval(facts=FACTS, links=LINKS), compared(before())),
        "open_facts_hostile": (approval(facts=hostile_facts, links=hostile_links), PAINT),
        "open_same_again": (approval(), compared(before(input_json=INPUT, digest=approval().digest))),
        "open_after_two": (approval(), compared(before(votes=agreed(ANA, BEN)))),
        "open_after_many": (approval(), compared(before(votes=agreed(ANA, BEN, CHIDI, DANA, "U07EVE6GHJK")))),
        "open_much_differs": (approval(), compared(before(status=ExecutionStatus.FAILED, input_json='{"a": 1}'))),
        "open_first_time": (approval(), compared(None)),
        "open_details": (approval(details=SHORT_PLAN), PAINT),
        "open_details_long": (approval(details=PLAN), PAINT),
    }
    return {f"approval_{name}": approvals.card(*given) for name, given in drawn.items()}


def notes() -> dict[str, Message]:
    reported = unknown(
        execution=Execution(status=ExecutionStatus.SUCCEEDED, at=SETTLED, started_at=CLAIM.at, detail=None)
    )
    drawn = {
        "settled_before": silence.settled_before(settled(happened=True), clicker=BEN),
        "settled_before_by_you": silence.settled_before(settled(happened=False), clicker=CHIDI, card=LINK),
        "settled_after_its_report": silence.settled_before(reported, clicker=CHIDI),
        "settled_in_vain": silence.settled_before(approval(), clicker=CHIDI),
        "not_an_operator": stopping.not_operator((CHIDI, BEN), may="say what happened"),
        "no_operators": stopping.not_operator((), may="stop tools"),
        "stopped": stopping.stopped(STOP, is_new=True),
        "stopped_everything": stopping.stopped(EVERYTHING, is_new=True),
        "stopped_before": stopping.stopped(STOP, is_new=False),
        "stop_too_long": stopping.too_long("a reason", 300),
        "gone_on": stopping.gone_on([STOP], [EVERYTHING], tool="deploy.*"),
        "gone_on_in_vain": stopping.gone_on([], [STOP], tool="the api"),
        "gone_on_with_nothing": stopping.gone_on([], [], tool=None),
        "stops": stopping.stops([STOP, EVERYTHING]),
        "no_stops": stopping.stops([]),
        "stop_unconfirmed": stopping.unconfirmed(),
    }
    return {f"note_{name}": message for name, message in drawn.items()}


def lines() -> dict[str, Message]:
    rows = [
        Row(interaction=unknown(), link=LINK, can_settle=True),
        Row(
            interaction=approval(),
            unreached=[
                Place(address="C07DEPLOYS1", error="is_archived", has_card=False),
                Place(address=BEN, error="edit_window_closed"),
            ],
            stopped=STOP,
        ),
    ]
    return {
        "thread_outcome_unknown": outcome.thread_outcome(unknown(), mention=DANA, about=About.UNKNOWN),
        "thread_outcome_happened": outcome.thread_outcome(settled(happened=True), mention=DANA, about=About.RAN),
        "dm_requester_unknown": outcome.dm_requester(unknown(), link=LINK, about=About.UNKNOWN),
        "dm_operator": silence.notice(unknown(), link=LINK, is_open=True),
        "dm_operator_settled": silence.notice(settled(happened=True), link=LINK, is_open=False),
        "dm_operator_retry": silence.notice(settled(happened=False), link=LINK, is_open=False),
        "dm_operator_reported": silence.notice(unknown(), link=LINK, is_open=False),
        "pending_operator": pending.listing(
            rows, shown=Filter.ALL, counts={Filter.ALL: 2}, names=NAMES, is_everywhere=True
        ),
        "pending_operator_empty": pending.listing(
            [], shown=Filter.MINE, counts={Filter.ALL: 2}, names=NAMES, is_everywhere=True
        ),
    }


def views() -> dict[str, View]:
    everything = approval(facts=FACTS, links=LINKS, details=SHORT_PLAN)
    return {
        "review_details": modal.review(approval(details=PLAN), WHERE),
        "show_all_given": modal.show_all(everything, WHERE, names=PAINT),
    }
