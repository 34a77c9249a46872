"""The Bolt app: one listener for each kind of request, and our own tables behind them.

A listener here parses, hands on, and acknowledges once; whatever raises becomes a sentence, never a 500.
"""

import contextlib
import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from http import HTTPStatus
from typing import Any

import structlog
from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.request.async_request import AsyncBoltRequest

from blocks import ids, notices, reading
from blocks.inputs import NOTHING_FOUND
from blocks.surface import Message
from bot.slack import listeners, payloads
from bot.slack.answering import Body
from bot.slack.authorize import authorize_from
from bot.slack.desk import Desk
from bot.slack.listeners.retired import retired
from bot.slack.payloads import BadPayload, Click, Command, Submission
from bot.slack.tenancy import Tenants

log = structlog.get_logger("signoff.bolt")

Acknowledge = Callable[..., Awaitable[Any]]
ANYTHING = re.compile("")
#: Where in Bolt's context the instant of arrival travels.
ARRIVED = "arrived"


class OneAck(AsyncAck):
    """Bolt lets the last of several answers win, without a word. Here the second is an error."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Bolt's

    async def __call__(self, *args: Any, **kwargs: Any) -> BoltResponse:
        if self.response is not None:
            raise RuntimeError("a request is acknowledged once")
        return await super().__call__(*args, **kwargs)


class SlackApp:
    """Takes bodies that are proven to be Slack's, from either door, and answers with the JSON body of a 200, or none."""

    def __init__(self, *, desk: Desk, tenants: Tenants, token: str) -> None:
        self._desk = desk
        self._tenants = tenants
        self._token = token
        self._bolt = self._build()

    async def handle(self, body: Body, arrived: datetime) -> Body | None:
        """One request; never raises. `socket_mode` skips Bolt's own verification and form parsing: the front did both.

        Slack shows people an error for anything but 200, so whatever breaks is answered in our words instead.
        """
        if not payloads.is_sound(body):
            log.warning("payload_refused", reason="an action or view without an id")
            return None
        if not payloads.is_heard(body):
            log.info("unhandled", type=str(body.get("type", ""))[:50])
            return None
        try:
            context = {ARRIVED: arrived, "ack": OneAck()}
            # Both read about in the body, and raise for shapes that Slack never sends.
            request = AsyncBoltRequest(body=body, mode="socket_mode", context=context)
            response = await self._bolt.async_dispatch(request)
        except Exception:
            log.exception("bolt_failed")
            return self.late(body, arrived)
        if response.status == HTTPStatus.NOT_FOUND:
            log.info("unhandled", type=str(body.get("type", ""))[:50])
            return None
        if response.status != HTTPStatus.OK:
            log.error("bolt_refused", status=response.status)
            return self.late(body, arrived)
        return _json(response)

    def late(self, body: Body, arrived: datetime) -> Body | None:
        """The answer to what is not done, and may be done yet: that nobody knows. Never raises."""
        try:
            return self._late(body, arrived)
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
        except Exception:
            log.exception("late_failed")
        return None

    def _late(self, body: Body, arrived: datetime) -> Body | None:
        kind = body.get("type")
        if kind == "block_actions":
            self._unconfirmed(payloads.parse_click(body, at=arrived))
        elif kind == "view_submission":
            submission = payloads.parse_submission(body, at=arrived)
            is_ours = submission.callback_id in listeners.SUBMISSIONS
            return dict((_form_unconfirmed if is_ours else listeners.retired_form)(submission) or {})
        elif kind == "block_suggestion":
            return NOTHING_FOUND.payload()
        elif str(body.get("command")) in listeners.COMMANDS:
            return {"response_type": "ephemeral", **notices.unconfirmed().payload()}
        return None

    def _build(self) -> AsyncApp:
        # Bolt's own lines quote bodies: of requests that nobody handles, and at DEBUG of all.
        quiet = logging.getLogger("signoff.bolt.framework")
        quiet.setLevel(logging.ERROR)
        with _no_slack_in_environment():
            bolt = AsyncApp(
                logger=quiet,
                authorize=authorize_from(self._tenants, token=self._token),
                process_before_response=True,
                request_verification_enabled=False,
                ssl_check_enabled=False,
                url_verification_enabled=False,
                attaching_function_token_enabled=False,
                attaching_conversation_kwargs_enabled=False,
            )
        bolt.action(ANYTHING)(self._on_action)
        bolt.view(ANYTHING)(self._on_submission)
        bolt.view_closed(ANYTHING)(_only_acknowledge)
        bolt.command(ANYTHING)(self._on_command)
        bolt.options(ANYTHING)(self._on_lookup)
        bolt.event(ANYTHING)(self._on_event)
        bolt.shortcut(ANYTHING)(_only_acknowledge)
        return bolt

    async def _on_action(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        try:
            click = payloads.parse_click(body, at=context[ARRIVED])
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
        else:
            await self._clicked(click)
        await ack()

    async def _clicked(self, click: Click) -> None:
        base = ids.base(click.action_id)
        listener = listeners.ACTIONS.get(base, retired)
        try:
            tenant = await self._tenants.of(click.origin)
            if tenant is not None:
                await listener(self._desk, tenant, click)
            elif base not in ids.INPUTS:
                self._desk.errands.note(click.origin, notices.gone(), thread_ts=click.thread_ts)
        except Exception:
            # What a listener decides is worded inside it; here something around it failed.
            log.exception("listener_failed", action=base)
            self._unconfirmed(click)

    def _unconfirmed(self, click: Click) -> None:
        if ids.base(click.action_id) in ids.INPUTS:
            return  # nothing was to be decided
        self._desk.errands.note(click.origin, notices.unconfirmed(), thread_ts=click.thread_ts)

    async def _on_event(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        """Somebody looks at their Home; other events are of no use to us."""
        try:
            origin = payloads.parse_home_opened(body, at=context[ARRIVED])
            tenant = None if origin is None else await self._tenants.of(origin)
            if origin is not None and tenant is not None:
                self._desk.homes.opened(tenant, origin.person)
        except Exception:
            log.exception("event_failed")
        await ack()

    async def _on_lookup(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        """An empty list for whatever we do not know: Slack shows people an error for anything else."""
        found = NOTHING_FOUND
        try:
            lookup = payloads.parse_lookup(body, at=context[ARRIVED])
            tenant = await self._tenants.of(lookup.origin)
            if tenant is None or ids.searched(lookup.action_id) is None:
                log.info("unhandled", type="block_suggestion")
            else:
                found = await listeners.lookup(self._desk, tenant, lookup)
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
        except Exception:
            log.exception("lookup_failed")
        await ack(**found.payload())

    async def _on_submission(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        response: listeners.Response = None
        try:
            submission = payloads.parse_submission(body, at=context[ARRIVED])
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
        else:
            response = await self._submitted(submission)
        await ack(**(response or {}))

    async def _submitted(self, submission: Submission) -> listeners.Response:
        listener = listeners.SUBMISSIONS.get(submission.callback_id)
        if listener is None:
            return listeners.retired_form(submission)
        try:
            tenant = await self._tenants.of(submission.origin)
            if tenant is None:
                return listeners.instead(notices.gone(), typed=reading.typed(submission.values))
            return await listener(self._desk, tenant, submission)
        except Exception:
            log.exception("listener_failed", callback=submission.callback_id)
            return _form_unconfirmed(submission)

    async def _on_command(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        message: Message | None = None
        try:
            command = payloads.parse_command(body, at=context[ARRIVED])
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
        else:
            message = await self._desk.worded(self._commanded(command))
        await (ack() if message is None else ack(response_type="ephemeral", **message.payload()))

    async def _commanded(self, command: Command) -> Message | None:
        listener = listeners.COMMANDS.get(command.command)
        if listener is None:
            return None
        tenant = await self._tenants.of(command.origin)
        return notices.gone() if tenant is None else await listener(self._desk, tenant, command)


def _form_unconfirmed(submission: Submission) -> listeners.Response:
    """In the form's place, with what was typed, so that it can be copied."""
    return listeners.instead(notices.unconfirmed(), typed=reading.typed(submission.values))


@contextlib.contextmanager
def _no_slack_in_environment() -> Iterator[None]:
    """While Bolt is built: it takes SLACK_CLIENT_ID and others from there, and turns on an OAuth with its own files."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("SLACK_")}
    try:
        yield
    finally:
        os.environ.update(kept)


async def _only_acknowledge(ack: Acknowledge) -> None:
    await ack()


def _json(response: BoltResponse) -> Body | None:
    found = json.loads(response.body) if response.body else None
    return found if isinstance(found, dict) else None
