"""Hosted runs, as their starters see them: started once, read, waited for, listed, stopped."""

import asyncio
from typing import Any
from urllib.parse import quote

import pytest
from yarl import URL

from store.types import Scope
from tests.api.hosting import AUDIENCE, Worker, failed, leased, run_now, start
from tests.api.site import Site, nested
from tests.policies import policy


async def test_a_run_is_started_once_and_found_again(site: Site) -> None:
    first = await site.call("POST", "/v1/runs", start())
    again = await site.call("POST", "/v1/runs", start(input={"a": 2, "b": 1}))
    other = await site.call("POST", "/v1/runs", start(input={"a": 3}))

    assert (first.status, again.status) == (201, 200)
    assert first.json == again.json == await run_now(site)
    assert (first.json["status"], first.json["action"], first.json["begun_at"]) == ("queued", None, None)
    assert (other.status, other.code, other.json["id"]) == (409, "conflict", "run-1")
    assert other.json["detail"].startswith("A run of this run_id was started before, with another code, input")


async def test_a_run_without_an_id_gets_one(site: Site) -> None:
    runs = [(await site.call("POST", "/v1/runs", start(run_id=None))).json["run_id"] for _ in range(2)]

    assert all(run.startswith("run_") for run in runs)
    assert runs[0] != runs[1]


@pytest.mark.parametrize(
    "name", ["a/b c", "{x}", "50%", "Größe: 1?#&", "a%2Fb", "..", "+", "\U0001f469\u200d\U0001f4bb \xa0\u202e"]
)
async def test_a_run_is_found_by_whatever_its_starter_called_it(site: Site, name: str) -> None:
    await site.call("POST", "/v1/runs", start(run_id=name))
    path = URL(f"{site.base}/v1/runs/{quote(name, safe='')}", encoded=True)

    async with site.session.get(path, headers={"Authorization": f"Bearer {site.token}"}) as reply:
        assert (reply.status, (await reply.json())["run_id"]) == (200, name)


@pytest.mark.parametrize("name", ["none", "x" * 201, "%00", "%0A", "%ED%A0%80", "%FF"])
async def test_what_is_no_run_is_missing(site: Site, name: str) -> None:
    for method, path, sent in (("GET", f"/v1/runs/{name}", None), ("POST", f"/v1/runs/{name}/stop", {})):
        missing = await site.call(method, path, sent)
        assert (missing.status, missing.code) == (404, "not_found")


async def test_who_waits_for_a_run_hears_of_its_end(site: Site) -> None:
    worker = Worker(site)
    run = await leased(site)
    waiting = asyncio.create_task(site.call("GET", "/v1/runs/run-1?wait=30"))
    await site.parts.hub.holds(1)
    await worker.checkpoint(run, state=1)

    await worker.finish(run, outcome=[1, 2])

    assert (await waiting).json["outcome"] == [1, 2]
    assert (await site.call("GET", "/v1/runs/run-1?wait=30")).json["status"] == "completed"


async def test_who_waits_for_a_run_that_goes_on_gets_it_as_it_is(site: Site) -> None:
    await site.call("POST", "/v1/runs", start())

    assert (await site.call("GET", "/v1/runs/run-1?wait=1")).json["status"] == "queued"
    assert (await site.call("GET", "/v1/runs/run-1?wait=61")).pointers == ["/wait"]


async def test_a_run_that_nobody_holds_is_stopped_at_once(site: Site) -> None:
    await site.call("POST", "/v1/runs", start())

    stopped = [(await site.call("POST", "/v1/runs/run-1/stop", {"reason": r})).json for r in ("Not today.", "Again.")]

    assert stopped[0] == stopped[1]
    assert (stopped[0]["stopped"], stopped[0]["run"]["status"]) == (True, "failed")
    assert stopped[0]["run"]["error"] == {"code": "RUN_STOPPED", "message": "Not today.", "retryable": False}
    assert stopped[0]["run"]["stop"]["by"] == {"kind": "api_key", "id": site.key.id, "name": site.key.name}
    assert await Worker(site).lease() == []


async def test_a_run_that_has_ended_is_not_stopped(site: Site) -> None:
    worker = Worker(site)
    run = await leased(site)
    await worker.finish(run, outcome=1)

    late = (await site.call("POST", "/v1/runs/run-1/stop", {})).json

    assert (late["stopped"], late["run"]["status"], late["run"]["stop"]) == (False, "completed", None)


