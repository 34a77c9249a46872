"""Kinds of people × every way to decide: one table, made from the tables of listeners, so that none is missed."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import pytest

from blocks import ids
from bot import edits
from bot.api.table import ROUTES
from bot.slack import listeners
from store.drafts import Draft
from store.types import Approval, Edited, Scope
from tests.api.site import Site, open_site
from tests.blocks.cases import approval
from tests.front.people import BEN, DANA, HOP, KINDS, ORG, TEAM, Kind
from tests.front.stage import DEPLOYS, Stage, command, standing

HERE = {"container": {"type": "message", "message_ts": "1700000000.000100", "channel_id": DEPLOYS}}
LIST = {"container": {**HERE["container"], "is_ephemeral": True}}
HOME = {
    "container": {"type": "view", "view_id": "V1"},
    "channel": None,
    "view": {"id": "V1", "type": "home", "callback_id": ids.VIEW_HOME},
    "trigger_id": "1.2.home",
}
SURFACES = {"card": HERE, "list": LIST, "home": HOME}

#: What each listener can do to an approval. Whoever adds a listener says it here, and the matrix does the rest.
DECIDES, OPENS, GIVES_TIME = {ids.APPROVE, ids.DENY}, {ids.DENY_REASON, ids.REVIEW}, {ids.EXTEND}
FORMS = {ids.VIEW_DENY, ids.VIEW_REVIEW}
#: The two steps of changing an input: the first decides nothing, the second approves what was changed.
EDITS = {ids.VIEW_EDIT, ids.VIEW_COMPARE}
#: These ask another question than who may decide; none of them approves or denies what waits.
OTHERS = {
    *{ids.VALUE, ids.TEXT, ids.HAPPENED, ids.NOT_HAPPENED},
    *{ids.SHOW_ALL, ids.PAGE, ids.MORE, ids.WAKE, ids.WITHDRAW, ids.TAKE_BACK, ids.PRACTICE},
    *{ids.PICK, ids.CHOOSE, ids.OTHER, ids.SUBMIT, ids.SKIP, ids.FORM, ids.LIST_FILTER, ids.LIST_PAGE},
}
OTHER_FORMS = {ids.VIEW_OTHER, ids.VIEW_FORM}
OTHER_COMMANDS = {"/pending", "/signoff"}


@dataclass(frozen=True)
class Cell:
    """What came of it: what happened to the approval, and what the person was told, or shown."""

    did: str
    words: str


@dataclass(kw_only=True)
class Scene:
    stage: Stage
    site: Site
    kind: Kind
    asked: int = 0

    async def ask(self) -> Approval:
        self.asked += 1
        now = self.stage.parts.clock.now()
        wanted = approval(
            id=f"apr_{self.asked:05}",
            operation_id=f"op-{self.asked}",
            created_at=now,
            expires_at=now + 24 * HOP,
            approvers=self.kind.approvers,
            requested_by=self.kind.requested_by,
            terms=replace(self.kind.terms, extension=HOP, may_edit=True),
            input_schema="{}",
        )
        await self.stage.parts.store.create_approval(approval=wanted)
        if self.kind.escalated:
            self.stage.parts.clock.advance(HOP)
            await self.stage.parts.store.ring_due(now=self.stage.parts.clock.now())
        return wanted

    async def attempt(self, path: "Path") -> Cell:
        asked = await self.ask()
        before = len(self.stage.slack.calls)
        answered = await path(self, asked)
        await self.stage.errands.drain(10)
        found = await self.stage.parts.store.find_approval(tenant=asked.tenant, id=asked.id)
        assert found is not None
        calls = [call.args for call in self.stage.slack.calls[before:] if call.method in _TELLS]
        did = found.state.value if found.votes else "nothing"
        if found.course.extension is not None:
            did = "more time"
        elif any("callback_id" in str(call) and ids.VIEW_CLOSED not in str(call) for call in calls):
            did = "form"
        return Cell(did=did, words=answered + json.dumps(calls, ensure_ascii=False))


_TELLS = {"chat.postEphemeral", "views.open", "views.push"}
Path = Callable[[Scene, Approval], Awaitable[str]]


def _user(kind: Kind) -> dict[str, Any]:
    found = {"id": kind.user, "team_id": kind.team}
    return found if kind.enterprise is None else {**found, "enterprise_id": kind.enterprise}


def clicking(action: str, surface: Mapping[str, Any]) -> Path:
    async def path(scene: Scene, asked: Approval) -> str:
        body = {
            "type": "block_actions",
            "team": {"id": TEAM, "domain": "acme"},
            "user": _user(scene.kind),
            "channel": {"id": DEPLOYS},
            "trigger_id": "1.2.card",
            "actions": [{"type": "button", "action_id": action, "block_id": "act.1", "value": asked.id}],
            **surface,
        }
        reply = await scene.stage.post({key: part for key, part in body.items() if part is not None})
        assert reply.status == 200
        return ""

    return path


def choosing(verb: ids.Verb) -> Path:
    async def path(scene: Scene, asked: Approval) -> str:
        chosen = {"type": "overflow", "action_id": ids.MORE, "block_id": "act.1"}
        entry = {**chosen, "selected_option": {"value": ids.encode_menu(verb, asked.id)}}
        await clicking(ids.MORE, {**HERE, "actions": [entry]})(scene, asked)
        return ""

    return path


CHANGED = '{"version":"1.4.3"}'


async def comparing(scene: Scene, asked: Approval) -> str:
    """*Approve with changes*, with what this person entered before."""
    draft = Draft(typed={1_000: CHANGED})
    kept = {"tenant": asked.tenant, "interaction_id": asked.id, "person": scene.kind.user, "draft": draft}
    assert await scene.stage.parts.store.keep_draft(**kept, at=scene.stage.parts.clock.now())
    edited = edits.edited(asked, CHANGED)
    assert isinstance(edited, Edited)
    return await submitting(ids.VIEW_COMPARE, digest=edited.digest)(scene, asked)


def submitting(callback_id: str, *, digest: str | None = None) -> Path:
    async def path(scene: Scene, asked: Approval) -> str:
        typed = {ids.REASON_BLOCK: {ids.TEXT: {"type": "plain_text_input", "value": "Not today."}}}
        view = {"id": "V2", "type": "modal", "callback_id": callback_id, "state": {"values": typed}}
        body = {
            "type": "view_submission",
            "team": {"id": TEAM, "domain": "acme"},
            "user": _user(scene.kind),
            "view": {**view, "private_metadata": ids.encode_metadata(asked.id, ids.Where(), digest=digest)},
        }
        reply = await scene.stage.post(body)
        assert reply.status == 200
        return json.dumps(reply.json, ensure_ascii=False) if reply.text else ""

    return path


async def by_key(scene: Scene, asked: Approval) -> str:
    """With a key that this person answers for and that nobody named: what a person may, their key may not."""
    token = await scene.stage.parts.owned_key(Scope.DECIDE, name=f"key-{asked.id}", owner=scene.kind.user)
    reply = await scene.site.call("POST", f"/v1/approvals/{asked.id}/decide", {"decision": "allow-once"}, token=token)
    return f"{reply.status} {reply.json['title']} {reply.json.get('detail')}"


#: Path → what it comes to for who may decide.
PATHS: dict[str, tuple[Path, str]] = {
    **{
        f"{action} on a {name}": (clicking(action, surface), "denied" if action == ids.DENY else "approved")
        for action in sorted(DECIDES)
        for name, surface in SURFACES.items()
    },
    **{
        f"{action} on a {name}": (clicking(action, surface), "form")
        for action in sorted(OPENS)
        for name, surface in SURFACES.items()
    },
    **{f"{action} on a card": (clicking(action, HERE), "more time") for action in sorted(GIVES_TIME)},
    **{
        f"{form} submitted": (submitting(form), "denied" if form == ids.VIEW_DENY else "approved")
        for form in sorted(FORMS)
    },
    "Edit input… on a card": (choosing(ids.Verb.EDIT), "form"),
    f"{ids.VIEW_EDIT} submitted": (submitting(ids.VIEW_EDIT), "nothing"),
    f"{ids.VIEW_COMPARE} submitted": (comparing, "approved"),
}


def test_every_listener_is_in_the_matrix_or_said_to_decide_nothing() -> None:
    assert set(listeners.ACTIONS) == DECIDES | OPENS | GIVES_TIME | OTHERS
    assert set(listeners.SUBMISSIONS) == FORMS | EDITS | OTHER_FORMS
    assert set(listeners.COMMANDS) == OTHER_COMMANDS
    assert {route.path for route in ROUTES if route.scope is Scope.DECIDE} == {
        "/v1/approvals/{id}/decide",
        "/v1/questions/{id}/answer",
    }
    assert len(KINDS) >= 10


@pytest.fixture
async def scene(request):
    kind = KINDS[request.param]
    async with standing(enterprise_id=ORG) as stage, open_site(stage.parts) as site:
        if kind.fault is not None:
            stage.slack.faults.add(**kind.fault)
        yield Scene(stage=stage, site=site, kind=kind)


@pytest.mark.parametrize("scene", KINDS, indirect=True)
async def test_each_kind_of_person_decides_or_is_told_the_rule_and_who_could_on_every_path(scene) -> None:
    kind, wrong = scene.kind, []
    for name, (path, allowed) in PATHS.items():
        cell = await scene.attempt(path)
        right = "nothing" if kind.refused else allowed
        missing = [words for words in kind.refused if words not in cell.words]
        said = missing or (not kind.refused and "You cannot" in cell.words)
        if cell.did != right or said:
            wrong.append((name, right, missing, cell))

    assert wrong == []


@pytest.mark.parametrize("scene", KINDS, indirect=True)
async def test_a_key_that_nobody_named_decides_nothing_whoever_holds_it(scene) -> None:
    cell = await scene.attempt(by_key)

    assert cell.did == "nothing"
    assert cell.words.startswith("403 ")
    assert "may not decide here" in cell.words


@pytest.mark.parametrize("owner", [None, BEN, DANA])
@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("scopes", [(Scope.DECIDE,), (Scope.ASK, Scope.READ)])
@pytest.mark.parametrize("scene", ["a member named by id"], indirect=True)
async def test_a_named_key_decides_with_its_scope_and_never_what_its_owner_asked(scene, scopes, allowed, owner) -> None:
    scene.kind = replace(scene.kind, approvers=replace(scene.kind.approvers, keys=("judge",), allow_requester=allowed))
    asked = await scene.ask()
    token = await scene.stage.parts.owned_key(*scopes, name="judge", owner=owner)

    reply = await scene.site.call("POST", f"/v1/approvals/{asked.id}/decide", {"decision": "deny"}, token=token)

    may = Scope.DECIDE in scopes and (owner != DANA or allowed)
    assert reply.status == (200 if may else 403)
    found = await scene.stage.parts.store.find_approval(tenant=asked.tenant, id=asked.id)
    assert found is not None
    assert found.state.value == ("denied" if may else "pending")


NOTHING: dict[str, Path] = {
    **{
        f"{action} on a {name}": clicking(action, surface)
        for action in sorted(OTHERS | OPENS | GIVES_TIME)
        for name, surface in SURFACES.items()
    },
    **{f"{verb} in the menu": choosing(verb) for verb in ids.Verb},
    **{f"{form} submitted": submitting(form) for form in sorted(OTHER_FORMS)},
}


@pytest.mark.parametrize("scene", ["a member named by id"], indirect=True)
async def test_nothing_else_approves_or_denies_even_for_who_may(scene) -> None:
    did = {name: (await scene.attempt(path)).did for name, path in NOTHING.items()}

    assert {name: what for name, what in did.items() if what not in {"nothing", "form", "more time"}} == {}


@pytest.mark.parametrize("scene", [name for name, kind in KINDS.items() if kind.team == TEAM], indirect=True)
async def test_the_list_offers_buttons_to_those_only_who_may_decide(scene) -> None:
    asked = await scene.ask()

    reply = await scene.stage.send(urlencode(command("/pending", user_id=scene.kind.user, text="all")).encode())

    offered = [
        element["action_id"]
        for block in reply.json.get("blocks", [])
        if block["type"] == "actions" and block["block_id"].startswith("row.")
        for element in block["elements"]
        if element["value"] == asked.id
    ]
    assert (offered != []) is (not scene.kind.refused)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("scene", ["a member named by id"], indirect=True)
async def test_where_a_reason_is_needed_no_way_denies_without_one(scene, surface) -> None:
    scene.kind = replace(scene.kind, approvers=replace(scene.kind.approvers, require_reason=True, keys=("judge",)))
    asked = await scene.ask()
    _, token = await scene.stage.parts.key(Scope.DECIDE, name="judge")
    path = f"/v1/approvals/{asked.id}/decide"

    clicked = await scene.attempt(clicking(ids.DENY, SURFACES[surface]))
    sent = [await scene.site.call("POST", path, {"decision": "deny", **more}, token=token) for more in BLANK]
    given = await scene.attempt(submitting(ids.VIEW_DENY))

    assert clicked.did == "form"
    assert '"Deny"' in clicked.words
    assert [reply.status for reply in sent] == [422, 422]
    assert given.did == "denied"


BLANK = ({}, {"feedback": "  "})
