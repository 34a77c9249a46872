"""Slack's bodies as small frozen types. Whatever does not fit is refused here; no body travels further."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from bot.people import Person


class BadPayload(ValueError):
    """Not something that Slack sends; says what is wrong with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Who sent it, from where, and how to answer them privately."""

    person: Person
    #: The workspace it happened in; None for installs on a whole organisation.
    team_id: str | None
    enterprise_id: str | None
    at: datetime
    channel: str | None = None
    response_url: str | None = None
    trigger_id: str | None = None
    #: "modal" or "home", where it happened in a view.
    view_type: str | None = None
    #: Whether the person stands in front of a message that all see: a card.
    at_card: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Click:
    """One element that somebody used. `choice`: its value, its selected option's, or None."""

    origin: Origin
    action_id: str
    block_id: str
    choice: str | None
    #: The message it sits in; None in a view.
    message_ts: str | None = None
    thread_ts: str | None = None
    is_ephemeral: bool = False
    #: Whether it sits in a message at all, and not in a modal or Home.
    in_message: bool = False
    view_id: str | None = None
    view_callback_id: str | None = None
    metadata: str = ""
    #: block id → action id → Slack's state of that element.
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A modal that somebody submitted."""

    origin: Origin
    callback_id: str
    view_id: str
    metadata: str
    values: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Lookup:
    """What somebody types into a menu that is searched."""

    origin: Origin
    action_id: str
    block_id: str
    query: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    origin: Origin
    command: str
    text: str


#: What our listeners are for. Other kinds (dialogs, look-ups, retired ones) are acknowledged and looked at no further.
_HEARD = frozenset(
    {
        "block_actions",
        "block_suggestion",
        "view_submission",
        "view_closed",
        "event_callback",
        "shortcut",
        "message_action",
    }
)


def is_heard(body: Mapping[str, Any]) -> bool:
    """Whether any listener is for this kind of body; commands have no type."""
    kind = body.get("type")
    return isinstance(body.get("command"), str) if kind is None else isinstance(kind, str) and kind in _HEARD


def is_sound(body: Mapping[str, Any]) -> bool:
    """Whether Bolt's matchers can look at it: they raise for actions and views that lack an id."""
    kind = body.get("type")
    if kind == "block_actions":
        actions = body.get("actions")
        found = actions[0] if isinstance(actions, list) and actions else None
        return isinstance(found, dict) and isinstance(found.get("action_id"), str)
    if kind == "block_suggestion":
        return isinstance(body.get("action_id"), str)
    if kind in ("view_submission", "view_closed"):  # no set: a kind that is a list would raise
        view = _dict(body, "view")
        return isinstance(view.get("callback_id"), str) and isinstance(view.get("type"), str)
    return True


def parse_click(body: Mapping[str, Any], *, at: datetime) -> Click:
    """A `block_actions` body with its first action (Slack sends one)."""
    actions = body.get("actions")
    action = actions[0] if isinstance(actions, list) and actions else None
    if not isinstance(action, dict):
        raise BadPayload("block_actions without an action")
    container = _dict(body, "container")
    message = _dict(body, "message")
    view = _dict(body, "view")
    in_message = container.get("type") == "message" or (not container and bool(message))
    is_ephemeral = container.get("is_ephemeral") is True
    origin = _origin(body, at=at, channel=_channel(body, container))
    return Click(
        origin=replace(origin, at_card=in_message and not is_ephemeral),
        action_id=_text(action, "action_id") or "",
        block_id=_text(action, "block_id") or "",
        choice=_choice(action),
        message_ts=_text(container, "message_ts") or _text(message, "ts"),
        thread_ts=_text(container, "thread_ts") or _text(message, "thread_ts"),
        is_ephemeral=is_ephemeral,
        in_message=in_message,
        view_id=_text(view, "id") or _text(container, "view_id"),
        view_callback_id=_text(view, "callback_id"),
        metadata=_text(view, "private_metadata") or "",
        values=_values(view.get("state") if view else body.get("state")),
    )


