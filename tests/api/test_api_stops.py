"""Stops, settlements and what is stuck, over HTTP."""

from datetime import timedelta
from typing import Any

import pytest

from bot.api import shapes
from store.types import Approval, Decision
from tests.api.site import Reply, Site, approval
from tests.policies import gone_silent


async def approved(site: Site, decision: Decision = Decision.ALLOW_ONCE, **more: Any) -> dict[str, Any]:
    asked: dict[str, Any] = (await site.call("POST", "/v1/approvals", approval(**more))).json
    found = await site.parts.store.find_approval(tenant="default", id=asked["id"])
    assert isinstance(found, Approval)
    await site.parts.decide(found, decision)
    return asked


async def claim(site: Site, asked: dict[str, Any], claim_id: str = "one") -> Any:
    body = {"digest": asked["digest"], "claim_id": claim_id}
    return (await site.call("POST", f"/v1/approvals/{asked['id']}/claim", body)).json


async def stop(site: Site, **body: Any) -> Reply:
    return await site.call("POST", "/v1/stops", body)


async def go(site: Site, **body: Any) -> Reply:
    return await site.call("POST", "/v1/stops/end", body)


async def test_no_claim_executes_between_stop_and_go(site: Site) -> None:
    asked = await approved(site, tool_name="deploy.release")
    stopped = (await stop(site, tool="deploy.*", reason="zone 2 is down")).json
    held = await claim(site, asked)
    read = (await site.call("GET", f"/v1/interactions/{asked['id']}")).json
    goes = (await go(site, tool="deploy.*")).json
    after = await claim(site, asked)

    shapes.Stops.model_validate(stopped)
    shapes.Claimed.model_validate(held)
    (entry,) = stopped["stops"]
    assert (entry["tool"], entry["reason"]) == ("deploy.*", "zone 2 is down")
    assert entry["by"] == {"kind": "api_key", "id": site.key.id, "name": site.key.name}
    assert (held["claimed"], held["execute"], held["input"], held["claim_id"]) == (False, False, None, None)
    assert held["stopped"] == entry
    assert (read["state"], read["claimed_at"]) == ("approved", None)
    assert goes == {"stops": []}
    assert (after["execute"], after["stopped"]) == (True, None)


async def test_what_runs_already_hears_it_in_its_next_report(site: Site) -> None:
    asked = await approved(site)
    await claim(site, asked)
    await stop(site)
    path, running = f"/v1/approvals/{asked['id']}/report", {"claim_id": "one", "status": "running"}
    told = (await site.call("POST", path, running)).json
    await go(site)
    after = (await site.call("POST", path, running)).json

    shapes.Reported.model_validate(told)
    assert told["stopped"]["tool"] is None
    assert told["approval"]["execution"]["status"] == "running"
    assert after["stopped"] is None


async def test_a_stop_is_about_its_tools_and_a_denial_needs_none(site: Site) -> None:
    deploy = await approved(site, operation_id="a", tool_name="deploy")
    denied = await approved(site, Decision.DENY, operation_id="b", tool_name="mail.send")
    words = await approved(site, operation_id="c", tool_name=None, input=None)
    await stop(site, tool="mail.*")
    other, told = await claim(site, deploy), await claim(site, denied)
    await stop(site)
    held = await claim(site, words)

    assert (other["execute"], other["stopped"]) == (True, None)
    assert (told["claimed"], told["execute"], told["stopped"]) == (True, False, None)
    assert held["stopped"]["tool"] is None


async def test_a_second_stop_of_the_same_is_the_first_and_go_ends_exactly_its_own(site: Site) -> None:
    first = (await stop(site, tool="deploy", reason="one")).json
    again = (await stop(site, tool="deploy", reason="two")).json
    await stop(site)
    wrong = (await go(site, tool="deploy.*")).json
    left = (await go(site, tool="deploy")).json

    assert again == first
    assert len(wrong["stops"]) == 2
    assert [each["tool"] for each in left["stops"]] == [None]
    assert (await site.call("GET", "/v1/stops")).json == left
    assert (await go(site)).json == {"stops": []}
    assert (await go(site)).status == 200


