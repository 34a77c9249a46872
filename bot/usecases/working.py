"""Hosted runs, as workers see them: pulled, held, saved, ended."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import structlog

from bot.usecases.acting import Acting
from bot.usecases.results import PolicyRefused
from store import errors
from store.runs import STARTED, ActionKind, Ending, HeldRun, Run, Tokens, hint
from store.types import Approval, Interaction, State

log = structlog.get_logger("signoff.service")

#: Of a lease: with more of it left, who waits for news renews nothing.
_LEFT = 2 / 3
#: Answers that one renewal tells; the rest is told by the next one.
MOST_ANSWERED = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewed:
    """`lost`: held no longer. `stopping`: to be ended. `answered`: runs with their open action's resolved interaction.

    A run is answered until it says that it got the answer.
    """

    lost: tuple[str, ...]
    stopping: tuple[str, ...]
    answered: tuple[tuple[Run, Interaction], ...]

    @property
    def says_something(self) -> bool:
        return bool(self.lost or self.stopping or self.answered)


class Working(Acting):
    async def lease_runs(
        self,
        *,
        tenant: str,
        codes: Collection[str],
        worker: str,
        room: int,
        seconds: float,
        is_gone: Callable[[], bool],
    ) -> Sequence[Run]:
        """Take runs of these codes, as soon as there are any, or none after `seconds`, or once the caller `is_gone`.

        What a crash left half asked is asked before the run is handed out.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        lease = self._run_lease.total_seconds()
        taken: Sequence[Run] = ()
        with self._hub.subscribe(tenant, STARTED) as news:
            while not is_gone():
                now = self._clock.now()
                taken = await self._store.lease_runs(
                    tenant=tenant, codes=codes, worker=worker, now=now, until=now + self._run_lease, limit=room
                )
                looked_at = loop.time()
                left = end - looked_at
                if taken or left <= 0:
                    break
                await news.changed(within=min(left, lease / 4))
                if loop.time() - looked_at > lease / 2:
                    # This process stood still, and perhaps its workers with it: what lapsed is theirs to renew first.
                    await asyncio.sleep(lease / 6)
        if taken:
            log.info("runs_leased", worker=worker, runs=[run.id for run in taken])
        whole = [await self._whole(run) for run in taken]
        return [run for run in whole if run is not None]

    async def renew_runs(self, *, tenant: str, tokens: Tokens, seconds: float) -> Renewed:
        """Hold them longer, and say what their worker has to know: at once, or as soon as there is something.

        Whoever waits comes back soon: of his, only what has begun to run out is written.
        """
        held = await self._kept(tenant, tokens, is_waiting=seconds > 0)
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            asked = _asked_by(held)
            with self._hub.subscribe(tenant, *(hint(run_id) for run_id in tokens), *asked) as news:
                # Read once more now that nothing is missed: what else was asked meanwhile is waited for, too.
                held = await self._store.held_runs(tenant=tenant, tokens=tokens) if seconds else held
                renewed = await self._told(tenant, tokens, held)
                left = end - loop.time()
                if renewed.says_something or left <= 0:
                    return renewed
                if asked >= _asked_by(held):
                    await news.changed(within=left)

    async def release_runs(self, *, tenant: str, tokens: Tokens) -> Collection[str]:
        """Give runs back, so that another worker may take them at once. Returns those that were still held."""
        released = await self._store.release_runs(tenant=tenant, tokens=tokens, now=self._clock.now())
        if released:
            log.info("runs_released", runs=list(released))
            self._hub.tell(tenant, STARTED)
        return released

    async def _kept(self, tenant: str, tokens: Tokens, *, is_waiting: bool) -> Sequence[HeldRun]:
        now = self._clock.now()
        held = await self._store.held_runs(tenant=tenant, tokens=tokens) if is_waiting else ()
        fresh = [each for each in held if each.has_begun and each.until >= now + self._run_lease * _LEFT]
        known = {each.run_id for each in fresh}
        rest = {run_id: token for run_id, token in tokens.items() if run_id not in known}
        if not rest:
            return fresh
        renewed = await self._store.renew_runs(tenant=tenant, tokens=rest, now=now, until=now + self._run_lease)
        return [*fresh, *renewed]

    async def save_state(
        self, *, tenant: str, run_id: str, token: str, state_json: str, saves: int | None = None
    ) -> Run:
        """Raises NotFound, LeaseLost, RunStopping, StaleState: as `Runs.save_state`."""
        return await self._store.save_state(
            tenant=tenant, run_id=run_id, token=token, state_json=state_json, saves=saves, at=self._clock.now()
        )

    async def ask_for_run(
        self,
        *,
        tenant: str,
        run_id: str,
        token: str,
        kind: ActionKind,
        request_json: str,
        cursor: int | None = None,
    ) -> Run | PolicyRefused:
        """Save what the run's code asks people, and ask it. The same action again gets the same answer.

        The decision before it, if its code did nothing with it, is claimed: nothing is left decided and unclaimed.

        Raises:
            NotFound, LeaseLost, RunStopping, NotCurrent: as `Runs.save_action`.
            Conflict: somebody else asked this operation of this run.
        """
        run = await self._held_run(tenant, run_id, token)
        if run.stop is None and run.action is not None and not run.action.is_open:
            if cursor not in {None, run.cursor + 1}:
                # A call that comes late: what was decided meanwhile is still its code's to execute.
                raise errors.NotCurrent(run_id=run_id, id=run.action.id)
            await self._honoured(run)
        saved = await self._store.save_action(
            tenant=tenant,
            run_id=run_id,
            token=token,
            kind=kind,
            request_json=request_json,
            at=self._clock.now(),
            cursor=cursor,
        )
        return await self._asked(saved, token)

    async def deliver(self, *, tenant: str, run_id: str, token: str, action_id: str) -> Run:
        """Say that the run's code gets its answer now. A denial is claimed with it: there is nothing to execute.

        Raises:
            NotFound, LeaseLost, RunStopping.
            NotCurrent: it is not the run's newest action, or has no answer, or another worker got it.
        """
        run = await self._held_run(tenant, run_id, token)
        asked = run.action.interaction_id if run.action is not None else None
        interaction = None if asked is None else await self._store.find_interaction(tenant=tenant, id=asked)
        if interaction is None or interaction.is_pending:
            raise errors.NotCurrent(run_id=run_id, id=None if run.action is None else run.action.id)
        delivered = await self._store.mark_delivered(
            tenant=tenant, run_id=run_id, token=token, action_id=action_id, at=self._clock.now()
        )
        if isinstance(interaction, Approval) and interaction.state is State.DENIED:
            await self._honoured(delivered)
        return delivered

    async def finish_run(self, *, tenant: str, run_id: str, token: str, ending: Ending) -> Run:
        """End it. What is open of it is withdrawn before, so that whoever takes it after a crash does the rest.

        Raises:
            NotFound, LeaseLost.
        """
        try:
            run = await self._held_run(tenant, run_id, token)
        except errors.LeaseLost:
            # Perhaps it is this very ending, again.
            run = None
        if run is not None:
            await self._closed(run, token, ending.error)
        ended = await self._store.finish_run(
            tenant=tenant, run_id=run_id, token=token, ending=ending, at=self._clock.now()
        )
        log.info("run_finished", run=run_id, status=ended.status.value)
        self._hub.tell(tenant, hint(run_id))
        return ended

    async def _held_run(self, tenant: str, run_id: str, token: str) -> Run:
        """Its row, held for a lease's time from now on, so that nobody takes it while more is done than one statement.

        Raises:
            NotFound, LeaseLost.
        """
        now = self._clock.now()
        held = await self._store.renew_runs(tenant=tenant, tokens={run_id: token}, now=now, until=now + self._run_lease)
        run = await self._store.find_run(tenant=tenant, run_id=run_id)
        if run is None:
            raise errors.NotFound(id=run_id)
        if not held:
            raise errors.LeaseLost(run_id=run_id)
        return run

    async def _whole(self, run: Run) -> Run | None:
        """A run that was just taken, with its saved action asked; None where it was taken from us again, or cannot be
        asked: that one is taken again once its lease is over.
        """
        assert run.lease is not None
        token = run.lease.token
        try:
            asked = await self._asked(run, token)
            if isinstance(asked, Run):
                return asked
        except errors.LeaseLost:
            return None
        except errors.Conflict as error:
            log.warning("action_taken", run=run.id, by=error.id)
        except Exception:
            # The others that were taken with it go out all the same.
            log.exception("asking_failed", run=run.id)
            return None
        return await self._store.find_run(tenant=run.tenant, run_id=run.id)

    async def _told(self, tenant: str, tokens: Tokens, held: Sequence[HeldRun]) -> Renewed:
        """What is to be said of what is held: in few queries, however many runs these are."""
        ours = {each.run_id for each in held}
        return Renewed(
            lost=tuple(run_id for run_id in tokens if run_id not in ours),
            stopping=tuple(each.run_id for each in held if each.is_stopping),
            answered=await self._answered(tenant, held),
        )

    async def _answered(self, tenant: str, held: Sequence[HeldRun]) -> tuple[tuple[Run, Interaction], ...]:
        asked = {each.interaction_id: each.run_id for each in held if each.interaction_id is not None}
        if not asked:
            return ()
        resolved = await self._store.resolved_among(ids=[(tenant, id_) for id_ in asked])
        ids = [id_ for _, id_ in resolved][:MOST_ANSWERED]
        if not ids:
            return ()
        found = await self._store.find_interactions(tenant=tenant, ids=ids)
        runs = {run.id: run for run in await self._store.find_runs(tenant=tenant, run_ids=[asked[id_] for id_ in ids])}
        return tuple((runs[asked[each.id]], each) for each in found if asked[each.id] in runs)


def _asked_by(held: Sequence[HeldRun]) -> set[str]:
    """The interactions that they wait for."""
    return {each.interaction_id for each in held if each.interaction_id is not None}
