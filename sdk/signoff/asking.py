"""From what a run writes to the request that asks it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from signoff import runs
from signoff.asks import Asking, AskingApproval, AskingQuestions, Escalation, Hours, Question, Reminders, Seconds
from signoff.errors import NoRun
from signoff.json_input import check_json, dump_json
from signoff.names import Cache, Found, listed, resolve
from signoff.previews import Preview
from signoff.reading import call
from signoff.types import Approval, Fact, Link, Option, QuestionSet
from signoff.wire import Flow, Request, Wire

_AS_IT_IS = ("policy", "thread_ts")
_OF_APPROVALS = (
    "body", "risk", "details", "input_schema", "on_expiry", "supersedes", "tool_name", "input",
    "revalidate",
)  # fmt: skip
_DRY = (("dry_run", "1"),)
_OF_APPROVERS = ("quorum", "denials", "allow_requester", "require_reason")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asker:
    """Who asks: the way to the server, the run as the client knows it, and what names meant before."""

    wire: Wire
    named: runs.Named | None = None
    names: Cache = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def named_as(self, run_id: str, operation_id: str | None) -> "Asker":
        return replace(self, named=runs.Named(run_id=run_id, operation_id=operation_id))

    def run_of(self, ask: Asking) -> tuple[str, str | None]:
        """The run and the operation of an ask: as it says itself, as the client or `with so.run()` says, as CI says.

        Raises:
            NoRun: nobody says.
        """
        named = self.named or runs.current()
        run_id = ask.get("run_id") or (named.run_id if named else None) or runs.run_from(self.environment)
        if run_id is None:
            raise NoRun
        return run_id, ask.get("operation_id") or (named.operation_id if named else None)


def approval(asker: Asker, title: str, ask: AskingApproval) -> Flow[Approval]:
    """Raises TypeError for input that is not JSON, NoRun, UnknownName, and what `call` raises."""
    body = yield from _approval(asker, title, ask)
    return (yield from call(asker.wire, _post("/v1/approvals", body), Approval))


def questions(asker: Asker, asked: Sequence[Question], ask: AskingQuestions) -> Flow[QuestionSet]:
    """Raises as `approval`."""
    body = yield from _questions(asker, asked, ask)
    return (yield from call(asker.wire, _post("/v1/questions", body), QuestionSet))


def preview_approval(asker: Asker, title: str, ask: AskingApproval) -> Flow[Preview]:
    """Raises as `approval`; nothing is stored or posted."""
    body = yield from _approval(asker, title, ask)
    return (yield from call(asker.wire, _post("/v1/approvals", body, query=_DRY), Preview))


def preview_questions(asker: Asker, asked: Sequence[Question], ask: AskingQuestions) -> Flow[Preview]:
    """As above."""
    body = yield from _questions(asker, asked, ask)
    return (yield from call(asker.wire, _post("/v1/questions", body, query=_DRY), Preview))


def _approval(asker: Asker, title: str, ask: AskingApproval) -> Flow[dict[str, Any]]:
    refuse_unknown(ask, AskingApproval, "request_approval")
    if "input" in ask:
        check_json(ask["input"])
    body = yield from _common(asker, ask)
    body["title"] = title
    body |= {name: ask[name] for name in _OF_APPROVALS if name in ask}  # type: ignore[literal-required]  # names of it
    if "run_within" in ask:
        body["run_within"] = seconds(ask["run_within"])
    if "facts" in ask:
        body["facts"] = [{"label": fact.label, "value": fact.value} for fact in _facts(ask["facts"])]
    if "links" in ask:
        body["links"] = [{"label": link.label, "url": link.url} for link in _links(ask["links"])]
    if "requested_by" in ask:
        (body["requested_by"],) = (
            yield from resolve(asker.wire, asker.names, [ask["requested_by"]], kinds=("user",))
        ).users
    deciding = yield from approvers(asker, ask)
    if deciding:
        body["approvers"] = deciding
    return body


def _questions(asker: Asker, asked: Sequence[Question], ask: AskingQuestions) -> Flow[dict[str, Any]]:
    refuse_unknown(ask, AskingQuestions, "ask_questions")
    body = yield from _common(asker, ask)
    body["questions"] = [_question(question) for question in asked]
    if "title" in ask:
        body["title"] = ask["title"]
    if "respondents" in ask:
        found = yield from people(asker, ask["respondents"])
        body["respondents"] = {"users": found.users, "groups": found.groups}
    return body


def seconds(given: Seconds) -> int:
    """Raises TypeError where it is not whole seconds."""
    if isinstance(given, timedelta):
        given = int(given.total_seconds()) if given.total_seconds().is_integer() else given
    if type(given) is not int:
        raise TypeError(f"give whole seconds or a timedelta of them, not {given!r}")
    return given


def _post(path: str, body: dict[str, Any], *, query: tuple[tuple[str, str], ...] = ()) -> Request:
    # Safe to repeat: run and operation (or, without one, the content) name the same ask.
    return Request(method="POST", path=path, query=query, body=dump_json(body))


def refuse_unknown(ask: Any, fields: type, verb: str) -> None:
    """As Python would say it of keywords that were written out. Raises TypeError."""
    for name in ask:
        if name not in fields.__annotations__:
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}")


def _common(asker: Asker, ask: Asking) -> Flow[dict[str, Any]]:
    run_id, operation_id = asker.run_of(ask)
    body: dict[str, Any] = {"run_id": run_id}
    if operation_id is not None:
        body["operation_id"] = operation_id
    body |= yield from place(asker, ask)
    if "reminders" in ask:
        body["reminders"] = _reminders(ask["reminders"])
    if "escalation" in ask:
        body["escalation"] = yield from _escalation(asker, ask["escalation"])
    resume = {name: ask[name] for name in ("webhook", "handler") if name in ask}
    if resume:
        body["resume"] = resume
    return body


def place(asker: Asker, ask: Mapping[str, Any]) -> Flow[dict[str, Any]]:
    """Where cards go and for how long, under which policy. Raises TypeError, UnknownName."""
    body: dict[str, Any] = {name: ask[name] for name in _AS_IT_IS if name in ask}
    where = yield from resolve(asker.wire, asker.names, listed(ask.get("to")), kinds=("channel", "user"))
    body |= {name: ids for name, ids in (("channels", where.channels), ("users", where.users)) if ids}
    if "expires_in" in ask:
        expires_in = ask["expires_in"]
        body["expires_in"] = None if expires_in is None else seconds(expires_in)
    return body


def approvers(asker: Asker, ask: Mapping[str, Any]) -> Flow[dict[str, Any]]:
    """Who decides, and by which rule; empty where nothing of it is said. Raises UnknownName."""
    found = yield from people(asker, ask.get("approvers"))
    named = {"users": found.users, "groups": found.groups, "keys": list(ask.get("approver_keys", ()))}
    terms = {name: ask[name] for name in _OF_APPROVERS if name in ask}
    return {name: ids for name, ids in named.items() if ids} | terms


def people(asker: Asker, names: Any) -> Flow[Found]:
    """Raises UnknownName."""
    return (yield from resolve(asker.wire, asker.names, listed(names), kinds=("user", "group")))


def _escalation(asker: Asker, steps: Sequence[Escalation]) -> Flow[list[dict[str, Any]]]:
    written = []
    for step in steps:
        found = yield from people(asker, step.to)
        written.append({"after": seconds(step.after), "users": found.users, "groups": found.groups})
    return written


def _reminders(reminders: Reminders) -> dict[str, Any]:
    written: dict[str, Any] = {"after": seconds(reminders.after), "most": reminders.most}
    if reminders.hours is not None:
        written["hours"] = _hours(reminders.hours)
    return written


def _hours(hours: Hours) -> dict[str, Any]:
    return {"start": hours.start, "end": hours.end, "zone": hours.zone, "days": list(hours.days)}


def _facts(given: dict[str, str] | Sequence[Fact]) -> Sequence[Fact]:
    return [Fact(label, value) for label, value in given.items()] if isinstance(given, dict) else given


def _links(given: dict[str, str] | Sequence[Link]) -> Sequence[Link]:
    return [Link(label, url) for label, url in given.items()] if isinstance(given, dict) else given


def _question(question: Question) -> dict[str, Any]:
    written: dict[str, Any] = {"id": question.id, "prompt": question.prompt}
    if question.description is not None:
        written["description"] = question.description
    if question.options:
        written["options"] = [_option(option) for option in question.options]
    written |= {name: True for name in ("multiple", "allow_other", "is_skippable") if getattr(question, name)}
    if question.default is not None:
        written["default"] = question.default if isinstance(question.default, str) else list(question.default)
    return written


def _option(given: str | Option) -> dict[str, str]:
    option = Option(given) if isinstance(given, str) else given
    written = {"id": option.id, "label": option.label}
    if option.description is not None:
        written["description"] = option.description
    return written
