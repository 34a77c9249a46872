"""The door without a socket answers what the one over HTTP answers, byte for byte."""

import asyncio
import json
import re
from typing import Any

import pytest

from bot.api.dispatch import open_rooms
from bot.api.local import LocalDoor
from bot.hosted import LEASE
from bot.keys import in_house
from bot.service import Service
from store.types import Decision, Key
from tests.api.hosting import AUDIENCE, CONFIRMATION, start
from tests.api.site import HttpsOnly, Site, approval
from tests.parts import Parts

#: What differs from one request to the next, and HEAD, which only HTTP has.
_CHANCE = re.compile(rb'HEAD, |, HEAD|"(?:token|id|interaction_id)": ?"(?:[0-9a-f]{8,}|(?:act|apr)_\w+)"')


def door(parts: Parts, key: Key | None = None) -> LocalDoor:
    rooms = open_rooms(service=parts.service, lookups=parts.lookups, clock=parts.clock, guard=HttpsOnly())
    return LocalDoor(rooms=rooms, key=key or in_house(tenant="default", now=parts.clock.now()))


async def say(of: LocalDoor, method: str, path: str, sent: Any = None) -> tuple[int, Any]:
    status, body = await of.call(method, path, None if sent is None else json.dumps(sent).encode())
    return status, json.loads(body)


SAID = [
    ("GET", "/v1/me", None),
    ("GET", "/v1/runs/none%2Fsuch", None),
    ("GET", "/v1/runs?limit=0&status=gone", None),
    ("GET", "/v1/runs?limit=1&limit=2", None),
    ("GET", "/v1/runs?code=&status=queued", None),
    ("GET", "/v1/interactions?state=pending&state=approved&run_id=a%20b+c", None),
    ("GET", "/v1/nothing", None),
    ("GET", "/v1/runs/", None),
    ("DELETE", "/v1/runs", None),
    ("PUT", "/v1/runs/x", None),
    ("POST", "/v1/runs", b""),
    ("POST", "/v1/runs", b'{"code": "a", "code": "b"}'),
    ("POST", "/v1/runs", b"[1]"),
    ("POST", "/v1/runs", b'{"code": ' + b" " * 300_000 + b'"a"}'),
    ("POST", "/v1/runs", json.dumps(start(audience={**AUDIENCE, "channels": ["x"]})).encode()),
    ("POST", "/v1/work/checkpoint", b'{"run_id": "no", "token": "t", "state": 1}'),
    ("POST", "/v1/work/finish", b'{"run_id": "no", "token": "t"}'),
    ("POST", "/v1/work/renew", b'{"worker": "w", "runs": [{"run_id": "no", "token": "t"}], "wait": 5}'),
    ("POST", "/v1/approvals/apr_1/decide", b'{"decision": "deny"}'),
    ("POST", "/v1/stops", b"{}"),
]


@pytest.mark.parametrize(("method", "path", "sent"), SAID)
async def test_both_doors_answer_the_same(site: Site, method: str, path: str, sent: bytes | None) -> None:
    over_http = await site.call(method, path, data=sent)

    status, body = await door(site.parts, site.key).call(method, path, sent)

    assert status == over_http.status
    assert _CHANCE.sub(b"", body) == _CHANCE.sub(b"", over_http.raw)


async def test_code_of_the_house_starts_works_and_executes(site: Site) -> None:
    here = door(site.parts)
    assert (await say(here, "POST", "/v1/runs", start(run_id="a/b")))[0] == 201
    _, leased = await say(here, "POST", "/v1/work/lease", {"worker": "w", "codes": ["ship"], "room": 1})
    (run,) = leased["runs"]
    mine = {"run_id": "a/b", "token": run["token"]}
    action = {"kind": "user_ask_confirmation", "request": CONFIRMATION}
    status, saved = await say(here, "POST", "/v1/work/checkpoint", {**mine, "action": action})
    assert status == 200
    asked = saved["run"]["action"]["interaction"]
    stored = await site.parts.store.find_interaction(tenant="default", id=asked["id"])
    assert (stored.asked_by.name, stored.approvers.users) == ("signoff-bot", ("U0ANA",))

    held = {"worker": "w", "runs": [mine], "wait": 30}
    renewing = asyncio.create_task(say(here, "POST", "/v1/work/renew", held))
    await site.parts.hub.holds(2)
    await site.parts.decide(stored, Decision.ALLOW_ONCE)
    _, told = await renewing
    (answered,) = told["answered"]
    assert answered["action"]["interaction"]["state"] == "approved"
    await say(here, "POST", "/v1/work/checkpoint", {**mine, "delivered": answered["action"]["id"]})
    claim = {"digest": asked["digest"], "claim_id": f"action-1/{run['token']}"}
    assert (await say(here, "POST", f"/v1/approvals/{asked['id']}/claim", claim))[1]["execute"] is True

    assert (await say(here, "POST", "/v1/work/finish", {**mine, "outcome": "ok"}))[1]["run"]["outcome"] == "ok"
    assert (await say(here, "GET", "/v1/runs/a%2Fb?wait=5"))[1]["status"] == "completed"


async def test_code_of_the_house_asks_under_any_policy_and_decides_nothing(site: Site) -> None:
    here = door(site.parts)
    _, asked = await say(here, "POST", "/v1/approvals", approval(approvers={"users": ["U0ANA"]}))

    status, refused = await say(here, "POST", f"/v1/approvals/{asked['id']}/decide", {"decision": "allow-once"})
    stopped = await say(here, "POST", "/v1/stops", {})

    assert (status, refused["code"]) == (403, "scope")
    assert (stopped[0], stopped[1]["code"]) == (403, "scope")
    unknown = await say(here, "POST", "/v1/runs", start(audience={**AUDIENCE, "policy": "prod"}))
    assert (unknown[0], "There is no policy prod" in unknown[1]["detail"]) == (403, True)


async def test_a_run_that_ended_while_its_lease_lapsed_is_lost_here_too(site: Site) -> None:
    here = door(site.parts)
    await say(here, "POST", "/v1/runs", start())
    _, leased = await say(here, "POST", "/v1/work/lease", {"worker": "w", "codes": ["ship"], "room": 1})
    site.parts.clock.advance(LEASE)
    await say(here, "POST", "/v1/work/lease", {"worker": "w-2", "codes": ["ship"], "room": 1})

    late = {"run_id": "run-1", "token": leased["runs"][0]["token"], "state": 1}
    status, body = await say(here, "POST", "/v1/work/checkpoint", late)

    assert (status, body["code"]) == (409, "lease_lost")


async def test_a_fault_of_ours_is_an_answer_with_a_token_and_nothing_else(parts: Parts) -> None:
    class Broken:
        def __getattr__(self, name: str) -> None:
            raise RuntimeError("the secret of the house")

    parts.service = Service(store=Broken(), clock=parts.clock, hub=parts.hub, directory=parts.directory)  # type: ignore[arg-type]  # broken on purpose

    status, body = await door(parts).call("GET", "/v1/runs", None)

    assert (status, json.loads(body)["code"]) == (500, "internal")
    assert b"secret" not in body


async def test_who_is_cancelled_while_it_waits_is_cancelled(site: Site) -> None:
    pulling = asyncio.create_task(
        say(door(site.parts), "POST", "/v1/work/lease", {"worker": "w", "codes": ["a"], "wait": 60})
    )
    await site.parts.hub.holds(1)

    pulling.cancel()

    with pytest.raises(asyncio.CancelledError):
        await pulling
    await site.parts.hub.holds(0)
