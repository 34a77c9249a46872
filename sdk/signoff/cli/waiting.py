"""Waiting for people: shown while it lasts, over restarts of the service, until somebody wants us to end."""

import asyncio
import math
import os
import signal
import time
from collections.abc import Coroutine
from contextlib import suppress
from itertools import chain, repeat
from typing import Any, Literal, TypeAlias, TypeVar

from signoff import AsyncSignoff, errors
from signoff.cli import words
from signoff.cli.people import People
from signoff.cli.screen import ASKED, FRAME, NO, WARNING, Screen
from signoff.cli.signals import Ending
from signoff.types import Interaction

A = TypeVar("A", bound=Interaction)
T = TypeVar("T")

#: Seconds of each look: the first ones short, so that the link to the card is soon there.
_LOOKS = (1, 1, 2, 4, 8)
_LOOK = 20
#: Seconds for which a withdrawal may take the time of a job that is being cancelled.
_WITHDRAW_WITHIN = 5.0
_PARENT_EVERY = 1.0
_SERVER_ERROR = 500

OnCancel: TypeAlias = Literal["auto", "withdraw", "leave"]


class Cancelled(Exception):
    """Somebody wants us to end."""


class Watch:
    """One ask that is waited for. `seconds` None: as long as it is open."""

    def __init__(self, so: AsyncSignoff, *, screen: Screen, ending: Ending, seconds: float | None) -> None:
        self.so = so
        self.screen = screen
        self.ending = ending
        self._begun = time.monotonic()
        self._end = math.inf if seconds is None else self._begun + seconds
        self._people = People(so, screen.names)
        self._told: set[str] = set()
        self._is_away = False
        self.draws = "Waiting"
        #: What Ctrl-C does, for the line that people look at meanwhile.
        self.on_interrupt = ""

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    async def asked(self, asking: Coroutine[Any, Any, A]) -> A:
        """The ask itself: a signal does not cut it off, since nobody would know whether it stands."""
        work = asyncio.ensure_future(asking)
        if await self._first(work):
            found = work.result()
            await self._people.learn(found)
            return found
        with suppress(TimeoutError, errors.SignoffError):
            return await asyncio.wait_for(work, _WITHDRAW_WITHIN)
        raise Cancelled

    async def resolved(self, asked: A) -> A:
        """Raises StillWaiting at the end of its seconds, Cancelled, and what ends a wait for good (the key is gone)."""
        self._tell(asked)
        drawing = asyncio.create_task(self._draw())
        try:
            looks = chain(_LOOKS, repeat(_LOOK))
            while asked.is_pending:
                asked = await self._look(asked, min(next(looks), self.left))
                await self._people.learn(asked)
                self._tell(asked)
                if asked.is_pending and not self.left:
                    raise errors.StillWaiting(interaction=asked)
            return asked
        finally:
            drawing.cancel()
            with suppress(asyncio.CancelledError):
                await drawing
            self.screen.erase()

    async def pause(self, seconds: float) -> None:
        """Raises Cancelled."""
        await self._unless_ending(asyncio.ensure_future(asyncio.sleep(seconds)))

    async def _look(self, asked: A, seconds: float) -> A:
        """As it stands after so many seconds, or as it was where nobody answers."""
        work = asyncio.ensure_future(self.so.wait(asked, timeout=seconds))
        try:
            found = await self._unless_ending(work)
        except errors.StillWaiting as still:
            found = still.interaction  # type: ignore[assignment]  # what was asked, read again
        except (errors.Unreachable, errors.BadReply, errors.Refused) as error:
            if isinstance(error, errors.Refused) and error.status < _SERVER_ERROR:
                raise
            self._away(error)
            await self.pause(min(1.0, self.left))
            return asked
        if self._is_away:
            self._is_away = False
            self.screen.tell("Signoff answers again.", mark=ASKED)
        return found

    async def _unless_ending(self, work: "asyncio.Future[T]") -> T:
        """Raises Cancelled, and drops the work."""
        if await self._first(work):
            return work.result()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        raise Cancelled

    async def _first(self, work: "asyncio.Future[Any]") -> bool:
        """Whether it is over before somebody wants us to end."""
        ending = asyncio.ensure_future(self.ending.wanted())
        try:
            await asyncio.wait({work, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
        return work.done()

    def _away(self, error: Exception) -> None:
        if not self._is_away:
            self._is_away = True
            self.screen.tell(f"{error} Trying again; the ask stays open.", mark=WARNING)

    def _tell(self, asked: Interaction) -> None:
        """What is new since it was told last."""
        for link in filter(self._is_new, words.cards(asked)):
            self.screen.fact("card", link)
        for failure in filter(self._is_new, words.not_posted(asked)):
            self.screen.tell(failure, mark=NO)
        for hop in filter(self._is_new, words.hops(asked)):
            self.screen.fact("then", f"{hop} may decide, too")
        progress = words.progress(asked)
        if progress and asked.is_pending and self._is_new(progress):
            self.screen.fact("so far", progress)
        self.draws = f"Waiting for {words.deciders(asked) or 'an answer'}{self.on_interrupt}"

    def _is_new(self, words: str) -> bool:
        if words in self._told:
            return False
        self._told.add(words)
        return True

    async def _draw(self) -> None:
        while self.screen.is_terminal:
            self.screen.draw(self.draws, self._begun)
            await asyncio.sleep(FRAME)


class Leaving:
    """What becomes of an open ask when somebody wants us to end: a cancelled job takes it back, a person leaves it."""

    def __init__(self, watch: Watch, how: OnCancel, *, is_ci: bool) -> None:
        self._watch = watch
        self.withdraws = how == "withdraw" or (how == "auto" and is_ci)
        watch.on_interrupt = f" · Ctrl-C {'withdraws it' if self.withdraws else 'leaves it open'}"

    async def left(self, asked: Interaction, *, again: str) -> int:
        """The exit code. `again`: how to go on."""
        screen, code = self._watch.screen, self._watch.ending.code
        screen.erase()
        if not self.withdraws:
            screen.tell("Stopped waiting. The ask stays open.", mark=WARNING)
            screen.hint(again)
            screen.hint(f"Take it back: signoff withdraw {asked.id}")
            return code
        try:
            outcome = await asyncio.wait_for(
                self._watch.so.withdraw(asked, reason="The job was cancelled"), _WITHDRAW_WITHIN
            )
        except (errors.SignoffError, TimeoutError) as error:
            screen.tell(f"The ask could not be withdrawn ({str(error) or 'no answer'}): it stays open.", mark=NO)
            screen.hint(f"Take it back: signoff withdraw {asked.id}")
            return code
        if outcome.withdrawn or outcome.interaction.state == "withdrawn":
            screen.tell("Cancelled: the ask is withdrawn. Nothing ran.", mark=WARNING)
        else:
            screen.tell(f"Cancelled, after it was {outcome.interaction.state}. Nothing ran here.", mark=WARNING)
        return code

    async def parent_gone(self) -> None:
        """A shell that is killed takes nobody with it: where a job is cancelled so, its child notices by itself."""
        parent = os.getppid()
        while self.withdraws and self._watch.ending.signal is None:
            await asyncio.sleep(_PARENT_EVERY)
            if os.getppid() != parent:
                self._watch.ending.want(signal.SIGHUP)
