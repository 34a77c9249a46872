"""What follows a click, after it was answered: a private note, a form. Tracked, one try each; losing one loses nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from blocks import modal, notices
from blocks.surface import Message, Note, View
from bot.slack.client import Done, Failed, SlackClient, Trouble
from bot.slack.payloads import Origin
from bot.tasks import TaskSet

log = structlog.get_logger("signoff.errands")


#: Seconds after which who clicked is told that the card follows.
RECORDED_AFTER = 3.0
#: What a later call by the painter gets over.
_PASSING = frozenset({Trouble.DOWN, Trouble.RETRY, Trouble.LIMITED})


class Errands:
    """Tasks of one process, all awaited at shutdown, except those that only wait: they are ended.

    `recorded_after`: seconds.
    """

    def __init__(self, *, client: SlackClient, recorded_after: float = RECORDED_AFTER) -> None:
        self._client = client
        self._recorded_after = recorded_after
        self._tasks = TaskSet()
        self._waiting = TaskSet()

    def start(self, name: str, work: Coroutine[Any, Any, object]) -> None:
        """Run it beside the answer."""
        self._tasks.start(f"errand.{name}", work)

    def note(self, origin: Origin, message: Message, *, thread_ts: str | None = None) -> None:
        """Tell the person privately."""
        self.start("note", self._note(origin, message, thread_ts=thread_ts))

    def redraw(self, origin: Origin, message: Message) -> None:
        """Replace the private message that was clicked in."""
        self.start("redraw", self._redraw(origin, message))

    def open_view(self, origin: Origin, view: View) -> None:
        """Open a modal, over the one that was clicked in; the trigger lives three seconds, so there is one try."""
        self.start("open_view", self._opened(origin, view))

    def open_composed(self, origin: Origin, compose: Callable[[], View]) -> None:
        """The same for a view that takes long to draw: a small one opens at once, and is filled beside the event loop."""
        self.start("open_view", self._composed(origin, compose))

    def reach(self, origin: Origin, *, otherwise: Callable[[str], Message]) -> None:
        """Look whether we may write to this person; where Slack refuses, say so in the words for its reason."""
        self.start("reach", self._reach(origin, otherwise))

    def update_view(self, origin: Origin, view: View, *, view_id: str) -> None:
        self.start("update_view", self._view("views.update", origin, view=view.payload(), view_id=view_id))

    def recorded_unless(
        self, origin: Origin, is_painted: Callable[[], Awaitable[bool]], *, thread_ts: str | None = None
    ) -> None:
        """Look in three seconds; if the card does not show it by then, say that it is recorded."""
        self._waiting.start("errand.recorded", self._recorded(origin, is_painted, thread_ts=thread_ts))

    async def drain(self, seconds: float) -> None:
        await self._waiting.cancel()
        await self._tasks.drain(seconds)

    async def _recorded(
        self, origin: Origin, is_painted: Callable[[], Awaitable[bool]], *, thread_ts: str | None
    ) -> None:
        await asyncio.sleep(self._recorded_after)
        if not await is_painted():
            self.note(origin, notices.recorded(), thread_ts=thread_ts)

    async def _note(self, origin: Origin, message: Message, *, thread_ts: str | None) -> None:
        payload = message.payload()
        if origin.response_url is not None:
            body = {"response_type": "ephemeral", "replace_original": False, **payload}
            if thread_ts is not None:
                body["thread_ts"] = thread_ts
            if isinstance(await self._client.respond(origin.response_url, body), Done):
                return
        if origin.channel is None and origin.view_type is not None and origin.trigger_id is not None:
            # Of a view: nothing but another one can say it.
            said = modal.from_notice(message.title if isinstance(message, Note) else "Please read", message.blocks)
            outcome = await self._client.call(_over(origin), view=said.payload(), trigger_id=origin.trigger_id)
            if isinstance(outcome, Failed):
                log.info("note_lost", person=origin.person.user_id, error=outcome.error)
            return
        if origin.channel is None:
            log.info("note_lost", person=origin.person.user_id)
            return
        outcome = await self._client.call(
            "chat.postEphemeral", channel=origin.channel, user=origin.person.user_id, thread_ts=thread_ts, **payload
        )
        if isinstance(outcome, Failed):
            log.info("note_lost", person=origin.person.user_id, error=outcome.error)

    async def _reach(self, origin: Origin, otherwise: Callable[[str], Message]) -> None:
        opened = await self._client.call("conversations.open", users=origin.person.user_id)
        if isinstance(opened, Failed) and opened.trouble not in _PASSING:
            log.warning("person_unreachable", person=origin.person.user_id, error=opened.error)
            await self._note(origin, otherwise(opened.error), thread_ts=None)

    async def _redraw(self, origin: Origin, message: Message) -> None:
        if origin.response_url is None:
            return
        outcome = await self._client.respond(origin.response_url, {"replace_original": True, **message.payload()})
        if isinstance(outcome, Failed):
            log.info("redraw_lost", person=origin.person.user_id, error=outcome.error)

    async def _opened(self, origin: Origin, view: View) -> Done | Failed:
        return await self._view(_over(origin), origin, view=view.payload(), trigger_id=origin.trigger_id)

    async def _composed(self, origin: Origin, compose: Callable[[], View]) -> None:
        opened = await self._opened(origin, modal.loading())
        view = opened.data.get("view") if isinstance(opened, Done) else None
        if not isinstance(view, dict):
            return
        here = {"view_id": view.get("id")}
        filled = await self._view("views.update", origin, view=(await asyncio.to_thread(compose)).payload(), **here)
        if isinstance(filled, Failed):
            # Closed meanwhile, or too much for Slack: whoever still looks at it is told.
            await self._view("views.update", origin, view=modal.ended(notices.form_late()).payload(), **here)

    async def _view(self, method: str, origin: Origin, **arguments: Any) -> Done | Failed:
        outcome = await self._client.call(method, **arguments)
        if isinstance(outcome, Failed):
            log.warning("view_lost", method=method, error=outcome.error)
            if method != "views.update":
                await self._note(origin, notices.form_late(), thread_ts=None)
        return outcome


def _over(origin: Origin) -> str:
    """A view opens over the modal that was clicked in, and keeps it."""
    return "views.push" if origin.view_type == "modal" else "views.open"
