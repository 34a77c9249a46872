"""One call of a method, its arguments read from wherever Slack reads them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from aiohttp import web

from sandbox import seed
from sandbox.core import Core
from sandbox.model import Channel, Json
from sandbox.refusal import Refusal, bad_arguments, missing_argument

_LOOKS_LIKE_ID: Final = re.compile(r"[CDGUW][A-Z0-9]{5,}")
_TRUE: Final = frozenset({"true", "1", "on", "yes"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """`args`: JSON body, or form and query together. Null arguments count as absent."""

    core: Core
    method: str
    args: Mapping[str, Any]
    scopes: frozenset[str] = frozenset()
    verb: str = "POST"

    def text(self, name: str) -> str | None:
        """A string argument; numbers are taken as their text."""
        value = self.args.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise bad_arguments(f"must provide a string [json-pointer:/{name}]")
        return str(value)

    def need(self, name: str) -> str:
        value = self.text(name)
        if not value:
            raise missing_argument(name)
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self.args.get(name)
        if value is None:
            return default
        return value if isinstance(value, bool) else str(value).lower() in _TRUE

    def value(self, name: str) -> Any:
        """An argument that may be JSON or JSON in a string; text that is no JSON comes back as it is."""
        value = self.args.get(name)
        if isinstance(value, str):
            try:
                return json.loads(value)
            except ValueError:
                return value
        return value

    def team(self) -> None:
        """A token of a whole organisation says for which workspace it asks."""
        if self.core.settings.enterprise != "org":
            return
        given = self.text("team_id")
        if not given:
            raise Refusal("missing_argument")
        if given != seed.TEAM_ID:
            raise Refusal("team_access_not_granted")

    def channel(self, name: str = "channel") -> Channel:
        """The channel named, as far as the bot can see it: private ones without the bot do not exist."""
        found = self.core.workspace.channels.get(self.need(name))
        hidden = found is not None and found.kind != "channel" and self.core.workspace.bot_user not in found.members
        if found is None and self.core.settings.enterprise == "org" and not _LOOKS_LIKE_ID.fullmatch(self.need(name)):
            raise Refusal("team_not_found")
        if found is None or hidden:
            raise Refusal("channel_not_found")
        return found


async def arguments(request: web.Request, *, takes_json: bool = True) -> Json:
    """Query and body of a request. Raises Slack's refusals of bodies that it cannot read.

    A JSON body says nothing to a method that does not take one.
    """
    found: Json = dict(request.query)
    if request.method != "POST":
        return found
    if request.content_type == "application/json":
        body = _json_object(await request.read())
        found.update(body if takes_json else {})
    elif request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        try:
            form = await request.post()
        except ValueError as broken:
            raise Refusal("invalid_form_data") from broken
        found.update({key: value for key, value in form.items() if isinstance(value, str)})
    elif await request.read():
        raise Refusal("invalid_post_type" if "Content-Type" in request.headers else "missing_post_type")
    return {key: value for key, value in found.items() if value is not None}


def _json_object(raw: bytes) -> Json:
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except ValueError as broken:
        raise Refusal("invalid_json") from broken
    if not isinstance(body, dict):
        raise Refusal("json_not_object")
    return cast("Json", body)


def token_of(request: web.Request, args: Json) -> str | None:
    """From the header, else from a form field; a token in a JSON body or in the query does not count."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    given = args.get("token")
    in_form = request.content_type != "application/json" and "token" not in request.query
    return given if in_form and isinstance(given, str) else None
