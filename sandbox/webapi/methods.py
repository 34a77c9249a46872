"""Which methods there are, who handles them, and whose token opens them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from sandbox.webapi import apps, auth, blocks, chat, conversations, lists, usergroups, users, views
from sandbox.webapi.call import Call

Handler = Callable[[Call], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Method:
    """`tier`: a key of `rates.TIERS`. `scopes`: any one of them will do. `json`: whether it takes a JSON body."""

    handler: Handler
    tier: str
    scopes: tuple[str, ...] = ()
    caller: Literal["bot", "app", "anybody"] = "bot"
    json: bool = True


_READ: Final = ("channels:read", "groups:read", "im:read", "mpim:read")
_OPEN: Final = ("im:write", "mpim:write", "groups:write", "channels:manage")

METHODS: Final[Mapping[str, Method]] = {
    # Two sources name two tiers for this one; the lower would not let ten sockets be opened.
    "apps.connections.open": Method(apps.connections_open, "3", ("connections:write",), caller="app"),
    "auth.test": Method(auth.test, "special"),
    "blocks.validate": Method(blocks.validate, "3", caller="anybody"),
    "chat.delete": Method(chat.delete, "3", ("chat:write",)),
    "chat.getPermalink": Method(chat.get_permalink, "special", json=False),
    "chat.postEphemeral": Method(chat.post_ephemeral, "4", ("chat:write",)),
    "chat.postMessage": Method(chat.post_message, "messages", ("chat:write",)),
    "chat.update": Method(chat.update, "3", ("chat:write",)),
    "conversations.info": Method(conversations.info, "3", _READ, json=False),
    "conversations.list": Method(lists.conversations_list, "2", _READ, json=False),
    "conversations.members": Method(lists.conversations_members, "4", _READ, json=False),
    "conversations.open": Method(conversations.open_dm, "3", _OPEN),
    "usergroups.list": Method(usergroups.usergroups_list, "2", ("usergroups:read",), json=False),
    "usergroups.users.list": Method(usergroups.members, "2", ("usergroups:read",), json=False),
    "users.info": Method(users.info, "4", ("users:read",), json=False),
    "users.list": Method(lists.users_list, "2", ("users:read",), json=False),
    "users.lookupByEmail": Method(users.by_email, "3", ("users:read.email",)),
    "views.open": Method(views.open_view, "4"),
    "views.publish": Method(views.publish, "4"),
    "views.push": Method(views.push, "4"),
    "views.update": Method(views.update, "4"),
}
