"""Somebody in the workspace, for tests to drive."""

from dataclasses import dataclass
from typing import Any

from sandbox.entries import Impossible, State
from sandbox.hands import Hands
from sandbox.modals import Modals
from sandbox.model import Message, Notice, View
from sandbox.outcome import Outcome
from sandbox.surfaces import Target


@dataclass(frozen=True, slots=True)
class Person:
    """Acts as one user. What nobody could do in Slack's client raises `Impossible`."""

    id: str
    _hands: Hands
    _modals: Modals

    # -- seeing -------------------------------------------------------------------------------------------------
    @property
    def modal(self) -> View | None:
        """The modal on top of the stack."""
        return self._hands.core.workspace.modal(self.id)

    @property
    def modals(self) -> list[View]:
        return list(self._hands.core.workspace.modals.get(self.id) or [])

    @property
    def home(self) -> View | None:
        return self._hands.core.workspace.homes.get(self.id)

    @property
    def notices(self) -> list[Notice]:
        return self._hands.core.workspace.notices(self.id)

    @property
    def dm(self) -> str | None:
        """The id of the DM with the app, once it exists."""
        found = self._hands.core.workspace.dm(self.id)
        return found.id if found else None

    def ephemerals(self, channel: str | None = None) -> list[Message]:
        """What only this person sees, oldest first."""
        return self._hands.core.workspace.ephemerals(self.id, channel)

    def messages(self, channel: str) -> list[Message]:
        """Everything this person sees in a channel, oldest first."""
        return self._hands.core.workspace.seen_by(self.id, channel)

    # -- messages -----------------------------------------------------------------------------------------------
    async def click(
        self,
        channel: str,
        ts: str,
        action_id: str,
        *,
        value: Any = None,
        block_id: str | None = None,
        state: State | None = None,
        stale: bool = False,
        forge: bool = False,
    ) -> Outcome:
        """Use an element of a message. `value`: short value (option value, list of them, text); a button needs none.

        `stale`: an element that is gone from the current version will do. `forge`: any value, any element.
        """
        target = Target(surface="message", channel=channel, ts=ts)
        return await self._hands.click(
            self.id, target, action_id, block_id=block_id, value=value, state=state, stale=stale, forge=forge
        )

    def fill(self, channel: str, ts: str, action_id: str, value: Any, *, block_id: str | None = None) -> None:
        """Fill in an input of a message; nothing is sent, the next click carries it."""
        self._hands.enter(
            self.id, Target(surface="message", channel=channel, ts=ts), action_id, value, block_id=block_id
        )

    async def command(self, channel: str, command: str, text: str = "") -> Outcome:
        return await self._hands.command(self.id, channel, command, text)

    def say(self, channel: str, text: str) -> Message:
        """Write a message."""
        return self._hands.core.workspace.post(channel, self.id, text)

    # -- modals -------------------------------------------------------------------------------------------------
    async def submit(self, view_id: str | None = None, state: State | None = None) -> Outcome:
        """Submit the modal on top; `state` is `{block_id: {action_id: value}}`."""
        return await self._modals.submit(self.id, self._top(view_id), state)

    async def close(self, view_id: str | None = None, *, everything: bool = False) -> Outcome:
        return await self._modals.close(self.id, self._top(view_id), everything=everything)

    async def click_view(
        self,
        action_id: str,
        *,
        view_id: str | None = None,
        value: Any = None,
        block_id: str | None = None,
        state: State | None = None,
        stale: bool = False,
        forge: bool = False,
    ) -> Outcome:
        """Use an element of the modal on top."""
        target = Target(surface="view", view_id=self._top(view_id))
        return await self._hands.click(
            self.id, target, action_id, block_id=block_id, value=value, state=state, stale=stale, forge=forge
        )

    async def enter_view(
        self, action_id: str, value: Any, *, view_id: str | None = None, block_id: str | None = None
    ) -> Outcome | None:
        """Fill in an input of the modal on top; the app is told where the block has `dispatch_action`, else None.

        Text is told as it is typed only with `on_character_entered`; Enter is pressed with `click_view`.
        """
        target = Target(surface="view", view_id=self._top(view_id))
        return await self._hands.change(self.id, target, action_id, value, block_id=block_id)

    def fill_view(self, action_id: str, value: Any, *, view_id: str | None = None, block_id: str | None = None) -> None:
        """Fill in an input of the modal on top; nothing is sent, as if Slack lost it."""
        self._hands.enter(
            self.id, Target(surface="view", view_id=self._top(view_id)), action_id, value, block_id=block_id
        )

    # -- Home ---------------------------------------------------------------------------------------------------
    async def open_home(self) -> Outcome:
        return await self._hands.open_home(self.id)

    async def click_home(
        self,
        action_id: str,
        *,
        value: Any = None,
        block_id: str | None = None,
        stale: bool = False,
        forge: bool = False,
    ) -> Outcome:
        """Use an element of the app's Home."""
        return await self._hands.click(
            self.id, Target(surface="home"), action_id, block_id=block_id, value=value, stale=stale, forge=forge
        )

    async def options(
        self,
        action_id: str,
        *,
        channel: str | None = None,
        ts: str | None = None,
        block_id: str | None = None,
        query: str = "",
    ) -> Outcome:
        """Look up the options of an external select, in the message named, else in the modal on top, else in Home.

        `outcome.options` has them; they may be chosen from then on.
        """
        if channel is not None and ts is not None:
            target = Target(surface="message", channel=channel, ts=ts)
        elif self.modal is not None:
            target = Target(surface="view", view_id=self.modal.id)
        else:
            target = Target(surface="home")
        return await self._hands.options(self.id, target, action_id, block_id=block_id, query=query)

    def _top(self, view_id: str | None) -> str:
        if view_id is not None:
            return view_id
        if self.modal is None:
            raise Impossible(f"{self.id} has no modal open")
        return self.modal.id
