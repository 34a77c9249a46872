"""views.open, views.push, views.update, views.publish."""

import json
from dataclasses import replace
from typing import Any, Final

from sandbox.core import Core
from sandbox.model import Json, View
from sandbox.payloads import view_object
from sandbox.refusal import Refusal, bad_arguments, bad_view
from sandbox.stored import complete
from sandbox.validate import check
from sandbox.validate.permitted import unpermitted
from sandbox.webapi.call import Call

SIZE: Final = 250_000
STACK: Final = 3


def open_view(call: Call) -> dict[str, Any]:
    content = _content(call, "modal")
    user, _ = call.core.triggers.spend(_trigger(call))
    return {"view": view_object(open_for(call.core, user, content))}


def push(call: Call) -> dict[str, Any]:
    content = _content(call, "modal")
    user, _ = call.core.triggers.spend(_trigger(call))
    return {"view": view_object(push_for(call.core, user, content))}


def update(call: Call) -> dict[str, Any]:
    view_id, external_id = call.text("view_id"), call.text("external_id")
    if not view_id and not external_id:
        raise bad_arguments("missing required field: view_id")
    views = call.core.workspace.views()
    found = [view for view in views if (view.id == view_id if view_id else view.external_id == external_id)]
    if not found:
        raise Refusal("not_found")
    view = found[0]
    content = _content(call, view.type)
    _fresh(call, view)
    update_for(call.core, view, content)
    return {"view": view_object(view)}


def publish(call: Call) -> dict[str, Any]:
    if not call.core.workspace.home_enabled:
        raise Refusal("not_enabled")
    user = call.core.workspace.users.get(call.need("user_id"))
    if user is None:
        raise bad_arguments("invalid `user_id`")
    content = _content(call, "home")
    old = call.core.workspace.homes.get(user.id)
    if old is not None:
        _fresh(call, old)
        update_for(call.core, old, content)
        return {"view": view_object(old)}
    _unique_external_id(call.core, content, None)
    view = _made(call.core, user.id, content)
    call.core.workspace.set_home(view)
    return {"view": view_object(view)}


def open_for(core: Core, user: str, content: Json) -> View:
    """A new stack of one; a modal that was open is gone."""
    _unique_external_id(core, content, None)
    view = _made(core, user, content)
    core.workspace.set_stack(user, [view])
    return view


def push_for(core: Core, user: str, content: Json) -> View:
    stack = core.workspace.modals.get(user) or []
    if not stack:
        raise Refusal("not_found")
    if len(stack) >= STACK:
        raise Refusal("push_limit_reached")
    _unique_external_id(core, content, None)
    view = _made(core, user, content)
    view.root_id, view.previous_id = stack[0].id, stack[-1].id
    core.workspace.set_stack(user, [*stack, view])
    return view


def update_for(core: Core, view: View, content: Json) -> None:
    _unique_external_id(core, content, view)
    core.workspace.edit_view(view, _stored(core, content))


def checked(value: Any, kind: str) -> Json:
    """A view that Slack would take, else Refusal."""
    problems = check.view(value)
    if problems:
        raise bad_view(problems)
    if value["type"] != kind:
        raise bad_arguments(
            "failed to match all allowed schemas [json-pointer:/view]",
            "must be a valid enum value [json-pointer:/view/type]",
        )
    if len(json.dumps(value, ensure_ascii=False).encode()) > SIZE:
        raise Refusal("view_too_large")
    content: Json = value
    return content


def _content(call: Call, kind: str) -> Json:
    if "view" not in call.args:
        raise bad_arguments("missing required field: view")
    value = call.value("view")
    if isinstance(value, str):
        raise bad_arguments("must provide an object [json-pointer:/view]")
    content = checked(value, kind)
    _permitted(call.core, content)
    return content


def _permitted(core: Core, content: Json) -> None:
    problems = unpermitted(content["blocks"], core.settings.scopes)
    if problems:
        raise bad_view([replace(problem, pointer=f"/blocks{problem.pointer}") for problem in problems])


def _trigger(call: Call) -> str:
    found = call.text("trigger_id") or call.text("interactivity_pointer")
    if not found:
        raise bad_arguments("missing required field: trigger_id")
    return found


def _fresh(call: Call, view: View) -> None:
    """An empty hash is a wrong hash."""
    given = call.text("hash")
    if given is not None and given != view.hash:
        raise Refusal("hash_conflict")


def _unique_external_id(core: Core, content: Json, own: View | None) -> None:
    wanted = content.get("external_id")
    if wanted and any(view is not own and view.external_id == wanted for view in core.workspace.views()):
        raise Refusal("duplicate_external_id")


def _stored(core: Core, content: Json) -> Json:
    _permitted(core, content)
    blocks = complete(content["blocks"], core.workspace.ids)
    return {**content, "blocks": blocks}


def _made(core: Core, user: str, content: Json) -> View:
    ids = core.workspace.ids
    view_id = ids.view_id()
    team = core.workspace.users[user].team
    return View(id=view_id, user=user, team=team, content=_stored(core, content), hash=ids.view_hash(), root_id=view_id)
