"""Pending interrupts of an agent framework, kept as approvals: the third origin's store, on every backend.

A record is a JSON object `{interruptId, request, status, savedAt, …}`, kept verbatim: `load` gives back what `save` was
given, fields that we do not know too. What people see of it is drawn from its request (`interrupt_cards`).

An interrupt is a run of its own: its `run_id` is its id. Its first ask has the id as `operation_id` too, the n-th has
`<id>#<n>`. An id that is too long or too odd for a column stands there as its hash. Each ask is made once the one
before it is over, or takes its place in the same transaction: so at most one is live, however many processes save.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from store import errors
from store.digest import action_digest
from store.ids import new_id, new_token
from store.interrupt_cards import Shown, shown
from store.outcomes import Claimed
from store.protocol import Store
from store.schema import schema
from store.types import (
    Actor,
    ActorKind,
    Approval,
    Approvers,
    Destination,
    Kind,
    Risk,
    Surface,
    Terms,
)

#: Who asks, withdraws and replaces; cards show the agent's name beside it.
ASKER = "interrupts"
_LONGEST_ID = 190
_HASHED = "interrupt-sha256-"
_PAGE = 200
_MOMENT = timedelta(microseconds=1)


class BadRecord(ValueError):
    """Not a record that could be kept and given back as it is; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Audience:
    """Where the cards go and who may decide, once for all interrupts of a store.

    `requested_by`: the Slack user for whom the agents act; may not decide unless `approvers` allows it. `schemas`: JSON
    Schema (as text) of the args, by tool name: an approver may edit those, where one person decides.
    """

    approvers: Approvers
    destination: Destination
    requested_by: str | None = None
    risk: Risk = Risk.MEDIUM
    schemas: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class InterruptDecision:
    """What a person said of an interrupt. `record`: as it was saved. It stays the same for good.

    `type`: `approve`, `reject` (with a `reason`) or `edit` (with `args`, which stand in the place of the record's).
    Nothing runs because of this: run what `InterruptStore.claim` says `execute` of, so that it runs once.
    """

    type: str
    record: dict[str, Any]
    approval: Approval
    reason: str | None = None
    args: Any = None

    def as_json(self) -> dict[str, Any]:
        """In the words of the origin: `{"type": "approve"}`, `{"type": "reject", "reason": …}`, `{"type": "edit", …}`."""
        said: dict[str, Any] = {"type": self.type}
        if self.type == "edit":
            said["args"] = self.args
        return said if self.reason is None else {**said, "reason": self.reason}


