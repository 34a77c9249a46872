"""Reading, waiting, claiming, reporting, withdrawing: the life of an ask over HTTP."""

import asyncio

import pytest

from bot.api import shapes
from store.answers import Choice
from store.types import Decision
from tests.api.site import Reply, Site, approval, questions


async def _asked(site: Site, **more: object) -> dict[str, str]:
    reply = await site.call("POST", "/v1/approvals", approval(**more))
    found: dict[str, str] = reply.json
    return found


async def _approved(site: Site, decision: Decision = Decision.ALLOW_ONCE) -> dict[str, str]:
    asked = await _asked(site)
    found = await site.parts.store.find_approval(tenant="default", id=asked["id"])
    assert found is not None
    await site.parts.decide(found, decision)
    return asked


async def test_a_wait_ends_as_soon_as_it_is_decided(site: Site) -> None:
    asked = await _asked(site)
    found = await site.parts.store.find_approval(tenant="default", id=asked["id"])
    assert found is not None
    waiting = asyncio.create_task(site.call("GET", f"/v1/interactions/{asked['id']}?wait=60"))
    await site.parts.hub.holds(1)
    await site.parts.decide(found)
    reply = await asyncio.wait_for(waiting, 10)

    assert reply.json["state"] == "approved"
    assert reply.json["resolved_by"] == {"kind": "slack_user", "id": "U0ANA", "name": None}
    assert reply.json["votes"][0]["by"] == {"kind": "slack_user", "id": "U0ANA", "name": None}
    shapes.Approval.model_validate(reply.json)
    await site.parts.hub.holds(0)


async def test_a_wait_on_something_resolved_is_answered_at_once(site: Site) -> None:
    asked = await _approved(site)
    reply = await asyncio.wait_for(site.call("GET", f"/v1/interactions/{asked['id']}?wait=60"), 10)

    assert reply.json["state"] == "approved"


async def test_a_wait_whose_time_is_over_is_200_and_pending(site: Site) -> None:
    asked = await _asked(site)
    reply = await site.call("GET", f"/v1/interactions/{asked['id']}?wait=1")

    assert (reply.status, reply.json["state"]) == (200, "pending")


async def test_a_shutdown_answers_those_who_wait(site: Site) -> None:
    asked = await _asked(site)
    waiting = asyncio.create_task(site.call("GET", f"/v1/interactions/{asked['id']}?wait=60"))
    await site.parts.hub.holds(1)
    await asyncio.wait_for(site.runner.cleanup(), 10)
    reply = await waiting

    assert (reply.status, reply.json["state"]) == (200, "pending")
    await site.parts.hub.holds(0)


async def test_a_client_that_hangs_up_leaves_nobody_waiting(site: Site) -> None:
    asked = await _asked(site)
    waiting = asyncio.create_task(site.call("GET", f"/v1/interactions/{asked['id']}?wait=60"))
    await site.parts.hub.holds(1)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    await site.parts.hub.holds(0)


@pytest.mark.parametrize("wait", ["61", "-1", "1.5", "true", "", "1e1", "٣", "99999999999"])
async def test_a_wait_is_a_whole_number_up_to_sixty(site: Site, wait: str) -> None:
    asked = await _asked(site)
    reply = await site.call("GET", f"/v1/interactions/{asked['id']}?wait={wait}")

    assert (reply.status, reply.code, reply.pointers) == (422, "invalid", ["/wait"])


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("state=open", "/state"),
        ("state=pending&state=open", "/state"),
        ("kind=poll", "/kind"),
        ("claimed=1", "/claimed"),
        ("claimed=true&claimed=false", "/claimed"),
        ("cursor=nonsense", "/cursor"),
        ("run_id=%00", "/run_id"),
        ("sort=title", "/sort"),
        ("a~%2Fb=1", "/a~0~1b"),
    ],
)
async def test_a_bad_filter_is_422_with_its_name(site: Site, query: str, pointer: str) -> None:
    reply = await site.call("GET", f"/v1/interactions?{query}")

    assert (reply.status, reply.code, reply.pointers) == (422, "invalid", [pointer])