async def test_runs_are_listed_newest_first_without_what_they_carry(site: Site) -> None:
    worker = Worker(site)
    for n in range(3):
        site.parts.clock.advance(1)
        await site.call("POST", "/v1/runs", start(run_id=f"run-{n}", code="other" if n == 2 else "ship"))
    (first, second) = await worker.lease()
    await worker.finish(first, outcome=1)
    await worker.finish(second, **failed())

    async def ids(query: str) -> list[str]:
        return [run["run_id"] for run in (await site.call("GET", f"/v1/runs{query}")).json["items"]]

    page = (await site.call("GET", "/v1/runs?limit=2")).json
    assert [run["run_id"] for run in page["items"]] == ["run-2", "run-1"]
    assert not {"input", "state", "outcome", "action"} & set(page["items"][0])
    assert await ids(f"?limit=2&cursor={page['next_cursor']}") == ["run-0"]
    assert await ids("?code=ship") == ["run-1", "run-0"]
    assert await ids("?status=queued") == ["run-2"]
    assert await ids("?status=failed&code=ship") == ["run-1"]
    assert (await site.call("GET", "/v1/runs?status=gone")).pointers == ["/status"]
    assert (await site.call("GET", "/v1/runs?cursor=x")).pointers == ["/cursor"]
    assert (await site.call("GET", "/v1/runs?state=x")).pointers == ["/state"]


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"code": ""}, "/code"),
        ({"code": "x" * 201}, "/code"),
        ({"run_id": "a\x01"}, "/run_id"),
        ({"input": nested(33)}, "/input"),
        ({"state": "x" * 65_536}, "/state"),
        ({"audience": {"channels": ["C0DEPLOY"]}}, "/audience/approvers"),
        ({"audience": {"approvers": {"users": ["U0ANA"]}}}, "/audience"),
        ({"audience": {**AUDIENCE, "users": [f"U{n:03}" for n in range(20)]}}, "/audience"),
        ({"audience": {**AUDIENCE, "users": ["U0ANA"], "thread_ts": "1.000001"}}, "/audience"),
        ({"audience": {**AUDIENCE, "approvers": {}}}, "/audience/approvers"),
        ({"audience": {**AUDIENCE, "expires_in": 0}}, "/audience/expires_in"),
        ({"audience": {**AUDIENCE, "requested_by": "U0ANA"}}, "/audience/requested_by"),
        ({"answer": True}, "/answer"),
    ],
)
async def test_a_start_that_says_too_much_or_too_little_stores_nothing(
    site: Site, wrong: dict[str, Any], pointer: str
) -> None:
    refused = await site.call("POST", "/v1/runs", start(**wrong))

    assert (refused.status, refused.pointers) == (422, [pointer])
    assert (await site.call("GET", "/v1/runs")).json["items"] == []


async def test_of_those_who_decide_and_those_who_answer_one_may_stand_for_both(site: Site) -> None:
    worker = Worker(site)
    for n, named in enumerate(("approvers", "respondents")):
        audience = {"channels": ["C0DEPLOY"], named: {"users": ["U0ANA"], "groups": ["S0OPS"]}}
        run = await leased(site, run_id=f"run-{n}", audience=audience)
        confirmed = (await worker.confirm(run)).json["run"]["action"]["interaction"]
        assert (confirmed["approvers"]["users"], confirmed["approvers"]["groups"]) == (["U0ANA"], ["S0OPS"])
        assert confirmed["expires_at"] is not None
        other = await leased(site, run_id=f"asks-{n}", audience={**audience, "expires_in": 60})
        asked = (await worker.ask(other)).json["run"]["action"]["interaction"]
        stored = await site.parts.store.find_interaction(tenant="default", id=asked["id"])
        assert (stored.approvers.users, stored.approvers.groups) == (("U0ANA",), ("S0OPS",))
        assert asked["expires_at"] is not None


async def test_a_run_may_wait_for_ever(site: Site) -> None:
    run = await leased(site, audience={**AUDIENCE, "expires_in": None})

    asked = (await Worker(site).confirm(run)).json["run"]["action"]["interaction"]

    assert asked["expires_at"] is None


async def test_a_key_that_may_not_name_its_judges_starts_no_run(site: Site) -> None:
    _, plain = await site.parts.key(Scope.ASK, name="plain", any_approvers=False)

    refused = await site.call("POST", "/v1/runs", start(), token=plain)

    assert (refused.status, refused.code) == (403, "policy")
    assert refused.json["detail"].startswith("Its confirmations would be refused.")
    assert (await site.call("GET", "/v1/runs")).json["items"] == []


async def test_a_run_asks_under_a_policy_of_its_key(site: Site) -> None:
    await site.parts.store.set_policy(policy=policy())
    _, bound = await site.parts.key(Scope.ASK, name="bound", any_approvers=False, policies=("prod",))
    started = await site.call("POST", "/v1/runs", start(audience={"channels": ["C0PROD"]}), token=bound)
    foreign = await site.call("POST", "/v1/runs", start(run_id="b", audience={"policy": "other"}), token=bound)
    assert (started.status, foreign.status, foreign.code) == (201, 403, "policy")
    worker = Worker(site)
    (run,) = await worker.lease()

    asked = (await worker.confirm(run)).json["run"]["action"]["interaction"]

    assert asked["policy"]["name"] == "prod"


async def test_starting_and_stopping_take_ask_and_reading_takes_read(site: Site) -> None:
    _, reads = await site.parts.key(Scope.READ, name="reads")
    _, asks = await site.parts.key(Scope.ASK, name="asks")

    assert (await site.call("POST", "/v1/runs", start(), token=reads)).code == "scope"
    assert (await site.call("POST", "/v1/runs", start(), token=asks)).status == 201
    assert (await site.call("POST", "/v1/runs/run-1/stop", {}, token=reads)).code == "scope"
    for path in ("/v1/runs", "/v1/runs/run-1"):
        assert (await site.call("GET", path, token=asks)).code == "scope"
        assert (await site.call("GET", path, token=reads)).status == 200
