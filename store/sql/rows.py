"""Between rows and the domain, for either driver: JSON comes as text, instants as in `store.sql.times`."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from store import rules
from store.cursors import NEVER
from store.rules import vote_order
from store.sql import rows_terms
from store.sql.statement import Row
from store.sql.times import instant, read_time, time_text
from store.types import (
    Actor,
    ActorKind,
    Answer,
    Approval,
    Approvers,
    Claim,
    Decision,
    Destination,
    Edited,
    Execution,
    ExecutionStatus,
    Interaction,
    Kind,
    Option,
    Question,
    QuestionSet,
    Resume,
    ResumeKind,
    Resumption,
    Risk,
    State,
    Vote,
)

_ENDING = {
    State.ANSWERED: "answered_at",
    State.APPROVED: "decided_at",
    State.DENIED: "decided_at",
    State.EXPIRED: "expired_at",
    State.WITHDRAWN: "withdrawn_at",
    State.SUPERSEDED: "superseded_at",
}
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Standing:
    """An interaction as a row held it, at the version that the next compare-and-set compares."""

    interaction: Interaction
    version: int


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def code(id: str) -> str:
    """How `find_by_code` reads an id: from behind, in upper case."""
    return id.upper()[::-1]


# --- interactions: domain to row


def asked(interaction: Interaction) -> dict[str, Any]:
    """The columns that never change, and those of the start that a transition may."""
    approvers = asdict(interaction.approvers)
    return {
        "tenant": interaction.tenant,
        "id": interaction.id,
        "code": code(interaction.id),
        "kind": interaction.kind.value,
        "run_id": interaction.run_id,
        "operation_id": interaction.operation_id,
        "title": interaction.title,
        "request_digest": interaction.request_digest,
        "created_at": interaction.created_at,
        "asker_kind": interaction.asked_by.kind.value,
        "asker_id": interaction.asked_by.id,
        "asker_name": interaction.asked_by.name,
        "requested_by": interaction.requested_by,
        "quorum": approvers.pop("quorum"),
        "denials": approvers.pop("denials"),
        "approvers": dump(approvers),
        "terms": rows_terms.dump(interaction.terms),
        "destination": dump(asdict(interaction.destination)),
        "resume_kind": interaction.resume.kind.value,
        "resume_target": interaction.resume.target,
        "supersedes": interaction.supersedes,
        **_content(interaction),
    }


def _content(interaction: Interaction) -> dict[str, Any]:
    approval = interaction if isinstance(interaction, Approval) else None
    questions = interaction.questions if isinstance(interaction, QuestionSet) else None
    return {
        "digest": approval and approval.digest,
        "body": approval and approval.body,
        "tool_name": approval and approval.tool_name,
        "input_json": approval and approval.input_json,
        "action_details": approval and approval.details,
        "facts": approval and rows_terms.dump_all(approval.facts),
        "links": approval and rows_terms.dump_all(approval.links),
        "input_schema": approval and approval.input_schema,
        "fingerprint": approval and approval.fingerprint,
        "record": approval and approval.record,
        "risk": approval and approval.risk.value,
        "run_within_us": approval and approval.run_within // _MICROSECOND,
        "questions": None if questions is None else dump([asdict(question) for question in questions]),
    }


def became(interaction: Interaction) -> dict[str, Any]:
    """The columns that a transition writes, apart from `version`, leases and what telling alone writes."""
    endings = dict.fromkeys(_ENDING.values())
    if not interaction.is_pending:
        endings[_ENDING[interaction.state]] = interaction.resolved_at
    resolver = interaction.resolved_by
    return {
        **endings,
        "deadline": interaction.expires_at or NEVER,
        "course": rows_terms.dump(interaction.course),
        "resolved_at": interaction.resolved_at,
        "resolver_kind": resolver and resolver.kind.value,
        "resolver_id": resolver and resolver.id,
        "resolver_name": resolver and resolver.name,
        "reason": interaction.reason,
        "superseded_by": interaction.superseded_by,
        "resume_due_at": interaction.resumption.due_at,
        "stuck_at": interaction.resumption.stuck_at,
        "stuck_due_at": interaction.resumption.stuck_due_at,
        "lapsed_at": interaction.lapsed_at if isinstance(interaction, Approval) else None,
        "lapse_due_at": rules.lapses_at(interaction),
        **_outcome(interaction),
    }


def _outcome(interaction: Interaction) -> dict[str, Any]:
    approval = interaction if isinstance(interaction, Approval) else None
    answers = interaction.answers if isinstance(interaction, QuestionSet) else None
    claim = approval and approval.claim
    return {
        "votes": None if approval is None else dump({voter(vote): _vote(vote) for vote in approval.votes}),
        "decision": approval and approval.decision and approval.decision.value,
        "feedback": approval and approval.feedback,
        "edited_input": approval and approval.edited and approval.edited.input_json,
        "edited_digest": approval and approval.edited and approval.edited.digest,
        "reopened_at": approval and approval.reopened_at,
        "answers": None if answers is None else dump({id_: asdict(answer) for id_, answer in answers.items()}),
        "claimed_at": claim and claim.at,
        "claim_id": claim and claim.claim_id,
        "claim_executes": claim and claim.execute,
        "claimed_by": claim and claim.worker,
        **executed(approval.execution if approval else None),
    }


def executed(execution: Execution | None) -> dict[str, Any]:
    return {
        "execution_status": execution and execution.status.value,
        "execution_at": execution and execution.at,
        "execution_started_at": execution and execution.started_at,
        "execution_detail": execution and execution.detail,
        "report_within": execution and execution.report_within,
        "report_due_at": execution and execution.report_due_at,
    }


def telling(resumption: Resumption) -> dict[str, Any]:
    """The columns that telling writes."""
    return {
        "told_at": resumption.told_at,
        "resume_due_at": resumption.due_at,
        "resume_attempts": resumption.attempts,
        "resume_wakes": resumption.wakes,
        "resume_woken_from": resumption.woken_from,
        "resume_error": resumption.last_error,
        "stuck_at": resumption.stuck_at,
        "stuck_due_at": resumption.stuck_due_at,
    }


def voter(vote: Vote) -> str:
    return f"{vote.actor.kind.value}:{vote.actor.id}"


def _vote(vote: Vote) -> dict[str, Any]:
    return {
        "kind": vote.actor.kind.value,
        "id": vote.actor.id,
        "name": vote.actor.name,
        "decision": vote.decision.value,
        "at": time_text(vote.at),
        "feedback": vote.feedback,
    }


def vote_json(vote: Vote) -> str:
    return dump(_vote(vote))


# --- interactions: row to domain


def standing(row: Row) -> Standing:
    return Standing(interaction=interaction(row), version=row["version"])


def interaction(row: Row) -> Interaction:
    return _approval(row) if row["kind"] == Kind.APPROVAL else _question(row)


def _common(row: Row) -> dict[str, Any]:
    deadline = instant(row["deadline"])
    approvers = _tuples(json.loads(row["approvers"]))
    return {
        "tenant": row["tenant"],
        "id": row["id"],
        "run_id": row["run_id"],
        "operation_id": row["operation_id"],
        "title": row["title"],
        "request_digest": row["request_digest"],
        "created_at": instant(row["created_at"]),
        "expires_at": None if deadline == NEVER else deadline,
        "asked_by": _actor(row, "asker"),
        "requested_by": row["requested_by"],
        "approvers": Approvers(quorum=row["quorum"], denials=row["denials"], **approvers),
        "terms": rows_terms.terms(row["terms"]),
        "course": rows_terms.course(row["course"]),
        "destination": Destination(**_tuples(json.loads(row["destination"]))),
        "resume": Resume(kind=ResumeKind(row["resume_kind"]), target=row["resume_target"]),
        "resumption": _resumption(row),
        "state": _state(row),
        "resolved_at": read_time(row["resolved_at"]),
        "resolved_by": None if row["resolver_kind"] is None else _actor(row, "resolver"),
        "reason": row["reason"],
        "supersedes": row["supersedes"],
        "superseded_by": row["superseded_by"],
    }


def _approval(row: Row) -> Approval:
    decision = row["decision"]
    return Approval(
        **_common(row),
        digest=row["digest"],
        body=row["body"],
        tool_name=row["tool_name"],
        input_json=row["input_json"],
        details=row["action_details"],
        facts=rows_terms.facts(row["facts"]),
        links=rows_terms.links(row["links"]),
        input_schema=row["input_schema"],
        fingerprint=row["fingerprint"],
        record=row["record"],
        risk=Risk(row["risk"]),
        run_within=timedelta(microseconds=row["run_within_us"]),
        votes=_votes(json.loads(row["votes"])),
        decision=None if decision is None else Decision(decision),
        feedback=row["feedback"],
        edited=_edited(row),
        claim=_claim(row),
        execution=_execution(row),
        lapsed_at=read_time(row["lapsed_at"]),
    )


def _question(row: Row) -> QuestionSet:
    return QuestionSet(
        **_common(row),
        questions=tuple(_one_question(each) for each in json.loads(row["questions"])),
        answers=None if row["answers"] is None else _answers(json.loads(row["answers"])),
    )


def _one_question(value: dict[str, Any]) -> Question:
    options = tuple(Option(**option) for option in value.pop("options"))
    return Question(options=options, **_tuples(value))


def _answers(value: dict[str, Any]) -> Mapping[str, Answer]:
    return {id_: Answer(**_tuples(answer)) for id_, answer in value.items()}


def _tuples(value: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(each) if isinstance(each, list) else each for name, each in value.items()}


def _state(row: Row) -> State:
    """From which timestamp is set; what was decided runs on the whitelist of allows."""
    if row["decided_at"] is not None:
        return State.APPROVED if Decision(row["decision"]).allows else State.DENIED
    for state in (State.ANSWERED, State.EXPIRED, State.WITHDRAWN, State.SUPERSEDED):
        if row[_ENDING[state]] is not None:
            return state
    return State.PENDING


def _actor(row: Row, role: str) -> Actor:
    return Actor(kind=ActorKind(row[f"{role}_kind"]), id=row[f"{role}_id"], name=row[f"{role}_name"])


def _votes(value: dict[str, Any]) -> tuple[Vote, ...]:
    votes = (
        Vote(
            actor=Actor(kind=ActorKind(each["kind"]), id=each["id"], name=each["name"]),
            decision=Decision(each["decision"]),
            at=instant(each["at"]),
            feedback=each["feedback"],
        )
        for each in value.values()
    )
    return tuple(sorted(votes, key=vote_order))


def _edited(row: Row) -> Edited | None:
    if row["edited_digest"] is None:
        return None
    return Edited(input_json=row["edited_input"], digest=row["edited_digest"])


def _claim(row: Row) -> Claim | None:
    at = read_time(row["claimed_at"])
    if at is None:
        return None
    return Claim(claim_id=row["claim_id"], at=at, execute=bool(row["claim_executes"]), worker=row["claimed_by"])


def _execution(row: Row) -> Execution | None:
    at, started_at = read_time(row["execution_at"]), read_time(row["execution_started_at"])
    if at is None or started_at is None:
        return None
    return Execution(
        status=ExecutionStatus(row["execution_status"]),
        at=at,
        started_at=started_at,
        detail=row["execution_detail"],
        report_within=row["report_within"],
        report_due_at=read_time(row["report_due_at"]),
    )


def _resumption(row: Row) -> Resumption:
    return Resumption(
        told_at=read_time(row["told_at"]),
        due_at=read_time(row["resume_due_at"]),
        attempts=row["resume_attempts"],
        wakes=row["resume_wakes"],
        woken_from=row["resume_woken_from"],
        last_error=row["resume_error"],
        stuck_at=read_time(row["stuck_at"]),
        stuck_due_at=read_time(row["stuck_due_at"]),
    )