async def test_a_run_finds_what_to_execute_by_filters(site: Site) -> None:
    approved = await _approved(site)
    await _asked(site, operation_id="waiting")
    await site.call("POST", "/v1/questions", questions())
    query = "run_id=run-1&kind=approval&state=approved&state=denied&claimed=false"
    found = (await site.call("GET", f"/v1/interactions?{query}")).json
    await site.call("POST", f"/v1/approvals/{approved['id']}/claim", {"digest": approved["digest"]})

    assert [item["id"] for item in found["items"]] == [approved["id"]]
    assert found["next_cursor"] is None
    assert (await site.call("GET", f"/v1/interactions?{query}")).json["items"] == []


async def test_a_list_goes_on_at_its_cursor_and_leaves_nothing_out(site: Site) -> None:
    asked = {(await _asked(site, operation_id=f"op-{n}"))["id"] for n in range(5)}
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        page = (await site.call("GET", f"/v1/interactions?limit=2{f'&cursor={cursor}' if cursor else ''}")).json
        shapes.InteractionPage.model_validate(page)
        seen += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]

    assert len(seen) == 5
    assert set(seen) == asked


async def _claim(site: Site, asked: dict[str, str], **more: object) -> Reply:
    return await site.call("POST", f"/v1/approvals/{asked['id']}/claim", {"digest": asked["digest"], **more})


async def test_one_claimant_runs_and_gets_what_to_run(site: Site) -> None:
    asked = await _approved(site)
    first = (await _claim(site, asked, claim_id="claim-1", worker="w-1")).json
    again = (await _claim(site, asked, claim_id="claim-1", worker="w-1")).json
    other = (await _claim(site, asked, claim_id="two")).json

    shapes.Claimed.model_validate(first)
    assert (first["claimed"], first["execute"], first["claim_id"]) == (True, True, "claim-1")
    assert first["input"] == {"tag": "v1.4", "env": "production"}
    assert first["approval"]["claimed_by"] == "w-1"
    assert (again["claimed"], again["execute"], again["input"]) == (True, True, first["input"])
    assert (other["claimed"], other["execute"], other["input"]) == (False, False, None)
    assert "claim-1" not in str(other)


async def test_without_a_claim_id_one_is_made(site: Site) -> None:
    reply = await _claim(site, await _approved(site))

    assert reply.json["execute"] is True
    assert reply.json["claim_id"]


async def test_a_denied_approval_is_claimed_and_not_executed(site: Site) -> None:
    claimed = (await _claim(site, await _approved(site, Decision.DENY))).json

    assert (claimed["claimed"], claimed["execute"], claimed["input"]) == (True, False, None)
    assert claimed["approval"]["execution"] is None


async def test_an_undecided_approval_is_not_claimed(site: Site) -> None:
    claimed = (await _claim(site, await _asked(site))).json

    assert (claimed["claimed"], claimed["execute"], claimed["approval"]["state"]) == (False, False, "pending")


async def test_a_claim_with_another_digest_is_409_and_claims_nothing(site: Site) -> None:
    asked = await _approved(site)
    wrong = await _claim(site, {**asked, "digest": "0" * 64})

    assert (wrong.status, wrong.code) == (409, "digest_mismatch")
    assert (await _claim(site, asked)).json["execute"] is True


