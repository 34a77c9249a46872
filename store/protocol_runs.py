"""The contract of hosted runs: one row each, pulled and fenced by the token of its lease. Part of `store.protocol`."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from store.runs import ActionKind, Ending, HeldRun, Run, RunPage, RunStatus, RunStop, StartedRun, Tokens


class Runs(Protocol):
    """A run is its tenant's and its id's. Until it is finished, one worker at a time holds it, by a lease.

    Each call that takes a `token` is a compare-and-set on it: it changes the row only while the lease with this token
    is the run's, whether or not that has lapsed (a lapsed one is held until somebody else takes it), and raises
    `LeaseLost` otherwise. A call whose answer was lost may be repeated: what it did the first time is recognised, and
    changes nothing again. A run that is to stop takes no checkpoint (`RunStopping`); it may be finished.
    """

    async def start_run(self, *, run: Run) -> StartedRun:
        """Store a queued run. The same id again with the same `request_digest` returns what stands, finished or not,
        `created=False`, and writes nothing. Two at once: one creates, both return it.

        Raises:
            OtherStart: the run was started with other content.
        """
        ...

    async def find_run(self, *, tenant: str, run_id: str) -> Run | None: ...

    async def find_runs(self, *, tenant: str, run_ids: Collection[str]) -> Sequence[Run]:
        """Those of these ids that there are, in one query, in no order."""
        ...

    async def list_runs(
        self,
        *,
        tenant: str,
        code: str | None = None,
        status: RunStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> RunPage:
        """Newest first, without what may be large of each.

        Raises:
            BadCursor: not made by this list with the same filters.
        """
        ...

    async def lease_runs(
        self, *, tenant: str, codes: Collection[str], worker: str, now: datetime, until: datetime, limit: int
    ) -> Sequence[Run]:
        """Take unfinished runs of these codes that nobody holds and that are not to stop, longest free first; returns
        them oldest first.

        Two callers never hold one run at the same time; a lapsed lease may be taken by another, and its token is then
        void. Taking does not begin a run: `begun_at` is as it was.
        """
        ...

    async def lease_stopping(
        self, *, now: datetime, until: datetime, limit: int, tenant: str | None = None, run_id: str | None = None
    ) -> Sequence[Run]:
        """As `lease_runs`, of whatever code: those that are to stop, so that they are ended by whoever asks. Of all
        tenants, or one run.
        """
        ...

    async def renew_runs(self, *, tenant: str, tokens: Tokens, now: datetime, until: datetime) -> Sequence[HeldRun]:
        """Hold longer what is still held by these tokens, all in one statement, and mark it as begun. Returns what is.

        What is missing in the answer is lost: taken by another, finished, or never there.
        """
        ...

    async def release_runs(self, *, tenant: str, tokens: Tokens, now: datetime) -> Collection[str]:
        """Give back what is held by these tokens, all in one statement: it is free from now on. Returns which.

        Until somebody takes it the token is still the run's, and a renewal holds it again.
        """
        ...

    async def held_runs(self, *, tenant: str, tokens: Tokens) -> Sequence[HeldRun]:
        """The same answer, and nothing is written."""
        ...

    async def save_state(
        self, *, tenant: str, run_id: str, token: str, state_json: str, at: datetime, saves: int | None = None
    ) -> Run:
        """Replace the state. `saves`: the how-manieth state of the run it must be, so that a call that comes late
        replaces no newer one; the same state at the same place again changes nothing.

        Raises:
            NotFound, LeaseLost, RunStopping.
            StaleState: it would be another one.
        """
        ...

    async def save_action(
        self,
        *,
        tenant: str,
        run_id: str,
        token: str,
        kind: ActionKind,
        request_json: str,
        at: datetime,
        cursor: int | None = None,
    ) -> Run:
        """Save what is about to be asked, as the run's next action. `cursor`: the place that it must get.

        While one is open, the same kind and request is that one, and anything else a conflict.

        Raises:
            NotFound, LeaseLost, RunStopping.
            NotCurrent: another action is open, or the place is another one.
        """
        ...

    async def note_asked(self, *, tenant: str, run_id: str, token: str, cursor: int, interaction_id: str) -> Run:
        """Record which interaction the saved action became. Idempotent; also for a run that is to stop.

        Raises:
            NotFound, LeaseLost.
            NotCurrent: the run's action is another one, or became another interaction.
        """
        ...

    async def drop_action(self, *, tenant: str, run_id: str, token: str, cursor: int) -> Run:
        """Forget a saved action that could not be asked, with its place. One that was asked, or is not there: nothing.

        Raises:
            NotFound, LeaseLost.
        """
        ...

    async def mark_delivered(self, *, tenant: str, run_id: str, token: str, action_id: str, at: datetime) -> Run:
        """Say that the holder of this lease gets the answer now. The caller has seen that there is one.

        Raises:
            NotFound, LeaseLost, RunStopping.
            NotCurrent: the action is not the run's newest, was not asked, or was delivered to another lease.
        """
        ...

    async def finish_run(self, *, tenant: str, run_id: str, token: str, ending: Ending, at: datetime) -> Run:
        """End it for good, and release the lease. The same ending by the same token again is accepted.

        Raises:
            NotFound, LeaseLost.
        """
        ...

    async def stop_run(self, *, tenant: str, run_id: str, stop: RunStop) -> Run:
        """Want it to end; a run that is finished or is to stop already is returned as it is.

        Of a stop and a finish at once, both are recorded if the stop came first, and only the finish otherwise.

        Raises:
            NotFound.
        """
        ...

    async def finished_among(self, *, ids: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
        """Of these (tenant, run id), those that are finished; in one query."""
        ...