class InterruptStore:
    """One for each audience; any number of processes may share the rows."""

    def __init__(self, store: Store, *, tenant: str, audience: Audience) -> None:
        """Raises ValueError for an audience that nobody is in: without a deadline its cards would wait for ever."""
        who, where = audience.approvers, audience.destination
        if not (who.users or who.groups or who.keys):
            raise ValueError("the audience's approvers name nobody: give users, groups or keys")
        if not (where.channels or where.users):
            raise ValueError("the audience's destination names no channel and no user: cards would go nowhere")
        self._store = store
        self._tenant = tenant
        self._audience = audience

    async def save(self, record: Mapping[str, Any]) -> None:
        """Ask people about a pending record, without a deadline; the live one of the same id is superseded.

        The very same record, while it is live, changes nothing: a save whose reply was lost may be repeated. After a
        decision it asks anew. A record whose status is `resolved` withdraws what is still pending, and decides nothing.

        Raises:
            BadRecord: no `interruptId`, another status, or not JSON. Nothing was stored.
            Conflict: somebody asked this operation by other means.
            Unconfirmed: as the store's; saving again is safe.
        """
        kept = _kept(record)
        interrupt_id = _text(record.get("interruptId"))
        if record.get("status") == "resolved":
            await self._withdraw(interrupt_id, reason="resolved elsewhere")
        elif record.get("status") == "pending":
            await self._ask(interrupt_id, kept, shown(record))
        else:
            raise BadRecord("status is neither 'pending' nor 'resolved'")

    async def load(self, interrupt_id: str) -> dict[str, Any] | None:
        """The live record as it was saved; None where none is, or once it was decided, resolved or deleted."""
        live = await self._last(interrupt_id)
        return None if live is None or not live.is_pending else _read(live)

    async def delete(self, interrupt_id: str) -> None:
        """Withdraw what is live. Nothing to withdraw: nothing happens."""
        await self._withdraw(interrupt_id, reason="deleted by its run")

    async def list(self, prefix: str = "") -> Sequence[str]:
        """The ids of what is live, sorted; those that begin with `prefix`, in which no letter means anything else."""
        found: list[str] = []
        after: str | None = None
        while True:
            page = await self._store.list_recorded(tenant=self._tenant, after=after, limit=_PAGE)
            found += [str(_read(each)["interruptId"]) for each in page]
            if len(page) < _PAGE:
                return sorted(each for each in found if each.startswith(prefix))
            after = page[-1].id

    def schema(self) -> str:
        """The DDL of the database that this works on, for those who run their own migrations; empty on memory."""
        return schema(self._store.dialect)

    async def decision(self, interrupt_id: str) -> InterruptDecision | None:
        """What a person decided of the newest ask; None where it waits, or ended undecided, or was never asked."""
        last = await self._last(interrupt_id)
        return None if last is None or not last.state.is_decided else _decision(last)

    async def claim(
        self, decision: InterruptDecision, *, claim_id: str | None = None, worker: str | None = None
    ) -> Claimed:
        """Take the single execution that a decision authorizes, whoever else has it too: run only on `execute`.

        `claim_id`: made by the caller, and given again where the reply was lost; without one, a new one.

        Raises:
            Unconfirmed: as the store's; give the same `claim_id` again.
        """
        return await self._store.claim_approval(
            tenant=self._tenant,
            id=decision.approval.id,
            claim_id=claim_id or f"clm_{new_token()}",
            digest=decision.approval.approved_digest,
            at=await self._store.now(),
            worker=worker,
        )

    async def _ask(self, interrupt_id: str, kept: str, card: Shown) -> None:
        """Until the newest ask of this interrupt is this one: whoever loses a race looks again."""
        while True:
            last = await self._last(interrupt_id)
            if last is not None and last.is_pending and last.record == kept:
                return
            now = await self._store.now()
            asked = self._approval(interrupt_id, kept, card, last=last, now=now)
            try:
                created = await self._store.create_approval(approval=asked)
            except errors.AlreadyResolved:
                continue
            except errors.Conflict as conflict:
                if await self._is_ours(conflict.id):
                    continue
                raise
            if created.created or created.interaction.is_pending:
                return

    def _approval(self, interrupt_id: str, kept: str, card: Shown, *, last: Approval | None, now: datetime) -> Approval:
        """The ask that comes after `last`, and in its place where that still waits."""
        audience, key = self._audience, _key(interrupt_id)
        number = 1 if last is None else _number(last) + 1
        # Later than the one before it, whatever the clocks say: the newest is found by this.
        at = now if last is None else max(now, last.created_at + _MOMENT)
        input_schema = audience.schemas.get(card.tool_name) if card.is_whole else None
        return Approval(
            tenant=self._tenant,
            id=new_id("apr", now=at),
            run_id=key,
            operation_id=key if number == 1 else f"{key}#{number}",
            title=card.title,
            request_digest=hashlib.sha256(kept.encode()).hexdigest(),
            created_at=at,
            expires_at=None,
            asked_by=replace(_asker(), name=card.agent),
            requested_by=audience.requested_by,
            approvers=audience.approvers,
            destination=audience.destination,
            terms=Terms(may_edit=input_schema is not None and audience.approvers.quorum == 1),
            supersedes=last.id if last is not None and last.is_pending else None,
            digest=action_digest(
                title=card.title, body=card.body, tool_name=card.tool_name, input_json=card.input_json
            ),
            body=card.body,
            tool_name=card.tool_name,
            input_json=card.input_json,
            facts=card.facts,
            input_schema=input_schema,
            risk=audience.risk,
            record=kept,
        )

    async def _withdraw(self, interrupt_id: str, *, reason: str) -> None:
        live = await self._last(interrupt_id)
        if live is None or not live.is_pending:
            return
        await self._store.withdraw(
            tenant=self._tenant,
            id=live.id,
            actor=_asker(),
            at=await self._store.now(),
            surface=Surface.API,
            reason=reason,
        )

    async def _last(self, interrupt_id: str) -> Approval | None:
        """The newest ask of this interrupt."""
        cursor: str | None = None
        while True:
            page = await self._store.list_interactions(
                tenant=self._tenant, kind=Kind.APPROVAL, run_id=_key(interrupt_id), cursor=cursor, limit=2
            )
            for each in page.items:
                # Somebody else may have asked something in a run of this name.
                if isinstance(each, Approval) and each.record is not None:
                    return each
            cursor = page.next_cursor
            if cursor is None:
                return None

    async def _is_ours(self, id: str) -> bool:
        found = await self._store.find_approval(tenant=self._tenant, id=id)
        return found is not None and found.record is not None


def _asker() -> Actor:
    return Actor(kind=ActorKind.API_KEY, id=ASKER, name=ASKER)


def _text(interrupt_id: object) -> str:
    if not isinstance(interrupt_id, str) or not interrupt_id:
        raise BadRecord("interruptId is missing: give a text that is not empty")
    return interrupt_id


def _kept(record: Mapping[str, Any]) -> str:
    """As JSON in ASCII: any database takes that, whatever letters the record holds."""
    try:
        kept = json.dumps(record, allow_nan=False, separators=(",", ":"))
        if json.loads(kept) == record:
            return kept
    except (TypeError, ValueError, RecursionError):
        pass
    raise BadRecord("the record is not JSON: objects with text keys, lists, texts, finite numbers, true, false, null")


def _read(approval: Approval) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(approval.record or "{}")
    return record


def _key(interrupt_id: str) -> str:
    """The id where it can stand in a column; else its hash, which no id that stands for itself looks like."""
    is_plain = 0 < len(interrupt_id) <= _LONGEST_ID and interrupt_id.isprintable()
    if is_plain and not interrupt_id.startswith(_HASHED):
        return interrupt_id
    return _HASHED + hashlib.sha256(json.dumps(interrupt_id).encode()).hexdigest()


def _number(approval: Approval) -> int:
    """The how-manieth ask of its interrupt it is."""
    rest = approval.operation_id.removeprefix(approval.run_id)
    return int(rest.removeprefix("#")) if rest else 1


def _decision(approval: Approval) -> InterruptDecision:
    record = _read(approval)
    if not approval.decision or not approval.decision.allows:
        reason = approval.feedback or "Denied, without a reason."
        return InterruptDecision(type="reject", record=record, approval=approval, reason=reason)
    if approval.edited is None:
        return InterruptDecision(type="approve", record=record, approval=approval)
    args = json.loads(approval.edited.input_json)
    return InterruptDecision(type="edit", record=record, approval=approval, reason=approval.feedback, args=args)