async def test_reports_are_the_claimants_own(site: Site) -> None:
    asked = await _approved(site)
    path = f"/v1/approvals/{asked['id']}/report"
    early = await site.call("POST", path, {"claim_id": "claim-1", "status": "running"})
    await _claim(site, asked, claim_id="claim-1", worker="w-1", report_within=60)
    running = await site.call("POST", path, {"claim_id": "claim-1", "status": "running", "detail": "1 of 3"})
    foreign = await site.call("POST", path, {"claim_id": "two", "status": "succeeded"})
    done = await site.call("POST", path, {"claim_id": "claim-1", "status": "succeeded"})
    again = await site.call("POST", path, {"claim_id": "claim-1", "status": "succeeded"})
    late = await site.call("POST", path, {"claim_id": "claim-1", "status": "failed"})

    assert (early.status, foreign.status, late.status) == (409, 409, 409)
    assert {early.code, foreign.code, late.code} == {"not_claimant"}
    shapes.Reported.model_validate(running.json)
    assert running.json["approval"]["execution"] == {
        "status": "running",
        "worker": "w-1",
        "detail": "1 of 3",
        "at": "2026-11-30T12:00:00.000Z",
    }
    assert (done.status, again.status) == (200, 200)
    assert done.json["approval"]["execution"]["status"] == "succeeded"


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("approvals/{id}/claim", {}, "/digest"),
        ("approvals/{id}/claim", {"digest": "d", "report_within": 0}, "/report_within"),
        ("approvals/{id}/claim", {"digest": "d", "report_within": True}, "/report_within"),
        ("approvals/{id}/claim", {"digest": "d", "claim_id": "x" * 201}, "/claim_id"),
        ("approvals/{id}/report", {"claim_id": "c", "status": "unknown"}, "/status"),
        ("approvals/{id}/report", {"claim_id": "c", "status": "running", "detail": "x" * 3001}, "/detail"),
        ("approvals/{id}/decide", {"decision": "approve"}, "/decision"),
        ("approvals/{id}/decide", {"decision": "deny", "actor": "U0ANA"}, "/actor"),
        ("questions/{id}/answer", {"answers": {"q": "text"}}, "/answers/q"),
        ("questions/{id}/answer", {"answers": {"q": {"is_skipped": 0}}}, "/answers/q/is_skipped"),
        ("interactions/{id}/withdraw", {"reason": 5}, "/reason"),
    ],
)
async def test_a_bad_request_about_an_approval_is_422(
    site: Site, path: str, body: dict[str, object], pointer: str
) -> None:
    asked = await _asked(site)
    reply = await site.call("POST", f"/v1/{path.replace('{id}', asked['id'])}", body)

    assert (reply.status, reply.code) == (422, "invalid")
    assert pointer in reply.pointers


async def test_a_key_that_nobody_named_decides_and_answers_nothing(site: Site) -> None:
    asked = await _asked(site)
    question = (await site.call("POST", "/v1/questions", questions())).json
    decided = await site.call("POST", f"/v1/approvals/{asked['id']}/decide", {"decision": "allow-once"})
    answers = {"answers": {"region": {"is_skipped": False, "value": "Europe"}}}
    answered = await site.call("POST", f"/v1/questions/{question['id']}/answer", answers)
    minting = await site.call("POST", f"/v1/approvals/{asked['id']}/decide", {"decision": "allow-always"})

    assert (decided.status, decided.code) == (403, "not_allowed")
    assert (answered.status, answered.code) == (403, "not_allowed")
    assert (minting.status, minting.code) == (422, "not_yet")
    assert (await site.call("GET", f"/v1/interactions/{asked['id']}")).json["state"] == "pending"


async def test_a_key_that_nobody_named_does_not_learn_whether_its_answers_would_fit(site: Site) -> None:
    question = (await site.call("POST", "/v1/questions", questions())).json
    for answer in (
        {"is_skipped": False, "value": ["Europe"]},
        {"is_skipped": True},
        {"is_skipped": False, "other": "x"},
    ):
        reply = await site.call("POST", f"/v1/questions/{question['id']}/answer", {"answers": {"region": answer}})

        assert (reply.status, reply.code) == (403, "not_allowed")


async def test_answers_come_back_as_they_were_given(site: Site) -> None:
    asked = (await site.call("POST", "/v1/questions", questions())).json
    found = await site.parts.store.find_interaction(tenant="default", id=asked["id"])
    await site.parts.answer(found, {"region": Choice(option_ids=("us",))})  # type: ignore[arg-type]  # a question
    reply = (await site.call("GET", f"/v1/interactions/{asked['id']}")).json

    shapes.QuestionSet.model_validate(reply)
    assert reply["state"] == "answered"
    assert reply["answers"] == {"region": {"is_skipped": False, "value": "United States", "option_ids": ["us"]}}


async def test_withdrawing_says_what_stands_afterwards(site: Site) -> None:
    asked = await _asked(site)
    path = f"/v1/interactions/{asked['id']}/withdraw"
    first = (await site.call("POST", path, {"reason": "not needed"})).json
    again = (await site.call("POST", path, {})).json

    shapes.Withdrawn.model_validate(first)
    assert (first["withdrawn"], first["interaction"]["state"]) == (True, "withdrawn")
    assert (again["withdrawn"], again["interaction"]["state"]) == (False, "withdrawn")
    assert first["interaction"]["resolved_by"] == {"kind": "api_key", "id": site.key.id, "name": site.key.name}
