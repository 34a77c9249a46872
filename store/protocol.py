"""The store's contract. What becomes true atomically, who may lose and what is raised is said here and nowhere else.

Every call is keyword-only. `at` and `now` are aware UTC instants given by the caller; a backend never asks a clock,
except in `now()`. Every transition (create, vote, decide, answer, expire, withdraw, supersede, claim, report) commits
in one transaction: the row, its event, `wanted + 1` on all its postings, and what its resumption is due. A transition
whose commit was not confirmed raises `errors.Unconfirmed` after one repeat; calling again is always safe.
A row of another tenant looks like a missing one: `errors.NotFound`.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from store.outcomes import Answered, Claimed, Created, Decided, Extended, Page, Settled, TakenBack, Withdrawn
from store.protocol_control import Policies as Policies
from store.protocol_control import Stops as Stops
from store.protocol_control import Timers as Timers
from store.protocol_deliveries import Deliveries as Deliveries
from store.protocol_deliveries import Records as Records
from store.protocol_runs import Runs as Runs
from store.protocol_work import Drafts as Drafts
from store.protocol_work import Postings as Postings
from store.protocol_work import Resumptions as Resumptions
from store.types import (
    Actor,
    Answer,
    Approval,
    Decision,
    Edited,
    Event,
    ExecutionStatus,
    Installation,
    Interaction,
    Key,
    Kind,
    QuestionSet,
    State,
    Surface,
)


class Interactions(Protocol):
    """Asking, deciding, answering, claiming: the compare-and-sets."""

    async def create_question(self, *, question: QuestionSet) -> Created[QuestionSet]:
        """Store a pending question set with one posting of role `card` for each destination, born behind.

        The same (tenant, run_id, operation_id) again with the same `request_digest` returns what stands, resolved or
        not, `created=False`, and writes nothing. Unique over both kinds. Two at once: one creates, both return it.

        Raises:
            Conflict: the operation was asked with other content, or as the other kind.
        """
        ...

    async def create_approval(self, *, approval: Approval) -> Created[Approval]:
        """As `create_question`; with `approval.supersedes`, the old one is superseded in the same transaction.

        An old one that ended undecided (expired or denied by its deadline, withdrawn), or without a run (claimed too
        late or in a changed world), stays as it is. The old one's `superseded_by` names the
        new one, and its resolver is the new one's requester (or asking key).

        Raises:
            Conflict: as above.
            NotFound: no such approval to supersede in this tenant.
            AlreadyResolved: the old one was decided, or is superseded by another. Nothing was stored.
        """
        ...

    async def decide_approval(
        self,
        *,
        tenant: str,
        id: str,
        actor: Actor,
        decision: Decision,
        at: datetime,
        surface: Surface,
        feedback: str | None = None,
        digest: str | None = None,
        edited: Edited | None = None,
    ) -> Decided:
        """Record one person's vote; the vote that reaches the quorum decides, and the denial that is one too many.

        Compared is `at` with the deadline, in the statement itself: a vote at or after it commits the expiry and
        returns `already_resolved=True, state=expired` (or denied, where the ask says so), swept or not. One vote per
        actor: the same vote again while pending changes nothing; another one, or another reason for it, replaces it.
        Of all racing decisions exactly one returns `already_resolved=False` with a resolved approval. `edited`: the
        input as the one approver changed it, stored with the decision.

        Raises:
            NotFound: no such approval.
            DigestMismatch: `digest` was given and is not the approval's.
            ValueError: `edited` with a denial, or where it takes more than one. Nothing changed.
        """
        ...

    async def answer_question(
        self,
        *,
        tenant: str,
        id: str,
        actor: Actor,
        answers: Mapping[str, Answer],
        at: datetime,
        surface: Surface,
    ) -> Answered:
        """Record all answers at once; the first caller wins. Late as in `decide_approval`.

        The answers are already checked against the questions (`store.answers`).

        Raises:
            NotFound: no such question set.
        """
        ...

    async def claim_approval(
        self,
        *,
        tenant: str,
        id: str,
        claim_id: str,
        digest: str,
        at: datetime,
        worker: str | None = None,
        report_within: int | None = None,
        accept_edited: bool = False,
        fingerprint: str | None = None,
    ) -> Claimed:
        """Take the single execution of an approved or denied approval. Of all claimants one sees `claimed=True`.

        `execute` is true only when this call claimed, the decision allows, and `at` is before the end of the claim
        window, and `fingerprint` is that of the ask, where it had one. The same `claim_id` again gets the same answer,
        until a final report, or while it is unknown: then `execute` is false.
        Undecided, taken by another, expired, withdrawn, superseded, a spent claim_id, or approved and stopped:
        `claimed=False, execute=False`, nothing changed.
        A claim ends what its resumption is due and starts an execution with status `claimed` (only where it executes).

        Raises:
            NotFound: no such approval.
            DigestMismatch: decided and unclaimed, and `digest` is not that of what was approved: the edited action where
                it was edited; then also that of the ask with `accept_edited`. Nothing changed.
        """
        ...

    async def report_execution(
        self,
        *,
        tenant: str,
        id: str,
        claim_id: str,
        status: ExecutionStatus,
        at: datetime,
        detail: str | None = None,
    ) -> Approval:
        """Record running, succeeded or failed. `running` renews what `report_within` promised.

        The same report again is accepted and is no transition: a final one changes nothing, `running` only renews.

        Raises:
            NotFound: no such approval.
            NotClaimant: another claim_id, a claim that did not execute, or another report after a final one.
        """
        ...

    async def mark_unknown(self, *, now: datetime, limit: int = 100) -> Sequence[Approval]:
        """Executions of all tenants whose promised report is overdue become unknown. Returns those of this call."""
        ...

    async def settle(
        self, *, tenant: str, id: str, actor: Actor, happened: bool, at: datetime, surface: Surface
    ) -> Settled:
        """A compare-and-set on unknown. "It did not happen" spends the claim: the window opens anew from `at`, telling
        starts anew, and one other claim may take it.

        Raises:
            NotFound: no such approval.
        """
        ...

    async def take_back(self, *, tenant: str, id: str, actor: Actor, at: datetime, surface: Surface) -> TakenBack:
        """A vote while pending, or the whole approval while it is unclaimed and its window is open, by one of those
        who approved: one compare-and-set against the claim. Then it is denied, and its run is told so anew.

        Raises:
            NotFound: no such approval.
        """
        ...

    async def extend(self, *, tenant: str, id: str, actor: Actor, at: datetime, surface: Surface) -> Extended:
        """Move the deadline once, by what the terms allow; its warning is due anew. Late as in `decide_approval`.

        Raises:
            NotFound: no such interaction.
        """
        ...

    async def withdraw(
        self,
        *,
        tenant: str,
        id: str,
        actor: Actor,
        at: datetime,
        surface: Surface,
        reason: str | None = None,
    ) -> Withdrawn:
        """A compare-and-set on pending. Anything else: `withdrawn=False` and the state. Late as in `decide_approval`.

        Raises:
            NotFound: no such interaction.
        """
        ...

    async def expire_due(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        """Expire pending interactions of all tenants whose deadline is at or before `now`; oldest deadline first.

        `resolved_at` of an expiry is the deadline itself, whoever noticed it. Returns those that this call expired.
        """
        ...

    async def find_interaction(self, *, tenant: str, id: str) -> Interaction | None:
        """One of either kind, or None."""
        ...

    async def find_interactions(self, *, tenant: str, ids: Collection[str]) -> Sequence[Interaction]:
        """Those of these ids that there are, in one query, in no order."""
        ...

    async def find_by_code(self, *, tenant: str, code: str) -> Sequence[Interaction]:
        """All (at most ten) whose id is `code`, or ends in a `code` of `SHORT_CODE` letters; newest first.

        Compared in upper case. Anything shorter names nothing.
        """
        ...

    async def find_approval(self, *, tenant: str, id: str) -> Approval | None: ...

    async def find_pending_approval(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> Approval | None:
        """The run's next pending approval: earliest deadline first (none last), then id."""
        ...

    async def find_decided_approval(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> Approval | None:
        """The run's approved or denied, unclaimed approval: oldest decision first, then id."""
        ...

    async def find_pending_question(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> QuestionSet | None:
        """The run's next pending question set: earliest deadline first (none last), then id."""
        ...

    async def find_answered_question(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> QuestionSet | None:
        """The run's latest answered question set. No claim: the answer is history."""
        ...

    async def list_pending(self, *, tenant: str, limit: int = 1000) -> Sequence[Interaction]:
        """Pending of both kinds: earliest deadline first, without a deadline last, then id."""
        ...

    async def list_stuck(self, *, tenant: str, limit: int = 100) -> Sequence[Interaction]:
        """What waits for its run too long, longest first."""
        ...

    async def list_unknown(self, *, tenant: str, limit: int = 100) -> Sequence[Approval]:
        """Executions that nobody has said anything of, oldest first."""
        ...

    async def list_requested(self, *, tenant: str, user: str, limit: int = 100) -> Sequence[Interaction]:
        """What this person asked for, newest first."""
        ...

    async def find_precedent(self, *, approval: Approval) -> Approval | None:
        """The newest approval of the same tool and asking key that was decided before this one was asked, and allowed."""
        ...

    async def list_interactions(
        self,
        *,
        tenant: str,
        states: Collection[State] = (),
        kind: Kind | None = None,
        claimed: bool | None = None,
        run_id: str | None = None,
        operation_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Filtered. Exactly `states == {pending}`: by deadline (none last), then id; otherwise newest first.

        `claimed=False` keeps decided approvals that nobody claimed; `claimed=True` those that somebody did.

        Raises:
            BadCursor: not a cursor of this list.
        """
        ...

    async def resolved_among(self, *, ids: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
        """Which of these (tenant, id) are resolved. One query, for all waiters of a process."""
        ...


class Audit(Protocol):
    async def list_events(self, *, tenant: str, interaction_id: str) -> Sequence[Event]:
        """The transitions of one interaction, oldest first."""
        ...


class Keys(Protocol):
    """API keys and the binding of a tenant to its Slack workspace."""

    async def create_key(self, *, key: Key, secret_sha256: str) -> None:
        """Store a key. Names are unique among a tenant's unrevoked keys.

        Raises:
            Conflict: the name is taken.
        """
        ...

    async def find_key(self, *, secret_sha256: str) -> Key | None:
        """By the hash of its secret, whatever its state: the caller checks expiry and revocation."""
        ...

    async def list_keys(self, *, tenant: str) -> Sequence[Key]: ...

    async def revoke_key(self, *, tenant: str, name: str, at: datetime) -> bool:
        """False where no such unrevoked key is."""
        ...

    async def bind_installation(self, *, installation: Installation) -> Installation:
        """Bind a tenant to its workspace at the first start; later calls refresh names of the same workspace.

        A workspace that moved into an Enterprise org keeps its team id and stays the same workspace.

        Raises:
            WorkspaceMismatch: the tenant is bound to another team.
        """
        ...

    async def find_installation(self, *, tenant: str) -> Installation | None: ...

    async def find_installation_of_team(self, *, team_id: str) -> Installation | None: ...


class Store(
    Interactions,
    Records,
    Postings,
    Resumptions,
    Deliveries,
    Timers,
    Policies,
    Stops,
    Runs,
    Audit,
    Drafts,
    Keys,
    Protocol,
):
    """Everything, and its life. `dialect`: whose DDL `store.schema` is to print: postgresql, sqlite or memory."""

    @property
    def dialect(self) -> str: ...

    async def now(self) -> datetime:
        """The database's clock (memory: the clock it was given)."""
        ...

    async def ping(self) -> None:
        """Raise unless the database answers."""
        ...

    def changes(self) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        """What other processes touched, as a hint: ids of interactions, and what `store.runs` says of runs.

        Never complete. Without such a channel: silence.
        """
        ...

    async def close(self) -> None: ...
