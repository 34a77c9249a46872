"""What people do, as Slack's client does it for them: click, submit, close, type commands, look options up."""

from typing import Any, Final

from sandbox import payloads, seed
from sandbox.core import Core
from sandbox.deliver import Deliverer
from sandbox.entries import KINDS, Impossible, State, find
from sandbox.model import Json, User
from sandbox.outcome import Outcome, after, refused
from sandbox.replies import command_reply, options_of
from sandbox.stored import echo
from sandbox.surfaces import Surface, Target, resolve, visible_channel
from sandbox.typed import with_ids
from sandbox.webapi.chat import describe

_ECHOED: Final = (
    "text",
    "value",
    "style",
    "url",
    "confirm",
    "placeholder",
    "initial_option",
    "initial_options",
    "accessibility_label",
)
_UNECHOED: Final = {"checkboxes": ("initial_option",)}


class Hands:
    """Acts for people. Warnings end up in the outcome and among the person's notices."""

    def __init__(self, core: Core, deliverer: Deliverer) -> None:
        self.core = core
        self.deliverer = deliverer

    def user(self, user_id: str) -> User:
        """Somebody who can act: known, active, no bot."""
        user = self.core.workspace.users.get(user_id)
        if user is None or user.deleted or user.is_bot:
            raise Impossible(f"{user_id} is nobody who can act")
        return user

    async def click(
        self,
        user_id: str,
        target: Target,
        action_id: str,
        *,
        block_id: str | None = None,
        value: Any = None,
        state: State | None = None,
        stale: bool = False,
        forge: bool = False,
    ) -> Outcome:
        """Use one element. `stale`: one that has since been repainted away will do. `forge`: send any value, from any element."""
        user = self.user(user_id)
        surface = resolve(self.core.workspace, user_id, target, gone=stale or forge)
        found = self._element(surface, action_id, block_id, stale=stale, forge=forge)
        who = (user_id, surface.key)
        if state and not forge:
            self.core.entries.take(who, surface.blocks, state, lenient=stale)
        action = self._action(who, found, value, forge=forge)
        values = self.core.entries.values(who, surface.blocks, with_initial=False)
        payload = self._on_surface("block_actions", user, surface, values, block_id=found[0]["block_id"])
        payload["actions"] = [action | {"action_ts": self.core.workspace.ids.ts()}]
        return self.told(user_id, after(await self.deliverer.interactive(payload)))

    async def options(
        self, user_id: str, target: Target, action_id: str, *, block_id: str | None = None, query: str = ""
    ) -> Outcome:
        """Look options up for an external select; they count as offered from then on."""
        user = self.user(user_id)
        surface = resolve(self.core.workspace, user_id, target)
        found = find(surface.blocks, action_id, block_id)
        if found is None or "external" not in found[1]["type"]:
            raise Impossible(f"no external select {action_id}")
        place = (found[0]["block_id"], action_id)
        who = (user_id, surface.key)
        values = self.core.entries.values(who, surface.blocks, with_initial=False)
        payload = self._on_surface("block_suggestion", user, surface, values, block_id=place[0])
        payload |= {"block_id": place[0], "action_id": action_id, "value": query}
        payload.pop("trigger_id"), payload.pop("response_url", None)
        delivery = await self.deliverer.interactive(payload)
        if not delivery.ok:
            return self.told(user_id, after(delivery))
        options, warning = options_of(delivery.body)
        self.core.entries.offer(who, place, options)
        return self.told(user_id, after(delivery, options=options, warning=warning))

    async def command(self, user_id: str, channel_id: str, command: str, text: str = "") -> Outcome:
        """Type a slash command. The app's answer shows up as its message."""
        user = self.user(user_id)
        channel = visible_channel(self.core.workspace, user_id, channel_id)
        installed = command in self.core.workspace.commands and "commands" in self.core.settings.scopes
        if not installed or user.team != seed.TEAM_ID:
            return self.told(user_id, refused(warning=f"{command} is not a valid command."))
        key = self.core.responses.mint(user=user_id, channel=channel.id, message_ts=None)
        if command in self.core.workspace.escaped_commands:
            text = with_ids(text, self.core.workspace)
        fields = payloads.slash_command(user, channel, command=command, text=text)
        fields |= {"response_url": self.response_url(key), "trigger_id": self.core.triggers.mint(user_id)}
        delivery = await self.deliverer.command(fields)
        warning = None
        if delivery.ok:
            warning = command_reply(self.core.responses, key, delivery.body, command)
        return self.told(user_id, after(delivery, warning=warning))

    async def open_home(self, user_id: str) -> Outcome:
        """Open the app's Home tab: the app is told, and may publish."""
        user = self.user(user_id)
        if user.team != seed.TEAM_ID:
            raise Impossible("the app is not installed in this person's workspace")
        channel = self.core.workspace.open_dm(user.id)
        body: Json = {"type": "app_home_opened", "user": user.id, "channel": channel.id, "tab": "home"}
        body["event_ts"] = self.core.workspace.ids.ts()
        home = self.core.workspace.homes.get(user.id)
        if home is not None:
            body["view"] = payloads.view_object(home)
        return await self.send_event(body)

    async def send_event(self, body: Json) -> Outcome:
        """Any event of the Events API; `body` is its inner object."""
        event_id = self.core.workspace.ids.event_id()
        payload = payloads.event(body, event_id=event_id, at=self.core.clock.now())
        return after(await self.deliverer.event(payload))

    async def change(
        self, user_id: str, target: Target, action_id: str, value: Any, *, block_id: str | None = None
    ) -> Outcome | None:
        """Change an input as a person does: sent at once where its block wants that, else remembered (None)."""
        found = find(resolve(self.core.workspace, user_id, target).blocks, action_id, block_id)
        if found is not None and _is_told(*found):
            return await self.click(user_id, target, action_id, block_id=block_id, value=value)
        self.enter(user_id, target, action_id, value, block_id=block_id)
        return None

    def enter(self, user_id: str, target: Target, action_id: str, value: Any, *, block_id: str | None = None) -> None:
        """Change an input without anything being sent, as inputs without dispatch_action do."""
        surface = resolve(self.core.workspace, user_id, target)
        found = find(surface.blocks, action_id, block_id)
        if found is None or found[1]["type"] not in KINDS:
            raise Impossible(f"no entry {action_id}")
        self.core.entries.touch((user_id, surface.key), found, value)

    def told(self, user_id: str, outcome: Outcome) -> Outcome:
        if outcome.warning is not None:
            self.core.workspace.warn(user_id, outcome.warning)
        return outcome

    def response_url(self, key: str) -> str:
        return f"{self.core.url}/respond/{key}"

    def _element(
        self, surface: Surface, action_id: str, block_id: str | None, *, stale: bool, forge: bool
    ) -> tuple[Json, Json]:
        found = find(surface.blocks, action_id, block_id)
        if found is None and (stale or forge):
            seen = (find(blocks, action_id, block_id) for blocks in reversed(surface.earlier))
            found = next((old for old in seen if old is not None), None)
        if found is None and forge:
            return {"block_id": block_id or "forged"}, {
                "type": "button",
                "action_id": action_id,
                "text": {"type": "plain_text", "text": action_id},
            }
        if found is None:
            raise Impossible(f"no element {action_id}" + (f" in block {block_id}" if block_id else ""))
        return found

    def _action(self, who: tuple[str, str], found: tuple[Json, Json], value: Any, *, forge: bool) -> Json:
        block, element = found
        kind = element["type"]
        made: Json = {"type": kind, "action_id": element["action_id"], "block_id": block["block_id"]}
        made |= {
            name: echo(element[name]) for name in _ECHOED if name in element and name not in _UNECHOED.get(kind, ())
        }
        if kind in ("button", "icon_button"):
            if value is not None and value != element.get("value") and not forge:
                raise Impossible(f"the button's value is {element.get('value')!r}")
            return made | ({"value": value} if value is not None else {})
        if kind == "feedback_buttons":
            return made | _feedback(element, value, forge=forge)
        if kind == "overflow":
            return made | {"selected_option": echo(_overflow(element, value, forge=forge))}
        if kind not in KINDS:
            raise Impossible(f"nobody can act on a {kind}")
        if forge:
            return made | _forged(kind, value)
        if block["type"] == "input" and not block.get("dispatch_action"):
            raise Impossible(f"the input {element['action_id']} sends nothing: its block has no dispatch_action")
        self.core.entries.touch(who, found, value)
        return made | self.core.entries.shape(who, block, element, value)

    def _on_surface(self, kind: str, user: User, surface: Surface, values: Json, *, block_id: str) -> Json:
        view, channel = surface.view, surface.channel
        if view is not None:
            made = payloads.on_view(kind, user, view, values)
            return made | {"trigger_id": self.core.triggers.mint(user.id, view_id=view.id)}
        assert channel is not None
        described = describe(surface.message) if surface.message is not None else None
        made = payloads.on_message(
            kind,
            user,
            channel,
            surface.ts,
            message=surface.message,
            described=described,
            values=values,
            attachment_id=surface.attachment_of(block_id),
        )
        key = self.core.responses.mint(user=user.id, channel=channel.id, message_ts=surface.ts)
        return made | {"trigger_id": self.core.triggers.mint(user.id), "response_url": self.response_url(key)}


