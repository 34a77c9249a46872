"""The HTTP door of the Web API."""

import asyncio
from typing import Any, Final

from aiohttp import web

from sandbox import scopes, seed
from sandbox.core import Core
from sandbox.enterprise import dress_answer
from sandbox.faults import Fault
from sandbox.logs import ApiCall
from sandbox.model import Json
from sandbox.refusal import Refusal
from sandbox.webapi.call import Call, arguments, token_of
from sandbox.webapi.methods import METHODS

HTML: Final = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>"


class WebApi:
    """Answers `/api/{method}`, with the faults of the day in between."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def handle(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        fault = self._core.faults.take(method)
        if fault is not None:
            if fault.delay:
                await asyncio.sleep(fault.delay)
            faked = _faked(fault)
            if faked is not None or fault.down:
                args = await _quiet_arguments(request)
                self._log(method, args, None, status=faked.status if faked else 0, acted=False)
                return faked if faked is not None and not fault.down else _hang_up(request)
        response = await self._answer(request, method)
        return _hang_up(request) if fault is not None and fault.drop_reply else response

    async def _answer(self, request: web.Request, method: str) -> web.Response:
        args: Json = {}
        status, headers = 200, {}
        try:
            known = METHODS.get(method)
            args = await arguments(request, takes_json=known is None or known.json)
            body = {"ok": True, **dress_answer(self._run(request, method, args), self._core.settings.enterprise)}
            headers = self._scopes_shown(method)
        except Refusal as refusal:
            body, status, headers = refusal.body(), refusal.status, refusal.headers
        self._log(method, args, body, status=status)
        return web.json_response(body, status=status, headers=headers)

    def _run(self, request: web.Request, method: str, args: Json) -> dict[str, Any]:
        known = METHODS.get(method)
        if known is None:
            raise Refusal("unknown_method", req_method=method)
        if known.caller != "anybody":
            self._check_token(token_of(request, args), known.caller)
        settings = self._core.settings
        if settings.strict_rate:
            self._core.rates.call(method, known.tier, self._core.clock.now())
        if known.caller == "bot":
            scopes.need(settings.scopes, *known.scopes)
        return known.handler(
            Call(core=self._core, method=method, args=args, scopes=settings.scopes, verb=request.method)
        )

    def _scopes_shown(self, method: str) -> dict[str, str]:
        """Slack tells what the token has and what the method wants."""
        known = METHODS[method]
        if known.caller == "anybody":
            return {}
        granted = "connections:write" if known.caller == "app" else scopes.shown(self._core.settings.scopes)
        return {"X-OAuth-Scopes": granted, "X-Accepted-OAuth-Scopes": ",".join(known.scopes)}

    def _check_token(self, token: str | None, wanted: str) -> None:
        settings = self._core.settings
        if token is None:
            raise Refusal("not_authed")
        kinds = {settings.bot_token: "bot", settings.app_token: "app"}
        if token not in kinds:
            raise Refusal("invalid_auth")
        if self._core.faults.revoked(kinds[token]):
            raise Refusal("token_revoked")
        if kinds[token] != wanted:
            raise Refusal("not_allowed_token_type")
        if self._core.workspace.users[seed.BOT_USER].deleted:
            raise Refusal("account_inactive")

    def _log(self, method: str, args: Json, body: Json | None, *, status: int, acted: bool = True) -> None:
        shown = {key: value for key, value in args.items() if key != "token"}
        at = self._core.clock.now()
        self._core.calls.append(ApiCall(method=method, args=shown, response=body, status=status, at=at, acted=acted))
        self._core.workspace.wake()


async def _quiet_arguments(request: web.Request) -> Json:
    try:
        return await arguments(request)
    except Refusal:
        return {}


def _faked(fault: Fault) -> web.Response | None:
    if fault.html:
        return web.Response(text=HTML, content_type="text/html", status=fault.status or 200)
    if fault.status == web.HTTPTooManyRequests.status_code:
        headers = {"Retry-After": str(fault.retry_after if fault.retry_after is not None else 1)}
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
    if fault.status is not None:
        return web.Response(text="Internal Server Error", status=fault.status)
    if fault.error is not None:
        return web.json_response({"ok": False, "error": fault.error})
    return None


def _hang_up(request: web.Request) -> web.Response:
    """Close the connection without an answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
