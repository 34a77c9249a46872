"""What the command line says about a database: lines of text from rows."""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.keys import make_key, token_sha256
from bot.settings import PERSON, HalfConfigured, missing_file
from store import errors
from store.protocol import Store
from store.types import Answer, Approval, Event, Interaction, Key, Posting, QuestionSet, ResumeKind, Scope

_SPAN = re.compile(r"([1-9][0-9]{0,5})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
_MOST_NAME = 80
#: Of a key that can do what the README does with one.
MAKE_KEY = "`signoff-bot keys create --scopes ask,read --name ci-bot --any-approvers`"
_LONGEST = timedelta(days=3650)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A key as the command line asks for it: all text."""

    tenant: str
    name: str
    scopes: str
    any_approvers: bool
    expires: str | None
    owner: str | None
    both: bool


async def create_key(store: Store, wanted: Wanted) -> str:
    """Store a new key; the token is returned, and known nowhere else.

    Raises:
        HalfConfigured: a scope, span or user id that is none.
    """
    scopes, lasts = readable(wanted)
    now = await store.now()
    made = make_key(
        tenant=wanted.tenant,
        name=wanted.name,
        scopes=scopes,
        now=now,
        expires_at=None if lasts is None else now + lasts,
        any_approvers=wanted.any_approvers,
        owner=wanted.owner,
        both=wanted.both,
    )
    try:
        await store.create_key(key=made.key, secret_sha256=token_sha256(made.token))
    except errors.Conflict:
        raise HalfConfigured(
            f"there is a key named {wanted.name!r} already; revoke it first or choose another"
        ) from None
    return made.token


def readable(wanted: Wanted) -> tuple[frozenset[Scope], timedelta | None]:
    """Its scopes, and how long it lasts (None: for ever). Raises HalfConfigured as `create_key`."""
    if not wanted.name.strip() or not wanted.name.isprintable() or len(wanted.name) > _MOST_NAME:
        raise HalfConfigured(f"--name: 1 to {_MOST_NAME} printable characters; cards show it as the asker")
    if wanted.owner is not None and PERSON.fullmatch(wanted.owner) is None:
        raise HalfConfigured(f"--owner: {wanted.owner!r} is no Slack user id (U…)")
    scopes = _scopes(wanted.scopes)
    if {Scope.ASK, Scope.DECIDE} <= scopes and not wanted.both:
        raise HalfConfigured("a key that asks and decides could approve its own asks; say --both if that is meant")
    return scopes, None if wanted.expires is None else _span(wanted.expires)


async def is_current(url: str) -> bool:
    """Whether a migration would have nothing to do; says nothing about why not. Makes no file."""
    from store.open import open_store

    if url.startswith("sqlite"):
        return _file_is_current(url)
    try:
        store = await open_store(url)
    except errors.SchemaOutdated:
        return False
    await store.close()
    return True


def _file_is_current(url: str) -> bool:
    from store.migrations import HEAD
    from store.sql.sqlite_file import version
    from store.sql.url import sqlite_path

    if missing_file(url) is not None:
        return False
    with closing(sqlite3.connect(sqlite_path(url))) as connection:
        return version(connection) == HEAD


async def key_lines(store: Store, tenant: str) -> Sequence[str]:
    now = await store.now()
    lines = []
    for key in await store.list_keys(tenant=tenant):
        scopes = ",".join(sorted(scope.value for scope in key.scopes))
        extras = "".join([" any-approvers" * key.any_approvers, f" owner {key.owner}" if key.owner else ""])
        lines.append(f"{key.name:<24} {scopes:<24} {_life(key, now)}{extras}")
    return lines or [f"No keys. {MAKE_KEY} makes one."]


def _life(key: Key, now: datetime) -> str:
    if key.revoked_at is not None:
        return f"revoked {_time(key.revoked_at)}"
    if key.expires_at is None:
        return "for ever"
    return f"{'until' if key.expires_at > now else 'expired'} {_time(key.expires_at)}"


async def revoke_line(store: Store, tenant: str, name: str) -> str:
    if not await store.revoke_key(tenant=tenant, name=name, at=await store.now()):
        raise HalfConfigured(f"there is no live key named {name!r}; `signoff-bot keys list` shows all")
    return f"{name} is revoked."


async def pending_lines(store: Store, tenant: str) -> Sequence[str]:
    pending = await store.list_pending(tenant=tenant)
    return [_row(interaction) for interaction in pending] or ["Nothing waits."]


async def show_lines(store: Store, tenant: str, id: str) -> Sequence[str]:
    interaction = await _one(store, tenant, id)
    postings = await store.find_postings(tenant=tenant, interaction_ids=[interaction.id])
    events = await store.list_events(tenant=tenant, interaction_id=interaction.id)
    return [
        f"{interaction.id}  {interaction.kind}  {interaction.state}",
        f"title      {interaction.title}",
        f"run        {interaction.run_id} · operation {interaction.operation_id}",
        f"asked by   {_asker(interaction)} at {_time(interaction.created_at)}",
        f"may decide {_deciders(interaction)}",
        f"deadline   {_time(interaction.expires_at) if interaction.expires_at else 'none'}",
        *_content(interaction),
        *_resume(interaction),
        *(_copy(copy) for copy in postings[interaction.id]),
        *(_event(event) for event in events),
    ]


async def wake_line(store: Store, tenant: str, id: str) -> str:
    interaction = await _one(store, tenant, id)
    if not await store.wake(tenant=tenant, id=interaction.id, now=await store.now()):
        raise HalfConfigured(_untold(interaction))
    return f"The run {interaction.run_id} is told again."


def _untold(interaction: Interaction) -> str:
    """Why there is nothing to tell."""
    if interaction.is_pending:
        return f"{interaction.id} still waits for its people: there is nothing to tell its run yet"
    if interaction.resume.kind is ResumeKind.PULL:
        return f"{interaction.id} is {interaction.state}; its run asks for that itself and cannot be told"
    return f"{interaction.id} is {interaction.state}, and its run has been told or has claimed it"


async def _one(store: Store, tenant: str, id: str) -> Interaction:
    found = await store.find_by_code(tenant=tenant, code=id)
    if len(found) == 1:
        return found[0]
    if not found:
        raise HalfConfigured(f"no request {id} here")
    names = ", ".join(interaction.id for interaction in found)
    raise HalfConfigured(f"{id} is not unique: {names}")


def _content(interaction: Interaction) -> list[str]:
    if isinstance(interaction, Approval):
        lines = [f"digest     {interaction.digest}"]
        if interaction.tool_name is not None:
            lines.append(f"will run   {interaction.tool_name} {interaction.input_json}")
        if interaction.feedback is not None:
            lines.append(f"reason     {interaction.feedback}")
        if interaction.claim is not None:
            verb = "may run" if interaction.claim.execute else "may not run"
            lines.append(f"claimed    {_time(interaction.claim.at)} by {interaction.claim.worker or '?'}: {verb}")
        if interaction.execution is not None:
            said = f" · {interaction.execution.detail}" if interaction.execution.detail else ""
            lines.append(f"execution  {interaction.execution.status} at {_time(interaction.execution.at)}{said}")
        return lines
    assert isinstance(interaction, QuestionSet)
    answers = interaction.answers or {}
    return [f"asks       {q.prompt} → {_said(answers.get(q.id))}" for q in interaction.questions]


def _resume(interaction: Interaction) -> Iterator[str]:
    """How the run is told, and how that went."""
    so_far = interaction.resumption
    parts = [f"{interaction.resume.kind} {interaction.resume.target or ''}".strip()]
    if so_far.told_at is not None:
        parts.append(f"told at {_time(so_far.told_at)}")
    if so_far.due_at is not None:
        parts.append(f"next at {_time(so_far.due_at)}")
    parts.append(f"{so_far.wakes} wake{'' if so_far.wakes == 1 else 's'}")
    yield f"resume     {' · '.join(parts)}"
    if so_far.last_error is not None:
        yield f"last error {so_far.last_error}"
    if so_far.stuck_at is not None:
        yield f"stuck      since {_time(so_far.stuck_at)}"


def _said(answer: Answer | None) -> str:
    if answer is None:
        return "…"
    if answer.is_skipped:
        return "(skipped)"
    return " · ".join(answer.value) if isinstance(answer.value, tuple) else str(answer.value)


def _asker(interaction: Interaction) -> str:
    key = interaction.asked_by.name or interaction.asked_by.id
    return f"{key} for {interaction.requested_by}" if interaction.requested_by else key


def _deciders(interaction: Interaction) -> str:
    approvers = interaction.approvers
    named = [*approvers.users, *(f"group {group}" for group in approvers.groups)]
    keys = [f"key {key}" for key in approvers.keys]
    return ", ".join([*named, *keys])


def _row(interaction: Interaction) -> str:
    deadline = f"until {_time(interaction.expires_at)}" if interaction.expires_at else "no deadline"
    where = ", ".join([*interaction.destination.channels, *interaction.destination.users])
    people = f"for {_deciders(interaction)} in {where}"
    return f"{interaction.short_code}  {interaction.kind:<8}  {deadline:<26}  {interaction.title}  {people}"


def _copy(copy: Posting) -> str:
    where = copy.permalink or copy.channel or copy.address
    behind = "" if copy.painted == copy.wanted else f" · behind ({copy.painted}/{copy.wanted})"
    return f"copy       {copy.role} {where} · {copy.state}{behind}{f' · {copy.error}' if copy.error else ''}"


def _event(event: Event) -> str:
    """The arrow stands only where the state changed; a report says what it reported."""
    who = event.actor.name or event.actor.id or event.actor.kind
    what = event.details.get("status")
    if event.old_state is not event.new_state:
        what = f"{event.old_state} → {event.new_state}"
    return f"event      {_time(event.at)} {event.action} by {who} ({event.surface}){f': {what}' if what else ''}"


def _scopes(text: str) -> frozenset[Scope]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Scope)]
    if unknown or not names:
        raise HalfConfigured(f"--scopes: {', '.join(unknown) or 'nothing'} is no scope; choose of {', '.join(Scope)}")
    return frozenset(Scope(name) for name in names)


def _span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise HalfConfigured(f"--expires: {text!r} is no span; write 90d, 12h or 30m")
    span = timedelta(**{_UNITS[found[2]]: int(found[1])})
    if span > _LONGEST:
        raise HalfConfigured(f"--expires: at most {_LONGEST.days}d; leave it out for a key without an end")
    return span


def _time(at: datetime | None) -> str:
    return "?" if at is None else at.strftime("%Y-%m-%d %H:%M UTC")
