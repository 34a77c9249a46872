"""Keys, scopes and tenants, for every route there is: a new route cannot be forgotten here."""

from datetime import timedelta
from typing import Any

import pytest

from bot.api.route import PLACE, Route
from bot.api.table import ROUTES
from bot.keys import BothScopes, make_key
from store.types import Scope
from tests.api.hosting import start
from tests.api.site import Site, approval, questions
from tests.clock import START

BODIES: dict[str, Any] = {
    "/v1/approvals": approval(),
    "/v1/questions": questions(),
    "/v1/approvals/{id}/decide": {"decision": "deny"},
    "/v1/questions/{id}/answer": {"answers": {}},
    "/v1/approvals/{id}/claim": {"digest": "0" * 64},
    "/v1/approvals/{id}/report": {"claim_id": "c", "status": "running"},
    "/v1/approvals/{id}/settle": {"happened": True},
    "/v1/interactions/{id}/withdraw": {},
    "/v1/interactions/{id}/deliveries/replay": {},
    "/v1/interactions/{id}/wake": {},
    "/v1/runs": start(),
    "/v1/runs/{run_id}/stop": {},
    "/v1/work/lease": {"worker": "w", "codes": ["ship"]},
    "/v1/work/renew": {"worker": "w"},
    "/v1/work/release": {"worker": "w"},
    "/v1/work/checkpoint": {"run_id": "run-1", "token": "t", "state": 1},
    "/v1/work/finish": {"run_id": "run-1", "token": "t", "outcome": 1},
    "/v1/stops": {},
    "/v1/stops/end": {},
}
NAMES = [f"{route.method} {route.path}" for route in ROUTES]
WITH_ID = [route for route in ROUTES if PLACE.search(route.path)]


async def _call(site: Site, route: Route, id: str, **more: Any) -> Any:
    sent = None if route.sends is None else BODIES[route.path]
    return await site.call(route.method, PLACE.sub(id, route.path), sent, **more)


def test_every_route_that_takes_a_body_has_one_here() -> None:
    assert {route.path for route in ROUTES if route.sends is not None} == set(BODIES)


@pytest.mark.parametrize("route", ROUTES, ids=NAMES)
async def test_a_key_without_the_scope_is_refused_by_name(site: Site, route: Route) -> None:
    others = [scope for scope in Scope if scope is not route.scope]
    _, token = await site.parts.key(*others, name="others")
    reply = await _call(site, route, "apr_1", token=token)

    assert (reply.status, reply.code, reply.json["scope"]) == (403, "scope", route.scope.value)


@pytest.mark.parametrize("route", WITH_ID, ids=[route.path for route in WITH_ID])
async def test_what_is_another_tenants_looks_exactly_like_none(site: Site, route: Route) -> None:
    foreign, token = await site.parts.key(tenant="other", name="foreign")
    if "{run_id}" in route.path:
        assert (await site.call("POST", "/v1/runs", start(run_id="theirs"), token=token)).status == 201
        id = "theirs"
    else:
        is_question = "questions" in route.path
        id = (await (site.parts.ask_question(foreign) if is_question else site.parts.ask(foreign))).id
    theirs = await _call(site, route, id)
    missing = await _call(site, route, "apr_00000000000000000000000000")
    malformed = await _call(site, route, "%00%C3%A9..")

    assert (theirs.status, theirs.code) == (404, "not_found")
    assert theirs.raw == missing.raw == malformed.raw


async def test_a_list_holds_nothing_of_another_tenant(site: Site) -> None:
    foreign, token = await site.parts.key(tenant="other", name="foreign")
    await site.parts.ask(foreign)

    assert (await site.call("GET", "/v1/interactions")).json["items"] == []
    assert len((await site.call("GET", "/v1/interactions", token=token)).json["items"]) == 1


