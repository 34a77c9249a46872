"""What the command line says about a database: lines of text from rows."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot import policy_words
from bot.keys import make_key, token_sha256
from bot.policy_console import missing_policies
from bot.settings import PERSON, HalfConfigured, missing_file
from bot.spans import span
from store import errors
from store.protocol import Store
from store.types import Approval, Interaction, Key, ResumeKind, Scope

_MOST_NAME = 80
#: Of a key that can do what the README does with one.
MAKE_KEY = "`signoff-bot keys create --scopes ask,read --name ci-bot --any-approvers`"
_LONGEST = timedelta(days=3650)
_NO_END = "; leave it out for a key without an end"


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
    policy: str | None = None

    @property
    def policies(self) -> tuple[str, ...]:
        named = (name.strip() for name in (self.policy or "").split(","))
        return tuple(dict.fromkeys(name for name in named if name))


async def create_key(store: Store, wanted: Wanted) -> str:
    """Store a new key; the token is returned, and known nowhere else.

    Raises:
        HalfConfigured: a scope, span or user id that is none, or a policy that is not there.
    """
    scopes, lasts = readable(wanted)
    missing = await missing_policies(store, wanted.tenant, wanted.policies)
    if missing:
        raise HalfConfigured(f"--policy: there is no policy {missing[0]!r}; `signoff-bot policy set` makes one")
    now = await store.now()
    made = make_key(
        tenant=wanted.tenant,
        name=wanted.name,
        scopes=scopes,
        now=now,
        expires_at=None if lasts is None else now + lasts,
        any_approvers=wanted.any_approvers,
        owner=wanted.owner,
        policies=wanted.policies,
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
    if wanted.any_approvers and wanted.policy is not None:
        raise HalfConfigured("--any-approvers: asks of a key with --policy always come under one; leave it out")
    return scopes, None if wanted.expires is None else span(
        wanted.expires, option="--expires", most=_LONGEST, else_=_NO_END
    )


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
        bound = f" policy {','.join(key.policies)}" if key.policies else ""
        extras = "".join([" any-approvers" * key.any_approvers, bound, f" owner {key.owner}" if key.owner else ""])
        lines.append(f"{key.name:<24} {scopes:<24} {_life(key, now)}{extras}")
    return lines or [f"No keys. {MAKE_KEY} makes one."]


def _life(key: Key, now: datetime) -> str:
    if key.revoked_at is not None:
        return f"revoked {moment(key.revoked_at)}"
    if key.expires_at is None:
        return "for ever"
    return f"{'until' if key.expires_at > now else 'expired'} {moment(key.expires_at)}"


async def revoke_line(store: Store, tenant: str, name: str) -> str:
    if not await store.revoke_key(tenant=tenant, name=name, at=await store.now()):
        raise HalfConfigured(f"there is no live key named {name!r}; `signoff-bot keys list` shows all")
    return f"{name} is revoked."


async def pending_lines(store: Store, tenant: str) -> Sequence[str]:
    pending = await store.list_pending(tenant=tenant)
    return [_row(interaction) for interaction in pending] or ["Nothing waits."]


async def wake_line(store: Store, tenant: str, id: str) -> str:
    interaction = await find_one(store, tenant, id)
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


async def find_one(store: Store, tenant: str, id: str) -> Interaction:
    found = await store.find_by_code(tenant=tenant, code=id)
    if len(found) == 1:
        return found[0]
    if not found:
        raise HalfConfigured(f"no request {id} here")
    names = ", ".join(interaction.id for interaction in found)
    raise HalfConfigured(f"{id} is not unique: {names}")


def deciders(interaction: Interaction) -> str:
    """Those who may by now: escalation adds some."""
    return policy_words.people(interaction.deciders)


def progress(interaction: Interaction) -> str:
    """` · 1 of 2` approvals, where more than one is needed and people still vote."""
    if not isinstance(interaction, Approval) or interaction.approvers.quorum == 1 or not interaction.is_pending:
        return ""
    for_it = sum(vote.decision.allows for vote in interaction.votes)
    return f" · {for_it} of {interaction.approvers.quorum}"


def _row(interaction: Interaction) -> str:
    deadline = f"until {moment(interaction.expires_at)}" if interaction.expires_at else "no deadline"
    where = ", ".join([*interaction.destination.channels, *interaction.destination.users])
    people = f"for {deciders(interaction)} in {where}{progress(interaction)}"
    return f"{interaction.short_code}  {interaction.kind:<8}  {deadline:<26}  {interaction.title}  {people}"


def _scopes(text: str) -> frozenset[Scope]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Scope)]
    if unknown or not names:
        raise HalfConfigured(f"--scopes: {', '.join(unknown) or 'nothing'} is no scope; choose of {', '.join(Scope)}")
    return frozenset(Scope(name) for name in names)


def moment(at: datetime | None) -> str:
    return "?" if at is None else at.strftime("%Y-%m-%d %H:%M UTC")
