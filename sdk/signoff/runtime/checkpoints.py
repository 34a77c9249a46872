"""What an attempt saves of its run, one thing after the other: what was not saved must not go on as if it were."""

import asyncio
from typing import Any, NoReturn

from signoff.errors import Refused, SignoffError
from signoff.runtime import errors
from signoff.runtime.errors import RunError
from signoff.runtime.fate import Fate
from signoff.runtime.values import NotJson, to_json
from signoff.runtime.wire import Action, ActionKind, Leased, Run
from signoff.runtime.work import Work, is_passing


class Checkpoints:
    """Each ends the code that calls it where it cannot be saved, or where the run is not this attempt's any more."""

    __slots__ = ("_cursor", "_fate", "_is_open", "_run_id", "_saves", "_token", "_work", "alone", "state")

    def __init__(self, work: Work, leased: Leased, fate: Fate) -> None:
        self._work = work
        self._fate = fate
        self._run_id, self._token = leased.run_id, leased.token
        #: JSON of the newest state.
        self.state = bytes(leased.state)
        #: Who has it saves alone.
        self.alone = asyncio.Lock()
        # Each state and each action says the how-manieth it is, so that a call that comes late replaces no newer one.
        # None: not known, as one was cut short.
        self._saves: int | None = leased.saves
        self._cursor = leased.cursor
        self._is_open = leased.action is not None and leased.action.delivered_at is None

    async def save(self, state: Any) -> None:
        self._fate.check()
        try:
            encoded = to_json(state, what="the state")
        except NotJson as wrong:
            self._fate.stop_here(errors.not_saved(str(wrong), retryable=False))
        await self._save(state=state)
        self.state = encoded

    async def ask(self, kind: ActionKind, request: dict[str, Any]) -> Action:
        """The action as it is saved and asked; one that is open already is it, if it is the same.

        Raises:
            RunError: CONFLICT, another one is open; RUN_FAILED, the server does not take this request.
        """
        cursor = self._cursor if self._is_open else self._cursor + 1
        action = _action(await self._save(action={"kind": kind, "request": request, "cursor": cursor}))
        self._cursor, self._is_open = action.cursor, action.delivered_at is None
        return action

    async def ask_again(self, action: Action) -> Action:
        """The same, where a crash came between its intent and its ask."""
        again = {"kind": action.kind, "request": action.request, "cursor": action.cursor}
        return _action(await self._save(action=again))

    async def deliver(self, action_id: str) -> None:
        """Say that the code gets this action's answer now. Raises RunError: CONFLICT, it is not for this attempt."""
        await self._save(delivered=action_id)
        self._is_open = False

    async def _save(self, **one: Any) -> Run:
        async with self.alone:
            self._fate.check()
            if "state" in one and self._saves is not None:
                one["saves"] = self._saves + 1
            try:
                run = await self._work.checkpoint(self._run_id, self._token, **one)
                self._saves = run.saves
            except asyncio.CancelledError:
                self._saves = None
                raise
            except SignoffError as error:
                self._not_saved(error, is_ask="action" in one)
            return run

    def _not_saved(self, error: SignoffError, *, is_ask: bool) -> NoReturn:
        if not isinstance(error, Refused) or is_passing(error):
            self._fate.stop_here(errors.not_saved(f"a checkpoint was not confirmed: {error}", retryable=True))
        if error.code in {"lease_lost", "not_found"}:
            self._fate.stop_here(None, "lease lost")
        if error.code == "stopping":
            self._fate.stop_here(errors.stopped())
        if error.code == "conflict":
            raise errors.conflict(error.detail) from error
        if is_ask:
            # Nothing was asked: the request is at fault, and the code may know better.
            raise RunError("RUN_FAILED", f"this cannot be asked: {error}") from error
        self._fate.stop_here(errors.not_saved(f"a checkpoint was refused: {error}", retryable=False))


def _action(run: Run) -> Action:
    assert run.action is not None, "the server saved an action and shows none"
    return run.action