@pytest.mark.parametrize("route", ROUTES, ids=NAMES)
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Authorization", "")],
        [("Authorization", "Bearer ")],
        [("Authorization", "Bearer so_x_y")],
        [("Authorization", "Bearer so_" + "a" * 22 + "_" + "b" * 43)],
        [("Authorization", "Basic so_" + "a" * 22 + "_" + "b" * 43)],
    ],
)
async def test_without_a_valid_key_there_is_one_answer(
    site: Site, route: Route, headers: list[tuple[str, str]]
) -> None:
    path = PLACE.sub("apr_1", route.path)
    reply = await site.raw(route.method, path, headers=headers, data=b"{")
    plain = await site.raw("GET", "/v1/me")

    assert (reply.status, reply.code) == (401, "unauthorized")
    assert reply.headers["WWW-Authenticate"].startswith("Bearer")
    assert reply.raw == plain.raw


async def test_expired_revoked_and_doubled_keys_get_the_same_answer_as_unknown_ones(site: Site) -> None:
    _, expired = await site.parts.key(name="expired", lasts=timedelta(seconds=1))
    _, revoked = await site.parts.key(name="revoked")
    assert (await site.call("GET", "/v1/me", token=expired)).status == 200
    site.parts.clock.advance(1)
    await site.parts.store.revoke_key(tenant="default", name="revoked", at=site.parts.clock.now())
    unknown = await site.call("GET", "/v1/me", token="so_" + "a" * 22 + "_" + "b" * 43)
    doubled = [("Authorization", f"Bearer {site.token}")] * 2

    assert unknown.status == 401
    assert (await site.call("GET", "/v1/me", token=expired)).raw == unknown.raw
    assert (await site.call("GET", "/v1/me", token=revoked)).raw == unknown.raw
    assert (await site.raw("GET", "/v1/me", headers=doubled)).raw == unknown.raw


async def test_a_key_in_the_address_is_no_key(site: Site) -> None:
    assert (await site.raw("GET", f"/v1/me?access_token={site.token}")).status == 401


async def test_guessing_is_slowed_down_and_a_valid_key_still_passes(site: Site) -> None:
    for _ in range(20):
        assert (await site.raw("GET", "/v1/me")).status == 401
    site.parts.clock.advance(10)
    slowed = await site.raw("GET", "/v1/me")

    assert (slowed.status, slowed.code, slowed.headers["Retry-After"]) == (429, "too_many_tries", "50")
    assert (await site.call("GET", "/v1/me")).status == 200
    site.parts.clock.advance(50)
    assert (await site.raw("GET", "/v1/me")).status == 401


async def test_a_key_learns_what_it_is(site: Site) -> None:
    _, token = await site.parts.key(Scope.READ, Scope.ASK, name="ci")
    reply = await site.call("GET", "/v1/me", token=token)

    assert reply.json == {"tenant": "default", "name": "ci", "scopes": ["ask", "read"], "policies": []}


async def test_reading_changes_nothing(site: Site) -> None:
    asked = await site.parts.ask(site.key)
    await site.parts.ask_question(site.key)
    before = await _everything(site)
    for route in (*(route.path for route in ROUTES), "/healthz", "/readyz", "/metrics", "/openapi.json"):
        for method in ("GET", "HEAD"):
            await site.call(method, PLACE.sub(asked.id, route))

    assert await _everything(site) == before


async def _everything(site: Site) -> Any:
    store = site.parts.store
    pending = await store.list_pending(tenant="default")
    events = [await store.list_events(tenant="default", interaction_id=each.id) for each in pending]
    return pending, events, await store.find_postings(tenant="default", interaction_ids=[i.id for i in pending])


async def test_a_wrong_method_and_an_unknown_path_are_problems_too(site: Site) -> None:
    wrong = await site.call("DELETE", "/v1/approvals")
    unknown = await site.call("GET", "/v1/nothing")

    assert (wrong.status, wrong.code, wrong.headers["Allow"]) == (405, "method_not_allowed", "POST")
    assert (unknown.status, unknown.code) == (404, "not_found")


def test_a_key_that_asks_and_decides_has_to_be_meant() -> None:
    with pytest.raises(BothScopes):
        make_key(tenant="default", name="x", scopes={Scope.ASK, Scope.DECIDE}, now=START)
    made = make_key(tenant="default", name="x", scopes={Scope.ASK, Scope.DECIDE}, now=START, both=True)

    assert made.token not in repr(made)
    assert made.key.id.removeprefix("key_") == made.token.split("_")[1]
