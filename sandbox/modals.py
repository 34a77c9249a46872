"""Submitting and closing modals, and what the app may answer."""

import json
from typing import Any

from sandbox import payloads
from sandbox.entries import Impossible, State, elements
from sandbox.hands import Hands
from sandbox.logs import Delivery
from sandbox.model import Json, View
from sandbox.outcome import TROUBLE, Outcome, after, refused
from sandbox.refusal import Refusal
from sandbox.surfaces import Target, resolve
from sandbox.webapi import views

REQUIRED = "Please complete this required field."


class Modals:
    """The buttons at the foot of a modal."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._core = hands.core

    async def submit(self, user_id: str, view_id: str, state: State | None = None, *, lenient: bool = False) -> Outcome:
        """Submit the modal on top. Inputs are checked first, as Slack's client does; then the app decides what follows."""
        user = self._hands.user(user_id)
        view = self._top(user_id, view_id)
        if "submit" not in view.content:
            raise Impossible("this modal has no submit button")
        who = (user_id, f"view:{view.id}")
        if state:
            self._core.entries.take(who, view.blocks, state, lenient=lenient)
        errors = self._incomplete(who, view)
        if errors:
            return refused(errors=errors)
        values = self._core.entries.values(who, view.blocks, with_initial=True)
        payload = payloads.view_submission(user, view, values)
        payload["trigger_id"] = self._core.triggers.mint(user_id, view_id=view.id)
        payload["response_urls"] = self._response_urls(who, view)
        delivery = await self._hands.deliverer.interactive(payload)
        return self._hands.told(user_id, self._answered(user_id, view, delivery))

    async def close(self, user_id: str, view_id: str, *, everything: bool = False) -> Outcome:
        """Close the modal on top; `everything`: the whole stack, as the cross in the corner does."""
        user = self._hands.user(user_id)
        view = self._top(user_id, view_id)
        cleared = everything or bool(view.content.get("clear_on_close"))
        closed = self._stack(user_id) if cleared else [view]
        self._core.workspace.set_stack(user_id, [] if cleared else self._stack(user_id)[:-1])
        for gone in closed:
            self._core.entries.forget((user_id, f"view:{gone.id}"))
        outcome = Outcome(ok=True)
        for gone in reversed(closed):
            if gone.content.get("notify_on_close"):
                payload = payloads.view_closed(user, gone, cleared=cleared)
                outcome = self._hands.told(user_id, after(await self._hands.deliverer.interactive(payload)))
        return outcome

    def _stack(self, user_id: str) -> list[View]:
        return list(self._core.workspace.modals.get(user_id) or [])

    def _top(self, user_id: str, view_id: str) -> View:
        surface = resolve(self._core.workspace, user_id, Target(surface="view", view_id=view_id))
        if surface.view is None or surface.view is not self._core.workspace.modal(user_id):
            raise Impossible("this modal lies under another one")
        return surface.view

    def _incomplete(self, who: tuple[str, str], view: View) -> dict[str, str]:
        found: dict[str, str] = {}
        for block, element in elements(view.blocks):
            if block["type"] != "input":
                continue
            value = self._core.entries.current(who, block, element)
            if value in (None, []):
                if not block.get("optional"):
                    found[block["block_id"]] = REQUIRED
            elif isinstance(value, str) and (text := _length_error(element, value)):
                found[block["block_id"]] = text
        return found

    def _response_urls(self, who: tuple[str, str], view: View) -> list[Json]:
        """One address for each place that was chosen where the view asked for one."""
        made: list[Json] = []
        for block, element in elements(view.blocks):
            channel = self._core.entries.current(who, block, element) if element.get("response_url_enabled") else None
            if channel is not None:
                key = self._core.responses.mint(user=view.user, channel=channel, message_ts=None)
                made.append(
                    {
                        "block_id": block["block_id"],
                        "action_id": element["action_id"],
                        "channel_id": channel,
                        "response_url": self._hands.response_url(key),
                    }
                )
        return made

    def _answered(self, user_id: str, view: View, delivery: Delivery) -> Outcome:
        if not delivery.ok:
            return after(delivery)
        try:
            answer = json.loads(delivery.body) if delivery.body.strip() else {}
        except ValueError:
            return after(delivery, warning=TROUBLE)
        if not isinstance(answer, dict):
            return after(delivery, warning=TROUBLE)
        try:
            errors = self._act(user_id, view, answer)
        except Refusal:
            return after(delivery, warning=TROUBLE)
        return after(delivery, errors=errors)

    def _act(self, user_id: str, view: View, answer: Json) -> dict[str, str]:
        """Follow a `response_action`. Returns errors to show; raises Refusal for what Slack would not accept."""
        action = answer.get("response_action")
        stack = self._stack(user_id)
        if action is None and not answer:
            self._core.workspace.set_stack(user_id, [open_ for open_ in stack if open_ is not view])
            self._core.entries.forget((user_id, f"view:{view.id}"))
        elif action == "clear":
            self._core.workspace.set_stack(user_id, [])
        elif action == "update":
            views.update_for(self._core, view, views.checked(answer.get("view"), "modal"))
        elif action == "push":
            views.push_for(self._core, user_id, views.checked(answer.get("view"), "modal"))
        elif action == "errors":
            return _errors(view, answer.get("errors"))
        else:
            raise Refusal("invalid_response_action")
        return {}


def _errors(view: View, given: Any) -> dict[str, str]:
    """Only inputs can carry an error; anything else is a fault of the app."""
    inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
    if not isinstance(given, dict) or not given or not set(given) <= inputs:
        raise Refusal("invalid_errors")
    if not all(isinstance(text, str) and text for text in given.values()):
        raise Refusal("invalid_errors")
    return dict(given)


def _length_error(element: Json, value: str) -> str | None:
    low, high = element.get("min_length", 0), element.get("max_length", 3000)
    if len(value) < low:
        return f"Please enter at least {low} characters."
    if len(value) > high:
        return f"Please enter at most {high} characters."
    return None
