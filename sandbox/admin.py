"""What an administrator of the workspace and the maker of the app change, by the words of the control API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

from sandbox.entries import Impossible
from sandbox.model import Json, Message, Posting
from sandbox.workspace import Workspace

POSTING: Final = get_args(Posting)
WORDS: Final = frozenset({"user", "channel", "ts", "posting"})


class Unknown(Exception):
    """A word or a value that makes no sense."""


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do: what the request must name ("user", "channel", "ts", …), and how it is done."""

    names: tuple[str, ...]
    do: Callable[[Workspace, Mapping[str, Any]], None]


def _message(workspace: Workspace, given: Mapping[str, Any]) -> Message:
    found = workspace.message(given["channel"], given["ts"])
    if found is None or found.deleted:
        raise Impossible(f"no message {given['ts']}")
    return found


def _posting(workspace: Workspace, given: Mapping[str, Any]) -> None:
    if given["posting"] not in POSTING:
        raise Unknown(f"posting must be one of {', '.join(POSTING)}")
    workspace.restrict(given["channel"], cast("Posting", given["posting"]))


def _edit_window(workspace: Workspace, given: Mapping[str, Any]) -> None:
    seconds = given["seconds"]
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | None):
        raise Unknown("seconds must be a number, or null for no limit")
    workspace.edit_window = seconds


def _enabled(given: Mapping[str, Any]) -> bool:
    if not isinstance(given["enabled"], bool):
        raise Unknown("enabled must be true or false")
    return bool(given["enabled"])


def _home_tab(workspace: Workspace, given: Mapping[str, Any]) -> None:
    workspace.home_enabled = _enabled(given)


def _messages_tab(workspace: Workspace, given: Mapping[str, Any]) -> None:
    workspace.messages_enabled = _enabled(given)


ORDERS: Final[Mapping[str, Order]] = {
    "deactivate": Order(("user",), lambda workspace, given: workspace.deactivate(given["user"])),
    "reactivate": Order(("user",), lambda workspace, given: workspace.reactivate(given["user"])),
    "archive": Order(("channel",), lambda workspace, given: workspace.archive(given["channel"])),
    "unarchive": Order(("channel",), lambda workspace, given: workspace.archive(given["channel"], archived=False)),
    "join": Order(("channel", "user"), lambda workspace, given: workspace.join(given["channel"], given["user"])),
    "leave": Order(("channel", "user"), lambda workspace, given: workspace.leave(given["channel"], given["user"])),
    "restrict": Order(("channel", "posting"), _posting),
    "lock": Order(("channel", "ts"), lambda workspace, given: workspace.lock(_message(workspace, given))),
    "unlock": Order(
        ("channel", "ts"), lambda workspace, given: workspace.lock(_message(workspace, given), locked=False)
    ),
    "edit_window": Order(("seconds",), _edit_window),
    "home_tab": Order(("enabled",), _home_tab),
    "messages_tab": Order(("enabled",), _messages_tab),
}


def carry_out(workspace: Workspace, body: Json) -> None:
    """Do what `body["do"]` says. Raises Unknown for what makes no sense, Impossible for people and places that are not there."""
    order = ORDERS.get(str(body.get("do")))
    if order is None:
        raise Unknown(f"do must be one of {', '.join(ORDERS)}")
    missing = [name for name in order.names if name not in body]
    if missing:
        raise Unknown(f"{missing[0]} is missing")
    wrong = [name for name in order.names if name in WORDS and not isinstance(body[name], str)]
    if wrong:
        raise Unknown(f"{wrong[0]} must be a text")
    for name, table in (("user", workspace.users), ("channel", workspace.channels)):
        if name in order.names and body[name] not in table:
            raise Impossible(f"no {name} {body[name]}")
    order.do(workspace, body)
