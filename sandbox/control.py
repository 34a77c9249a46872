"""The control API `/sandbox/*`: what the page is made of."""

import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast

from aiohttp import web

from sandbox import admin, seed
from sandbox.entries import Impossible
from sandbox.faults import from_json
from sandbox.hands import Hands
from sandbox.modals import Modals
from sandbox.model import Change, Channel, Json, Message, View
from sandbox.outcome import Outcome
from sandbox.payloads import view_object
from sandbox.probe import probe
from sandbox.socket import REASONS, Sockets
from sandbox.surfaces import Kind, Target, visible_channel
from sandbox.weather import storm_from_json

SURFACES: Final = ("message", "view", "home")


class BadRequest(Exception):
    """The page sent something that makes no sense."""


class Control:
    """Handlers of the control API; `as` names the person who acts."""

    def __init__(self, hands: Hands, modals: Modals, sockets: Sockets) -> None:
        self._hands = hands
        self._sockets = sockets
        self._modals = modals
        self._core = hands.core
        self._workspace = hands.core.workspace

    def routes(self) -> list[web.RouteDef]:
        posts = {
            "act": self._act,
            "submit": self._submit,
            "close": self._close,
            "command": self._command,
            "home": self._home,
            "options": self._options,
            "message": self._message,
            "delete": self._delete,
            "dismiss": self._dismiss,
            "faults": self._add_fault,
            "workspace": self._administer,
            "event": self._event,
            "probe": self._probe,
        }
        return [
            web.get("/sandbox/people", self._people),
            web.get("/sandbox/state", _guarded_get(self._state)),
            web.get("/sandbox/channel/{id}", _guarded_get(self._channel)),
            web.get("/sandbox/stream", self._stream),
            web.delete("/sandbox/faults", self._clear_faults),
            *(web.post(f"/sandbox/{name}", _guarded(handler)) for name, handler in posts.items()),
        ]

    # -- reading ------------------------------------------------------------------------------------------------
    async def _people(self, _: web.Request) -> web.Response:
        people = [
            {
                "id": user.id,
                "name": user.name,
                "real_name": user.real_name,
                "is_bot": user.is_bot,
                "deleted": user.deleted,
                "is_restricted": user.is_restricted,
            }
            for user in self._workspace.users.values()
        ]
        team = {"id": seed.TEAM_ID, "name": seed.TEAM_NAME, "domain": seed.TEAM_DOMAIN}
        return web.json_response({"team": team, "people": people, "bot": seed.BOT_USER})

    def _state(self, request: web.Request) -> Json:
        me = self._hands.user(request.query.get("as", "")).id
        workspace = self._workspace
        home = workspace.homes.get(me)
        return {
            "version": workspace.version,
            "me": me,
            "channels": [
                self._channel_row(channel, me) for channel in workspace.channels.values() if _listed(channel, me)
            ],
            "home": self._view(home) if home else None,
            "modal": [self._view(view) for view in workspace.modals.get(me) or []],
            "notices": [{"id": notice.id, "text": notice.text} for notice in workspace.notices(me)],
            "users": {u.id: {"name": u.name, "real_name": u.real_name, "tz": u.tz} for u in workspace.users.values()},
            "usergroups": {group.id: {"handle": group.handle} for group in workspace.usergroups.values()},
            "app": {"name": seed.APP_NAME, "bot_user": seed.BOT_USER},
            "commands": list(workspace.commands),
        }

    def _channel_row(self, channel: Channel, me: str) -> Json:
        row: Json = {
            "id": channel.id,
            "name": channel.name,
            "kind": channel.kind,
            "unread": self._workspace.unread(me, channel.id),
            "archived": channel.archived,
            "posting": channel.posting,
            "is_member": me in channel.members,
        }
        if channel.kind == "im":
            row["with"] = channel.other(me)
        return row

    def _view(self, view: View) -> Json:
        """A view for drawing: texts as the app sent them, not escaped."""
        return view_object(view) | {
            "blocks": view.blocks,
            **{k: view.content.get(k) for k in ("title", "submit", "close")},
        }

    def _channel(self, request: web.Request) -> Json:
        me = self._hands.user(request.query.get("as", "")).id
        channel = visible_channel(self._workspace, me, request.match_info["id"])
        self._workspace.mark_read(me, channel.id)
        return {"messages": [_message_row(message) for message in self._workspace.seen_by(me, channel.id)]}

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events. Ends when the sandbox does."""
        me = request.query.get("as", "")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        # A window that was closed is no news: it is noticed at the next write.
        with contextlib.suppress(ConnectionError):
            await self._tell(response, me)
        return response

    async def _tell(self, response: web.StreamResponse, me: str) -> None:
        since = self._workspace.version
        await response.write(b": connected\n\n")
        while await self._workspace.next_change(since):
            changes = self._workspace.changes(since)
            since = self._workspace.version
            for change in changes:
                if self._concerns(change, me):
                    await response.write(f"data: {json.dumps(_change_row(change))}\n\n".encode())

    def _concerns(self, change: Change, me: str) -> bool:
        if change.user is not None:
            return change.user == me
        channel = self._workspace.channels.get(change.channel or "")
        return channel is None or channel.kind == "channel" or me in channel.members

    # -- acting -------------------------------------------------------------------------------------------------
    async def _act(self, body: Json) -> Json:
        outcome = await self._hands.click(
            _text(body, "as"),
            _target(body),
            _text(body, "action_id"),
            block_id=body.get("block_id"),
            value=body.get("value"),
            state=_state_of(body),
            stale=True,
            forge=body.get("forge") is True,
        )
        return _told(outcome)

    async def _submit(self, body: Json) -> Json:
        return _told(await self._modals.submit(_text(body, "as"), self._view_id(body), _state_of(body), lenient=True))

    async def _close(self, body: Json) -> Json:
        everything = body.get("clear") is True
        return _told(await self._modals.close(_text(body, "as"), self._view_id(body), everything=everything))

    def _view_id(self, body: Json) -> str:
        """The modal named, else the one on top."""
        if "view_id" in body:
            return _text(body, "view_id")
        top = self._workspace.modal(_text(body, "as"))
        if top is None:
            raise Impossible("no modal is open")
        return top.id

    async def _command(self, body: Json) -> Json:
        text = body.get("text") or ""
        return _told(
            await self._hands.command(_text(body, "as"), _text(body, "channel"), _text(body, "command"), str(text))
        )

    async def _home(self, body: Json) -> Json:
        return _told(await self._hands.open_home(_text(body, "as")))

    async def _options(self, body: Json) -> Json:
        outcome = await self._hands.options(
            _text(body, "as"),
            _target(body),
            _text(body, "action_id"),
            block_id=body.get("block_id"),
            query=str(body.get("query") or ""),
        )
        return _told(outcome) | {"options": outcome.options}

    async def _message(self, body: Json) -> Json:
        user = self._hands.user(_text(body, "as"))
        channel = visible_channel(self._workspace, user.id, _text(body, "channel"))
        if channel.archived:
            raise Impossible("this channel is archived")
        thread = body.get("thread_ts")
        if channel.posting == "read_only" or (channel.posting == "thread_only" and not thread):
            raise Impossible(
                "nobody may post here" if channel.posting == "read_only" else "only replies are taken here"
            )
        if thread is not None and self._workspace.message(channel.id, str(thread)) is None:
            raise Impossible(f"no message {thread} to reply to")
        posted = self._workspace.post(channel.id, user.id, _text(body, "text"), thread_ts=thread)
        return {"ok": True, "ts": posted.ts}

    async def _delete(self, body: Json) -> Json:
        message = self._workspace.message(_text(body, "channel"), _text(body, "ts"))
        if message is None or message.deleted:
            raise Impossible("no such message")
        self._workspace.delete(message)
        return {"ok": True}

    async def _dismiss(self, body: Json) -> Json:
        self._workspace.dismiss(_text(body, "as"), _text(body, "id"))
        return {"ok": True}

    async def _administer(self, body: Json) -> Json:
        """`{"do": "deactivate", "user": …}`, `{"do": "restrict", "channel": …, "posting": "admins"}`: see `admin.ORDERS`."""
        admin.carry_out(self._workspace, body)
        return {"ok": True}

    async def _event(self, body: Json) -> Json:
        """Any event of the Events API; the body is its inner object."""
        _text(body, "type")
        return _told(await self._hands.send_event(body))

    async def _probe(self, _: Json) -> Json:
        found = await probe(self._hands.deliverer)
        return {"ok": found.challenge and found.ssl_check, "challenge": found.challenge, "ssl_check": found.ssl_check}

    async def _add_fault(self, body: Json) -> Json:
        """A fault of the Web API, one of deliveries (`delivery`), `{"revoked": "bot"}`, or `{"socket": …}`: "drop" or the
        reason of a disconnect.
        """
        if "socket" in body:
            await self._disturb(_text(body, "socket"))
            return {"ok": True}
        if "revoked" in body:
            self._revoke(body["revoked"])
            return {"ok": True}
        try:
            if "delivery" in body:
                self._core.weather.put(storm_from_json(body))
            else:
                self._core.faults.put(from_json(body))
        except ValueError as wrong:
            raise BadRequest(str(wrong)) from wrong
        return {"ok": True}

    def _revoke(self, kind: Any) -> None:
        if kind not in ("bot", "app"):
            raise BadRequest("revoked must be bot or app")
        self._core.faults.revoke(kind)

    async def _disturb(self, how: str) -> None:
        if how == "drop":
            self._sockets.drop()
        elif how in REASONS:
            await self._sockets.disconnect(how)
        else:
            raise BadRequest(f"socket must be drop or one of {', '.join(REASONS)}")

    async def _clear_faults(self, _: web.Request) -> web.Response:
        self._core.faults.clear()
        self._core.weather.clear()
        return web.json_response({"ok": True})


def _listed(channel: Channel, me: str) -> bool:
    return channel.kind == "channel" or me in channel.members


def _guarded(handler: Callable[[Json], Awaitable[Json]]) -> Callable[[web.Request], Awaitable[web.Response]]:
    """JSON in, JSON out; what nobody can do is 400 with the reason."""

    async def handle(request: web.Request) -> web.Response:
        try:
            return web.json_response(await handler(_object(await request.read())))
        except (Impossible, BadRequest, admin.Unknown, ValueError) as reason:
            return web.json_response({"ok": False, "error": str(reason)}, status=400)

    return handle


def _object(raw: bytes) -> Json:
    body = json.loads(raw)
    if not isinstance(body, dict):
        raise BadRequest("the body is no JSON object")
    return body


def _guarded_get(handler: Callable[[web.Request], Json]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        try:
            return web.json_response(handler(request))
        except Impossible as reason:
            return web.json_response({"ok": False, "error": str(reason)}, status=404)

    return handle


def _text(body: Json, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{name} is missing")
    return value


def _target(body: Json) -> Target:
    surface = body.get("surface")
    if surface not in SURFACES:
        raise BadRequest("surface must be message, view or home")
    names = {name: str(body.get(name) or "") for name in ("channel", "ts", "view_id")}
    return Target(surface=cast("Kind", surface), **names)


def _state_of(body: Json) -> dict[str, dict[str, Any]]:
    state = body.get("state") or {}
    if not isinstance(state, dict) or not all(isinstance(actions, dict) for actions in state.values()):
        raise BadRequest("state must be {block_id: {action_id: value}}")
    return state


def _told(outcome: Outcome) -> Json:
    told: Json = {"ok": outcome.warning is None}
    if outcome.errors:
        told["errors"] = outcome.errors
    if outcome.warning is not None:
        told["warning"] = outcome.warning
    return told


def _message_row(message: Message) -> Json:
    row: Json = {
        "ts": message.ts,
        "user": message.user,
        "text": message.text,
        "blocks": message.blocks,
        "attachments": message.attachments,
        "edited": message.edited,
        "ephemeral": message.ephemeral_to is not None,
        "at": message.at,
    }
    return row | ({"thread_ts": message.thread_ts} if message.thread_ts else {})


def _change_row(change: Change) -> Json:
    row: Json = {"version": change.version, "what": change.what}
    return row | ({"channel": change.channel} if change.channel else {})
