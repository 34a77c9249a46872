"""A stop, in words for a terminal. Pure."""

from bot.actors import who
from bot.console import moment
from store.types import Stop


def line(stop: Stop) -> str:
    """`deploy.* since 2026-11-30 12:00 UTC by ana: the cluster is down`."""
    reason = f": {stop.reason}" if stop.reason else ""
    return f"{what(stop)} since {moment(stop.at)} by {who(stop.actor)}{reason}"


def what(stop: Stop) -> str:
    return "everything" if stop.tool is None else stop.tool
