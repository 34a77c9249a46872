"""Which methods there are, who handles them, and whose token opens them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from sandbox.webapi import apps, auth, blocks, chat, conversations, users, views
from sandbox.webapi.call import Call

Handler = Callable[[Call], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Method:
    handler: Handler
    caller: Literal["bot", "app", "anybody"] = "bot"


METHODS: Final[Mapping[str, Method]] = {
    "apps.connections.open": Method(apps.connections_open, caller="app"),
    "auth.test": Method(auth.test),
    "blocks.validate": Method(blocks.validate, caller="anybody"),
    "chat.getPermalink": Method(chat.get_permalink),
    "chat.postEphemeral": Method(chat.post_ephemeral),
    "chat.postMessage": Method(chat.post_message),
    "chat.update": Method(chat.update),
    "conversations.info": Method(conversations.info),
    "conversations.open": Method(conversations.open_dm),
    "usergroups.users.list": Method(users.usergroup_users),
    "users.info": Method(users.info),
    "views.open": Method(views.open_view),
    "views.publish": Method(views.publish),
    "views.push": Method(views.push),
    "views.update": Method(views.update),
}
