"""Health, readiness, figures, and the description of it all."""

import re

from bot.api.table import ROUTES
from tests.api.site import Site, approval


async def test_it_is_alive_and_ready(site: Site) -> None:
    alive = await site.raw("GET", "/healthz")
    ready = await site.raw("GET", "/readyz")

    assert (alive.status, alive.json) == (200, {"status": "ok"})
    assert (ready.status, ready.json) == (
        200,
        {"ready": True, "checks": {"database": "ok", "schema": "ok", "tick": "ok"}},
    )


async def test_a_ticker_that_stopped_or_never_ticked_makes_it_unready(site: Site) -> None:
    site.parts.clock.advance(59)
    assert (await site.raw("GET", "/readyz")).status == 200
    site.parts.clock.advance(1)
    stopped = await site.raw("GET", "/readyz")
    site.toggles.last_tick = None
    never = await site.raw("GET", "/readyz")

    assert (stopped.status, stopped.json["checks"]["tick"]) == (503, "failed")
    assert never.status == 503
    assert (await site.raw("GET", "/healthz")).status == 200


async def test_an_old_schema_makes_it_unready(site: Site) -> None:
    site.toggles.schema = False
    reply = await site.raw("GET", "/readyz")

    assert (reply.status, reply.json["checks"]["schema"]) == (503, "failed")


async def test_figures_are_by_route_and_never_by_path(site: Site) -> None:
    asked = (await site.call("POST", "/v1/approvals", approval())).json
    await site.call("GET", f"/v1/interactions/{asked['id']}")
    await site.raw("GET", "/some/scanner.php")
    text = (await site.raw("GET", "/metrics")).raw.decode()

    assert 'signoff_http_requests_total{method="POST",route="/v1/approvals",status="201"} 1.0' in text
    assert 'signoff_http_requests_total{method="GET",route="/v1/interactions/{id}",status="200"} 1.0' in text
    assert 'route="unmatched",status="404"' in text
    assert asked["id"] not in text
    assert "scanner" not in text


async def test_the_description_names_every_route_and_resolves_in_itself(site: Site) -> None:
    reply = await site.raw("GET", "/openapi.json")
    described = {(method.upper(), path) for path, methods in reply.json["paths"].items() for method in methods}

    assert described == {(route.method, route.path) for route in ROUTES}
    names = set(re.findall(r'"#/components/schemas/([^"]+)"', reply.raw.decode()))
    assert names <= set(reply.json["components"]["schemas"])
    fields = reply.json["components"]["schemas"]["ApprovalIn"]
    assert fields["additionalProperties"] is False
    assert fields["properties"]["title"]["maxLength"] == 150