async def test_a_star_alone_is_everything(site: Site) -> None:
    assert [each["tool"] for each in (await stop(site, tool="*")).json["stops"]] == [None]
    assert len((await stop(site)).json["stops"]) == 1
    assert (await go(site, tool="*")).json == {"stops": []}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"tool": ""}, "/tool"),
        ({"tool": "*.x"}, "/tool"),
        ({"tool": "a**"}, "/tool"),
        ({"tool": "x" * 201}, "/tool"),
        ({"tool": "a\nb"}, "/tool"),
        ({"reason": "x" * 301}, "/reason"),
        ({"until": 5}, "/until"),
    ],
)
async def test_a_bad_stop_is_422_and_stops_nothing(site: Site, body: dict[str, Any], pointer: str) -> None:
    reply = await stop(site, **body)

    assert (reply.status, reply.code, reply.pointers) == (422, "invalid", [pointer])
    assert (await site.call("GET", "/v1/stops")).json == {"stops": []}


async def test_stops_of_another_tenant_hold_nothing_here(site: Site) -> None:
    _, token = await site.parts.key(tenant="other", name="foreign")
    await site.call("POST", "/v1/stops", {}, token=token)

    assert (await site.call("GET", "/v1/stops")).json == {"stops": []}
    assert (await claim(site, await approved(site)))["execute"] is True


async def settle(site: Site, id: str, *, happened: bool) -> Any:
    return (await site.call("POST", f"/v1/approvals/{id}/settle", {"happened": happened})).json


async def test_what_did_not_happen_can_be_claimed_once_more_and_its_first_claimant_reports_in_vain(site: Site) -> None:
    silent = await gone_silent(site.parts, site.key)
    asked = {"id": silent.id, "digest": silent.digest}
    settled = await settle(site, silent.id, happened=False)
    again = await settle(site, silent.id, happened=True)
    report = {"claim_id": "claim-1", "status": "succeeded"}
    late = await site.call("POST", f"/v1/approvals/{silent.id}/report", report)
    old, new = await claim(site, asked, "claim-1"), await claim(site, asked, "claim-2")

    shapes.Settled.model_validate(settled)
    assert settled["settled"] is True
    assert settled["approval"]["settled"]["happened"] is False
    assert settled["approval"]["settled"]["by"] == {"kind": "api_key", "id": site.key.id, "name": site.key.name}
    assert settled["approval"]["execution"] is None
    assert again["settled"] is False
    assert (late.status, late.code) == (409, "not_claimant")
    assert (old["claimed"], old["execute"]) == (False, False)
    assert (new["claimed"], new["execute"]) == (True, True)


async def test_what_happened_is_done(site: Site) -> None:
    silent = await gone_silent(site.parts, site.key)
    assert silent.execution is not None
    settled = await settle(site, silent.id, happened=True)

    assert settled["approval"]["execution"]["status"] == "succeeded"
    assert (await claim(site, {"id": silent.id, "digest": silent.digest}, "claim-2"))["claimed"] is False


async def test_what_is_not_unknown_is_not_settled(site: Site) -> None:
    asked = await approved(site)
    await claim(site, asked)
    running = await settle(site, asked["id"], happened=False)
    bad = await site.call("POST", f"/v1/approvals/{asked['id']}/settle", {"happened": "no"})

    assert (running["settled"], running["approval"]["execution"]["status"]) == (False, "claimed")
    assert (bad.status, bad.pointers) == (422, ["/happened"])


async def test_what_is_stuck_is_listed_longest_first(site: Site) -> None:
    first = await approved(site, operation_id="a")
    site.parts.clock.advance(1)
    second = await approved(site, operation_id="b")
    site.parts.clock.advance(1)
    await approved(site, operation_id="c")
    now = site.parts.clock.advance(timedelta(minutes=15))
    for step in (now - timedelta(seconds=1), now):
        await site.parts.store.mark_stuck(now=step, limit=1)
    found = (await site.call("GET", "/v1/interactions?stuck=true")).json
    one = (await site.call("GET", "/v1/interactions?stuck=true&limit=1")).json

    shapes.InteractionPage.model_validate(found)
    assert [each["id"] for each in found["items"]] == [first["id"], second["id"]]
    assert all(each["resume"]["stuck"] for each in found["items"])
    assert found["next_cursor"] is None
    assert [each["id"] for each in one["items"]] == [first["id"]]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("stuck=false", "/stuck"),
        ("stuck=1", "/stuck"),
        ("stuck=true&stuck=true", "/stuck"),
        ("stuck=true&run_id=r", "/run_id"),
        ("stuck=true&state=approved", "/state"),
        ("stuck=true&cursor=x", "/cursor"),
        ("stuck=true&limit=201", "/limit"),
    ],
)
async def test_stuck_goes_with_a_limit_only(site: Site, query: str, pointer: str) -> None:
    reply = await site.call("GET", f"/v1/interactions?{query}")

    assert (reply.status, reply.code, reply.pointers) == (422, "invalid", [pointer])
