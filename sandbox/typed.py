"""What people type, as Slack passes it on: names of people and channels as ids, where a command asks for it."""

import re
from typing import Final

from sandbox.validate.escape import escape
from sandbox.workspace import Workspace

_NAME: Final = re.compile(r"(?<!\S)([@#])([\w.-]+)")


def with_ids(text: str, workspace: Workspace) -> str:
    """`@ana` as `<@U…|ana>`, `#deploys` as `<#C…|deploys>` (private channels without their name); the rest escaped."""
    people = {user.name: user.id for user in workspace.users.values()}
    places = {channel.name: channel for channel in workspace.channels.values() if channel.kind != "im"}

    def replaced(found: re.Match[str]) -> str:
        mark, name = found.groups()
        if mark == "@" and name in people:
            return f"<@{people[name]}|{name}>"
        if mark == "#" and name in places:
            channel = places[name]
            return f"<#{channel.id}|{name if channel.kind == 'channel' else ''}>"
        return found.group()

    return _NAME.sub(replaced, escape(text))