def parse_submission(body: Mapping[str, Any], *, at: datetime) -> Submission:
    view = _dict(body, "view")
    if not view:
        raise BadPayload("view_submission without a view")
    return Submission(
        origin=_origin(body, at=at, channel=None),
        callback_id=_text(view, "callback_id") or "",
        view_id=_text(view, "id") or "",
        metadata=_text(view, "private_metadata") or "",
        values=_values(view.get("state")),
    )


def parse_lookup(body: Mapping[str, Any], *, at: datetime) -> Lookup:
    """A `block_suggestion` body."""
    return Lookup(
        origin=_origin(body, at=at, channel=_channel(body, _dict(body, "container"))),
        action_id=_text(body, "action_id") or "",
        block_id=_text(body, "block_id") or "",
        query=_text(body, "value") or "",
    )


def parse_home_opened(body: Mapping[str, Any], *, at: datetime) -> Origin | None:
    """Who looks at their Home now; None for any other event, and for the app's other tab."""
    event = _dict(body, "event")
    user = _text(event, "user")
    if event.get("type") != "app_home_opened" or event.get("tab") != "home" or user is None:
        return None
    team, enterprise = _text(body, "team_id"), _text(body, "enterprise_id")
    person = Person(user_id=user, team_id=team, enterprise_id=enterprise)
    return Origin(person=person, team_id=team, enterprise_id=enterprise, at=at, view_type="home")


def parse_command(body: Mapping[str, Any], *, at: datetime) -> Command:
    """A slash command: flat form fields."""
    user = _text(body, "user_id")
    if user is None:
        raise BadPayload("a command without a user")
    enterprise = _text(body, "enterprise_id")
    name = _text(body, "user_name") or ""
    origin = Origin(
        person=Person(user_id=user, team_id=_text(body, "team_id"), enterprise_id=enterprise, name=name),
        team_id=_text(body, "team_id"),
        enterprise_id=enterprise,
        at=at,
        channel=_text(body, "channel_id"),
        response_url=_text(body, "response_url"),
        trigger_id=_text(body, "trigger_id"),
    )
    return Command(origin=origin, command=_text(body, "command") or "", text=(_text(body, "text") or "").strip())


def _origin(body: Mapping[str, Any], *, at: datetime, channel: str | None) -> Origin:
    user = _dict(body, "user")
    user_id = _text(user, "id")
    if user_id is None:
        raise BadPayload("no user")
    team = _dict(body, "team")
    enterprise = _text(_dict(body, "enterprise"), "id") or _text(team, "enterprise_id")
    view = _dict(body, "view")
    team_id = _text(view, "app_installed_team_id") or _text(team, "id")
    return Origin(
        person=Person(
            user_id=user_id,
            team_id=_text(user, "team_id") or _text(team, "id"),
            enterprise_id=_text(user, "enterprise_id"),
            name=_text(user, "username") or _text(user, "name") or "",
        ),
        team_id=team_id,
        enterprise_id=enterprise,
        at=at,
        channel=channel,
        response_url=_text(body, "response_url"),
        trigger_id=_text(body, "trigger_id"),
        view_type=_text(view, "type"),
    )


def _channel(body: Mapping[str, Any], container: Mapping[str, Any]) -> str | None:
    return _text(_dict(body, "channel"), "id") or _text(container, "channel_id")


def _choice(action: Mapping[str, Any]) -> str | None:
    selected = action.get("selected_option")
    if isinstance(selected, dict):
        return _text(selected, "value")
    return _text(action, "value")


def _values(state: object) -> dict[str, dict[str, Any]]:
    """`state.values`, with everything left out that is not element state."""
    values = state.get("values") if isinstance(state, dict) else None
    if not isinstance(values, dict):
        return {}
    return {
        block: {action: held for action, held in actions.items() if isinstance(held, dict)}
        for block, actions in values.items()
        if isinstance(actions, dict)
    }


def _dict(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = body.get(key)
    return found if isinstance(found, dict) else {}


def _text(body: Mapping[str, Any], key: str) -> str | None:
    """None also for what is no Unicode text: no id and no address of Slack's is such."""
    found = body.get(key)
    return found if isinstance(found, str) and found and _is_unicode(found) else None


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
