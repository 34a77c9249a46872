"""The Bolt app: one listener for each kind of request, and our own tables behind them.

A listener here parses, hands on, and acknowledges once; whatever raises becomes a sentence, never a 500.
"""

import json
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from http import HTTPStatus
from typing import Any

import structlog
from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.request.async_request import AsyncBoltRequest

from blocks import ids, notices
from blocks.surface import Message
from bot.slack import listeners, payloads
from bot.slack.authorize import authorize_from
from bot.slack.desk import Desk
from bot.slack.listeners.retired import retired
from bot.slack.payloads import BadPayload, Click, Origin
from bot.slack.tenancy import Tenants

log = structlog.get_logger("signoff.bolt")

Acknowledge = Callable[..., Awaitable[Any]]
Body = dict[str, Any]
ANYTHING = re.compile("")
#: Where in Bolt's context the instant of arrival travels.
ARRIVED = "arrived"


class SlackApp:
    """Takes bodies that are proven to be Slack's, from either door, and answers with a status and a JSON body."""

    def __init__(self, *, desk: Desk, tenants: Tenants, token: str) -> None:
        self._desk = desk
        self._tenants = tenants
        self._token = token
        self._bolt = self._build()

    async def handle(self, body: Body, arrived: datetime) -> tuple[int, Body | None]:
        """One request. `socket_mode` skips Bolt's own verification and form parsing: the front did both."""
        if not payloads.is_sound(body):
            log.warning("payload_refused", reason="an action or view without an id")
            return HTTPStatus.OK, None
        request = AsyncBoltRequest(body=body, mode="socket_mode", context={ARRIVED: arrived})
        response = await self._bolt.async_dispatch(request)
        if response.status == HTTPStatus.NOT_FOUND:
            # Something that nobody here listens to. Slack shows people an error for anything but 200.
            log.info("unhandled", type=str(body.get("type", ""))[:50])
            return HTTPStatus.OK, None
        return response.status, _json(response)

    def _build(self) -> AsyncApp:
        bolt = AsyncApp(
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
        bolt.event(ANYTHING)(_only_acknowledge)
        bolt.shortcut(ANYTHING)(_only_acknowledge)
        return bolt

    async def _on_action(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        try:
            click = payloads.parse_click(body, at=context[ARRIVED])
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
            await ack()
            return
        await self._click(click)
        await ack()

    async def _click(self, click: Click) -> None:
        base = ids.base(click.action_id)
        if base in ids.INPUTS:
            return  # an input of a form; it is read when the form is submitted
        tenant = await self._tenant(click.origin)
        if tenant is None:
            self._desk.errands.note(click.origin, notices.gone(), thread_ts=click.thread_ts)
            return
        listener = listeners.ACTIONS.get(base, retired)
        try:
            await listener(self._desk, tenant, click)
        except Exception:
            # What a listener decides is worded inside it; here something around it failed.
            log.exception("listener_failed", action=base)
            self._desk.errands.note(click.origin, notices.unconfirmed(), thread_ts=click.thread_ts)

    async def _on_submission(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        response: listeners.Response = None
        try:
            submission = payloads.parse_submission(body, at=context[ARRIVED])
            listener = listeners.SUBMISSIONS.get(submission.callback_id)
            tenant = await self._tenant(submission.origin)
            if listener is not None:
                response = await _submitted(listener, self._desk, tenant, submission)
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
        await (ack() if response is None else ack(**response))

    async def _on_command(self, ack: Acknowledge, body: Body, context: AsyncBoltContext) -> None:
        message: Message | None = None
        try:
            command = payloads.parse_command(body, at=context[ARRIVED])
            listener = listeners.COMMANDS.get(command.command)
            tenant = await self._tenant(command.origin)
            if tenant is None:
                message = notices.gone()
            elif listener is not None:
                message = await self._desk.worded(listener(self._desk, tenant, command))
        except BadPayload as refused:
            log.warning("payload_refused", reason=str(refused))
        await (ack() if message is None else ack(response_type="ephemeral", **message.payload()))

    async def _tenant(self, origin: Origin) -> str | None:
        try:
            return await self._tenants.of(origin)
        except Exception:
            log.exception("tenant_unknown")
            return None


async def _submitted(
    listener: listeners.OnSubmission, desk: Desk, tenant: str | None, submission: payloads.Submission
) -> listeners.Response:
    if tenant is None:
        return listeners.instead(notices.gone(), typed=None)
    try:
        return await listener(desk, tenant, submission)
    except Exception:
        log.exception("listener_failed", callback=submission.callback_id)
        return listeners.instead(notices.unconfirmed(), typed=None)


async def _only_acknowledge(ack: Acknowledge) -> None:
    await ack()


def _json(response: BoltResponse) -> Body | None:
    found = json.loads(response.body) if response.body else None
    return found if isinstance(found, dict) else None