def _is_told(block: Json, element: Json) -> bool:
    """Whether a change is sent as it is made; text only where each character is wanted, not at Enter alone."""
    if block["type"] != "input":
        return True
    config = element.get("dispatch_action_config") or {}
    is_text = "dispatch_action_config" in element or element["type"].endswith("_input")
    wanted = not is_text or "on_character_entered" in config.get("trigger_actions_on", ())
    return bool(block.get("dispatch_action")) and wanted


def _feedback(element: Json, value: Any, *, forge: bool) -> Json:
    """The one of the two buttons with this value."""
    for name in ("positive_button", "negative_button"):
        if element[name]["value"] == value or forge:
            return {"text": echo(element[name]["text"]), "value": value}
    raise Impossible(f"{value!r} is none of the two")


def _overflow(element: Json, value: Any, *, forge: bool) -> Json:
    for option in element["options"]:
        if option["value"] == value:
            found: Json = option
            return found
    if forge:
        return {"text": {"type": "plain_text", "text": str(value), "emoji": True}, "value": value}
    raise Impossible(f"{value!r} is not in the menu")


def _forged(kind: str, value: Any) -> Json:
    """Whatever a tampered client might send in this element's name."""
    shape = KINDS[kind]

    def option(part: Any) -> Json:
        return {"text": {"type": "plain_text", "text": str(part), "emoji": True}, "value": part}

    if shape.mode == "option":
        return {shape.key: None if value is None else option(value)}
    if shape.mode == "options":
        return {shape.key: [option(part) for part in value or []]}
    return {shape.key: value}
