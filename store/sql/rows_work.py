"""Rows of postings, events, keys and installations, as in `store.sql.rows`."""

import json
from typing import Any

from store.rules import Change
from store.sql.rows import dump
from store.sql.statement import Row
from store.sql.times import instant, read_time
from store.types import (
    About,
    Actor,
    ActorKind,
    Event,
    Installation,
    Interaction,
    Key,
    Lease,
    Posting,
    Role,
    Scope,
    State,
    Surface,
)
from store.work import PostingWork


def posting_work(row: Row) -> PostingWork:
    until = read_time(row["leased_until"])
    return PostingWork(
        posting=posting(row),
        due_at=instant(row["due_at"]),
        lease=None if until is None else Lease(token=row["lease"], until=until),
        is_copy=bool(row["is_copy"]),
        given_up=bool(row["given_up"]),
    )


def posting(row: Row) -> Posting:
    return Posting(
        tenant=row["tenant"],
        id=row["id"],
        interaction_id=row["interaction_id"],
        role=Role(row["role"]),
        address=row["address"],
        about=None if row["about"] is None else About(row["about"]),
        turn=row["turn"],
        channel=row["channel"],
        thread_ts=row["thread_ts"],
        ts=row["ts"],
        permalink=row["permalink"],
        wanted=row["wanted"],
        painted=row["painted"],
        attempts=row["attempts"],
        error=row["error"],
        failed_at=read_time(row["failed_at"]),
    )


def posting_values(work: PostingWork) -> dict[str, Any]:
    """All columns of a posting's row."""
    posting = work.posting
    return {
        "tenant": posting.tenant,
        "id": posting.id,
        "interaction_id": posting.interaction_id,
        "role": posting.role.value,
        "address": posting.address,
        "about": posting.about and posting.about.value,
        "turn": posting.turn,
        "is_copy": work.is_copy,
        "channel": posting.channel,
        "thread_ts": posting.thread_ts,
        "ts": posting.ts,
        "permalink": posting.permalink,
        "wanted": posting.wanted,
        "painted": posting.painted,
        "due_at": work.due_at,
        "attempts": posting.attempts,
        "error": posting.error,
        "failed_at": posting.failed_at,
        "given_up": work.given_up,
        "lease": work.lease and work.lease.token,
        "leased_until": work.lease and work.lease.until,
    }


def event_values(change: Change[Any], *, attempt: str) -> dict[str, Any]:
    """What a transition's event says; tenant, interaction and seq come from the row that it changed."""
    after: Interaction = change.interaction
    return {
        "event_at": change.at,
        "action": change.action,
        "actor_kind": change.actor.kind.value,
        "actor_id": change.actor.id,
        "actor_name": change.actor.name,
        "surface": change.surface.value,
        "old_state": change.old_state.value,
        "new_state": after.state.value,
        "details": dump(dict(change.details)),
        "attempt": attempt,
    }


def event(row: Row) -> Event:
    return Event(
        tenant=row["tenant"],
        seq=row["seq"],
        interaction_id=row["interaction_id"],
        at=instant(row["at"]),
        action=row["action"],
        actor=Actor(kind=ActorKind(row["actor_kind"]), id=row["actor_id"], name=row["actor_name"]),
        surface=Surface(row["surface"]),
        old_state=State(row["old_state"]),
        new_state=State(row["new_state"]),
        details=json.loads(row["details"]),
    )


def key_values(key: Key, *, secret_sha256: str) -> dict[str, Any]:
    return {
        "tenant": key.tenant,
        "id": key.id,
        "name": key.name,
        "secret_sha256": secret_sha256,
        "scopes": dump(sorted(key.scopes)),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "any_approvers": key.any_approvers,
        "owner": key.owner,
        "policies": dump(key.policies),
    }


def key(row: Row) -> Key:
    return Key(
        tenant=row["tenant"],
        id=row["id"],
        name=row["name"],
        scopes=frozenset(Scope(scope) for scope in json.loads(row["scopes"])),
        created_at=instant(row["created_at"]),
        expires_at=read_time(row["expires_at"]),
        revoked_at=read_time(row["revoked_at"]),
        any_approvers=bool(row["any_approvers"]),
        owner=row["owner"],
        policies=tuple(json.loads(row["policies"])),
    )


def installation_values(installation: Installation) -> dict[str, Any]:
    return {
        "tenant": installation.tenant,
        "team_id": installation.team_id,
        "enterprise_id": installation.enterprise_id,
        "app_id": installation.app_id,
        "bot_user_id": installation.bot_user_id,
        "bot_id": installation.bot_id,
        "team_name": installation.team_name,
        "team_url": installation.team_url,
        "bound_at": installation.bound_at,
    }


def installation(row: Row) -> Installation:
    return Installation(
        tenant=row["tenant"],
        team_id=row["team_id"],
        enterprise_id=row["enterprise_id"],
        app_id=row["app_id"],
        bot_user_id=row["bot_user_id"],
        bot_id=row["bot_id"],
        team_name=row["team_name"],
        team_url=row["team_url"],
        bound_at=instant(row["bound_at"]),
    )
