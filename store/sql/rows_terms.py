"""Terms, course, policies and stops as JSON and rows: durations in seconds, instants as texts that sort."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, time, timedelta
from typing import Any

from store.sql.statement import Row
from store.sql.times import instant, read_time, time_text
from store.terms import EVERY_TOOL
from store.types import (
    Actor,
    ActorKind,
    Approvers,
    Course,
    Destination,
    Escalation,
    Extension,
    Fact,
    Hop,
    Link,
    OnExpiry,
    Policy,
    PolicyRef,
    Reminders,
    Settlement,
    Stop,
    Terms,
    Timer,
    TimerKind,
    WorkingHours,
)


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, time):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a row")


def dump(value: Any) -> str:
    """Of a frozen value: what is as it always is takes no room."""
    return json.dumps(_whole(asdict(value)), ensure_ascii=False, separators=(",", ":"), default=_plain)


def _whole(value: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in value.items() if each is not None and each not in ((), False)}


def dump_all(values: Sequence[Fact] | Sequence[Link]) -> str | None:
    return json.dumps([asdict(each) for each in values], ensure_ascii=False) if values else None


def facts(text: str | None) -> tuple[Fact, ...]:
    return tuple(Fact(**each) for each in json.loads(text or "[]"))


def links(text: str | None) -> tuple[Link, ...]:
    return tuple(Link(**each) for each in json.loads(text or "[]"))


# --- terms


def terms(text: str) -> Terms:
    return _terms(json.loads(text))


def _terms(said: dict[str, Any]) -> Terms:
    return Terms(
        policy=PolicyRef(**said["policy"]) if "policy" in said else None,
        on_expiry=OnExpiry(said.get("on_expiry", OnExpiry.EXPIRE)),
        reminders=_reminders(said["reminders"]) if "reminders" in said else None,
        escalation=tuple(_escalation(each) for each in said.get("escalation", ())),
        extension=_seconds(said.get("extension")),
        may_edit=said.get("may_edit", False),
        owner=said.get("owner"),
    )


def _reminders(said: dict[str, Any]) -> Reminders:
    hours = said.get("hours")
    return Reminders(
        after=timedelta(seconds=said["after"]),
        most=said["most"],
        hours=None if hours is None else _hours(hours),
    )


def _hours(said: dict[str, Any]) -> WorkingHours:
    return WorkingHours(
        start=time.fromisoformat(said["start"]),
        end=time.fromisoformat(said["end"]),
        zone=said["zone"],
        days=tuple(said["days"]),
    )


def _escalation(said: dict[str, Any]) -> Escalation:
    after = timedelta(seconds=said["after"])
    return Escalation(after=after, users=tuple(said.get("users", ())), groups=tuple(said.get("groups", ())))


def _seconds(said: float | None) -> timedelta | None:
    return None if said is None else timedelta(seconds=said)


# --- course


def course(text: str) -> Course:
    said = json.loads(text)
    given, settled = said.get("extension"), said.get("settlement")
    return Course(
        reminded_at=tuple(instant(each) for each in said.get("reminded_at", ())),
        hops=tuple(_hop(each) for each in said.get("hops", ())),
        warned_at=read_time(said.get("warned_at")),
        extension=given
        and Extension(actor=_actor(given["actor"]), at=instant(given["at"]), until=instant(given["until"])),
        settlement=settled and _settlement(settled),
        spent_claims=tuple(said.get("spent_claims", ())),
        taken_back_at=read_time(said.get("taken_back_at")),
    )


def _settlement(said: dict[str, Any]) -> Settlement:
    return Settlement(
        actor=_actor(said["actor"]),
        at=instant(said["at"]),
        happened=said["happened"],
        silent_at=read_time(said.get("silent_at")),
    )


def _hop(said: dict[str, Any]) -> Hop:
    return Hop(at=instant(said["at"]), users=tuple(said.get("users", ())), groups=tuple(said.get("groups", ())))


def _actor(said: dict[str, Any]) -> Actor:
    return Actor(kind=ActorKind(said["kind"]), id=said["id"], name=said["name"])


# --- policies, stops, timers


def policy_values(policy: Policy) -> dict[str, Any]:
    spec = {
        "approvers": asdict(policy.approvers),
        "destination": asdict(policy.destination),
        "tools": policy.tools,
        "max_expires": policy.max_expires,
        "terms": _whole(asdict(policy.terms)),
    }
    return {
        "tenant": policy.tenant,
        "name": policy.name,
        "set_at": policy.set_at,
        "setter_kind": policy.set_by.kind.value,
        "setter_id": policy.set_by.id,
        "setter_name": policy.set_by.name,
        "spec": json.dumps(spec, ensure_ascii=False, separators=(",", ":"), default=_plain),
        "removed": policy.removed,
    }


def policy(row: Row) -> Policy:
    said = json.loads(row["spec"])
    return Policy(
        tenant=row["tenant"],
        name=row["name"],
        revision=row["revision"],
        set_at=instant(row["set_at"]),
        set_by=_actor_of(row, "setter"),
        approvers=Approvers(**_tuples(said["approvers"])),
        destination=Destination(**_tuples(said["destination"])),
        tools=tuple(said["tools"]),
        max_expires=_seconds(said["max_expires"]),
        terms=_terms(said["terms"]),
        removed=bool(row["removed"]),
    )


def stop_values(stop: Stop) -> dict[str, Any]:
    return {
        "tenant": stop.tenant,
        "id": stop.id,
        "tool": EVERY_TOOL if stop.tool is None else stop.tool,
        "stopper_kind": stop.actor.kind.value,
        "stopper_id": stop.actor.id,
        "stopper_name": stop.actor.name,
        "at": stop.at,
        "reason": stop.reason,
    }


def stop(row: Row) -> Stop:
    return Stop(
        tenant=row["tenant"],
        id=row["id"],
        tool=row["tool"],
        actor=_actor_of(row, "stopper"),
        at=instant(row["at"]),
        reason=row["reason"],
        ended_at=read_time(row["ended_at"]),
        ended_by=None if row["ender_kind"] is None else _actor_of(row, "ender"),
    )


def timer_values(timer: Timer) -> dict[str, Any]:
    return {**asdict(timer), "kind": timer.kind.value}


def timer(row: Row) -> Timer:
    return Timer(
        tenant=row["tenant"],
        interaction_id=row["interaction_id"],
        kind=TimerKind(row["kind"]),
        due_at=instant(row["due_at"]),
        turn=row["turn"],
    )


def _actor_of(row: Row, role: str) -> Actor:
    return Actor(kind=ActorKind(row[f"{role}_kind"]), id=row[f"{role}_id"], name=row[f"{role}_name"])


def _tuples(value: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(each) if isinstance(each, list) else each for name, each in value.items()}
