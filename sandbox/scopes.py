"""What a bot token may do: scopes, and the refusal of a call without the right one."""

from typing import Final

from sandbox.model import Channel
from sandbox.refusal import Refusal

# What a token has unless told otherwise. `chat:write.public` is not among them: it opens channels the app is no member of.
DEFAULT: Final = frozenset(
    [
        "channels:read",
        "chat:write",
        "commands",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "mpim:read",
        "usergroups:read",
        "users:read",
        "users:read.email",
    ],
)
READS: Final = {"channel": "channels:read", "private": "groups:read", "im": "im:read"}


def need(granted: frozenset[str], *any_of: str) -> None:
    """Raises `missing_scope` unless one of these was granted."""
    if any_of and not granted & set(any_of):
        raise Refusal("missing_scope", needed=any_of[0], provided=shown(granted))


def need_to_read(granted: frozenset[str], channel: Channel) -> None:
    """Each kind of channel has its own scope."""
    need(granted, READS[channel.kind])


def shown(granted: frozenset[str]) -> str:
    """As Slack lists scopes."""
    return ",".join(sorted(granted))
