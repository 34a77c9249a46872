"""Workers of hosted runs: what they pull, hold, save and end, and what becomes of the cards meanwhile."""

import asyncio
from typing import Any

import pytest

from bot.hosted import ask_of
from store.answers import Choice
from store.outcomes import Created
from store.runs import ActionKind
from store.types import Decision, Scope
from tests.api.hosting import CONFIRMATION, QUESTIONS, Worker, failed, interaction_now, leased, run_now, start
from tests.api.site import Site, approval, nested


@pytest.fixture
def worker(site: Site) -> Worker:
    return Worker(site)


async def found(site: Site, run: Any) -> Any:
    return await site.parts.store.find_interaction(tenant="default", id=run["action"]["interaction_id"])


async def decide(site: Site, run: Any, decision: Decision = Decision.ALLOW_ONCE) -> None:
    await site.parts.decide(await found(site, run), decision)


async def test_a_run_is_pulled_asks_hears_its_answer_and_ends(site: Site, worker: Worker) -> None:
    run = await leased(site)
    assert (run["run_id"], run["code"], run["input"], run["state"]) == ("run-1", "ship", {"b": 1, "a": 2}, None)
    assert (run["status"], run["is_new"], run["worker"], list(run["input"])) == ("queued", True, "w-1", ["b", "a"])
    assert await worker.renew(run) == {"lost": [], "stopping": [], "answered": []}
    assert (await run_now(site))["status"] == "running"

    asked = (await worker.confirm(run)).json["run"]
    assert (asked["status"], asked["cursor"]) == ("waiting", 1)
    action = asked["action"]
    assert (action["kind"], action["operation_id"], action["cursor"]) == ("user_ask_confirmation", "action-1", 1)
    assert action["request"] == {"title": "Ship 1.4?", "body": "To *everybody*."}
    shown = action["interaction"]
    assert (shown["state"], shown["run_id"], shown["operation_id"]) == ("pending", "run-1", "action-1")
    assert (shown["approvers"]["users"], shown["title"]) == (["U0ANA"], "Ship 1.4?")
    assert (await worker.renew(run))["answered"] == []

    await decide(site, asked)
    (answered,) = (await worker.renew(run))["answered"]
    assert (answered["run_id"], answered["action"]["interaction"]["state"]) == ("run-1", "approved")
    told = (await worker.checkpoint(run, delivered=action["id"])).json["run"]
    assert (told["status"], told["action"]["delivered_at"] is None) == ("running", False)
    assert (await worker.renew(run))["answered"] == []

    assert (await worker.checkpoint(run, state={"z": 1, "a": [2]})).json["run"]["state"] == {"z": 1, "a": [2]}
    ended = (await worker.finish(run, outcome={"outcome": "shipped"})).json["run"]
    assert (ended["status"], ended["outcome"], ended["error"]) == ("completed", {"outcome": "shipped"}, None)
    assert await run_now(site) == ended
    assert await worker.lease() == []


async def test_questions_are_asked_of_the_audience_and_their_answers_come_back(site: Site, worker: Worker) -> None:
    run = await leased(site)

    asked = (await worker.ask(run)).json["run"]
    await site.parts.answer(await found(site, asked), {"region": Choice(option_ids=("eu",))})

    (answered,) = (await worker.renew(run))["answered"]
    interaction = answered["action"]["interaction"]
    assert interaction["answers"] == {"region": {"is_skipped": False, "value": "Europe", "option_ids": ["eu"]}}
    assert (interaction["expires_at"], interaction["title"]) == (None, "Which region?")
    assert (await worker.checkpoint(run, delivered=answered["action"]["id"])).status == 200


async def test_a_run_is_handed_out_as_soon_as_it_is_started(site: Site, worker: Worker) -> None:
    pulling = asyncio.create_task(worker.lease(wait=30))
    await site.parts.hub.holds(1)

    await site.call("POST", "/v1/runs", start())

    assert [run["run_id"] for run in await pulling] == ["run-1"]


async def test_a_lease_poll_that_nobody_waits_for_takes_nothing(site: Site, worker: Worker) -> None:
    with pytest.raises(asyncio.TimeoutError):
        async with asyncio.timeout(0.2):
            await worker.lease(wait=30)
    await site.parts.hub.holds(1)

    await site.call("POST", "/v1/runs", start())
    await site.parts.hub.holds(0)

    assert [run["is_new"] for run in await worker.lease()] == [True]


async def test_a_lease_or_renewal_that_waits_ends_after_its_time(site: Site, worker: Worker) -> None:
    assert await worker.lease(wait=1) == []
    run = await leased(site)
    assert await worker.renew(run, wait=1) == {"lost": [], "stopping": [], "answered": []}


async def test_a_renewal_that_waits_hears_the_answer_at_once(site: Site, worker: Worker) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    renewing = asyncio.create_task(worker.renew(run, wait=30))
    await site.parts.hub.holds(2)

    await decide(site, asked)

    told = await renewing
    assert [each["action"]["id"] for each in told["answered"]] == [asked["action"]["id"]]


async def test_a_renewal_hears_the_answer_to_what_was_asked_while_it_waited(site: Site, worker: Worker) -> None:
    run = await leased(site)
    renewing = asyncio.create_task(worker.renew(run, wait=30))
    await site.parts.hub.holds(1)
    asked = (await worker.confirm(run)).json["run"]
    await site.parts.hub.holds(2)

    await decide(site, asked)

    assert [each["run_id"] for each in (await renewing)["answered"]] == ["run-1"]


async def test_a_renewal_that_waits_hears_that_a_run_is_to_stop(site: Site, worker: Worker) -> None:
    run = await leased(site)
    renewing = asyncio.create_task(worker.renew(run, wait=30))
    await site.parts.hub.holds(1)

    stopped = await site.call("POST", "/v1/runs/run-1/stop", {"reason": "Not today."})

    assert (stopped.json["stopped"], stopped.json["run"]["stop"]["reason"]) == (False, "Not today.")
    assert (await renewing)["stopping"] == ["run-1"]


async def test_many_runs_are_renewed_and_told_of_at_once(site: Site, worker: Worker) -> None:
    for n in range(6):
        await site.call("POST", "/v1/runs", start(run_id=f"run-{n}"))
    runs = await worker.lease()
    asked = [(await worker.confirm(run)).json["run"] for run in runs]
    for each in asked[:3]:
        await decide(site, each)
    await site.call("POST", "/v1/runs/run-4/stop", {})
    await worker.finish(runs[5], outcome=None)

    told = await worker.renew(*runs)

    assert (told["lost"], told["stopping"]) == (["run-5"], ["run-4"])
    assert sorted(each["run_id"] for each in told["answered"]) == ["run-0", "run-1", "run-2"]


async def test_what_a_worker_lost_it_can_neither_save_nor_end(site: Site, worker: Worker) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    await decide(site, asked)
    site.parts.clock.advance(60)
    (taken,) = await Worker(site, "w-2").lease()
    assert (taken["run_id"], taken["is_new"], taken["worker"]) == ("run-1", False, "w-2")

    late = [
        await worker.checkpoint(run, state=1),
        await worker.confirm(run),
        await worker.checkpoint(run, delivered=asked["action"]["id"]),
        await worker.finish(run, outcome=None),
        await worker.finish(run, **failed()),
    ]

    assert [(each.status, each.code, each.json["run_id"]) for each in late] == [(409, "lease_lost", "run-1")] * 5
    assert (await worker.renew(run))["lost"] == ["run-1"]
    after = await run_now(site)
    assert (after["status"], after["state"], after["action"]["interaction"]["claimed_at"]) == ("waiting", None, None)


async def test_a_run_that_nobody_confirmed_to_have_is_new_for_the_next(site: Site, worker: Worker) -> None:
    await leased(site)
    site.parts.clock.advance(60)

    (again,) = await worker.lease()

    assert again["is_new"] is True
    await worker.renew(again)
    site.parts.clock.advance(60)
    (third,) = await worker.lease()
    assert third["is_new"] is False


async def test_the_same_action_again_is_asked_once_and_gets_the_same_answer(site: Site, worker: Worker) -> None:
    run = await leased(site)

    replies = await asyncio.gather(*(worker.confirm(run) for _ in range(6)))

    assert {reply.status for reply in replies} == {200}
    assert len({reply.json["run"]["action"]["id"] for reply in replies}) == 1
    listed = (await site.call("GET", "/v1/interactions?run_id=run-1")).json["items"]
    assert len(listed) == 1
    other = await worker.confirm(run, title="Another?")
    assert (other.status, other.code, other.json["id"]) == (409, "conflict", replies[0].json["run"]["action"]["id"])


async def test_a_late_duplicate_that_says_its_place_asks_nobody_again(site: Site, worker: Worker) -> None:
    run = await leased(site)
    action = {"kind": "user_ask_questions", "request": QUESTIONS, "cursor": 1}
    asked = (await worker.checkpoint(run, action=action)).json["run"]
    await site.parts.answer(await found(site, asked), {"region": Choice(option_ids=("eu",))})
    await worker.checkpoint(run, delivered=asked["action"]["id"])

    late = await worker.checkpoint(run, action=action)

    assert (late.status, late.code) == (409, "conflict")
    following = await worker.checkpoint(run, action={**action, "cursor": 2})
    assert following.json["run"]["action"]["operation_id"] == "action-2"


async def test_an_answer_is_delivered_twice_only_to_the_same_worker(site: Site, worker: Worker) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    action = asked["action"]["id"]
    early = await worker.checkpoint(run, delivered=action)
    await decide(site, asked)
    wrong = await worker.checkpoint(run, delivered="act_other")

    both = await asyncio.gather(*(worker.checkpoint(run, delivered=action) for _ in range(4)))
    site.parts.clock.advance(60)
    (taken,) = await worker.lease()
    second = await worker.checkpoint(taken, delivered=action)

    assert [(each.status, each.code) for each in (early, wrong, second)] == [(409, "conflict")] * 3
    assert "no longer the run's current unanswered action" in second.json["detail"]
    assert [each.status for each in both] == [200] * 4
    assert len({each.json["run"]["action"]["delivered_at"] for each in both}) == 1


async def test_a_run_that_is_to_stop_takes_no_checkpoint_and_is_ended_by_its_worker(site: Site, worker: Worker) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    for _ in range(2):
        stopped = (await site.call("POST", "/v1/runs/run-1/stop", {"reason": "Not today."})).json
        assert (stopped["stopped"], stopped["run"]["status"]) == (False, "waiting")

    refused = [
        await worker.checkpoint(run, state=1),
        await worker.ask(run),
        await worker.checkpoint(run, delivered=asked["action"]["id"]),
    ]
    assert [(each.status, each.code) for each in refused[:2]] == [(409, "stopping")] * 2
    assert refused[2].status == 409
    ended = (await worker.finish(run, **failed("RUN_STOPPED", "cancelled"))).json["run"]

    assert (ended["status"], ended["error"]["code"]) == ("failed", "RUN_STOPPED")
    assert ended["action"]["interaction"]["state"] == "withdrawn"
    again = (await site.call("POST", "/v1/runs/run-1/stop", {})).json
    assert (again["stopped"], again["run"]) == (True, ended)


@pytest.mark.parametrize("code", ["RUN_INTERRUPTED", "RUN_STOPPED", "RUN_FAILED", "RUN_CHECKPOINT_FAILED"])
async def test_a_run_that_ends_by_an_error_leaves_no_card_that_waits(site: Site, worker: Worker, code: str) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    other = await site.call("POST", "/v1/approvals", approval(run_id="run-1", operation_id="by-itself"))
    elsewhere = await site.call("POST", "/v1/approvals", approval(run_id="run-2"))

    ended = [await worker.finish(run, **failed(code, "the pod is gone")) for _ in range(2)]

    assert ended[0].json == ended[1].json
    assert ended[0].json["run"]["error"] == {"code": code, "message": "the pod is gone", "retryable": False}
    states = [(await interaction_now(site, asked))["state"]]
    states += [
        (await site.call("GET", f"/v1/interactions/{each.json['id']}")).json["state"] for each in (other, elsewhere)
    ]
    assert states == ["withdrawn", "withdrawn", "pending"]
    another = await worker.finish(run, outcome=1)
    assert (another.status, another.code) == (409, "lease_lost")


async def test_an_outcome_leaves_no_card_that_waits_either(site: Site, worker: Worker) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]

    await worker.finish(run, outcome="done without it")

    assert (await interaction_now(site, asked))["state"] == "withdrawn"


async def delivered(site: Site, worker: Worker, decision: Decision = Decision.ALLOW_ONCE) -> Any:
    """A run whose confirmation was decided and delivered; with its token."""
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    await decide(site, asked, decision)
    told = await worker.checkpoint(run, delivered=asked["action"]["id"])
    return {**told.json["run"], "token": run["token"]}


async def test_a_denial_is_claimed_when_it_is_delivered(site: Site, worker: Worker) -> None:
    run = await delivered(site, worker, Decision.DENY)

    now = await interaction_now(site, run)

    assert (now["state"], now["claimed_by"], now["execution"]) == ("denied", "w-1", None)
    assert now["claimed_at"] is not None


async def test_a_confirmation_is_left_to_its_code_over_state_checkpoints(site: Site, worker: Worker) -> None:
    run = await delivered(site, worker)
    await worker.checkpoint(run, state={"approved": True})

    now = await interaction_now(site, run)
    claimed = await site.call(
        "POST",
        f"/v1/approvals/{now['id']}/claim",
        {"digest": now["digest"], "claim_id": f"action-1/{run['token']}", "report_within": 60},
    )
    await worker.finish(run, outcome=None)

    assert (claimed.json["claimed"], claimed.json["execute"]) == (True, True)
    # What its code executes is its own to report.
    assert (await interaction_now(site, run))["execution"]["status"] == "claimed"


async def test_a_confirmation_that_was_not_executed_succeeds_with_the_next_question(site: Site, worker: Worker) -> None:
    run = await delivered(site, worker)

    await worker.ask(run)

    execution = (await interaction_now(site, run))["execution"]
    assert (execution["status"], execution["worker"]) == ("succeeded", "w-1")


async def test_a_late_duplicate_takes_no_decision_from_its_code(site: Site, worker: Worker) -> None:
    run = await delivered(site, worker)
    action = {"kind": "user_ask_confirmation", "request": CONFIRMATION, "cursor": 1}

    late = await worker.checkpoint(run, action=action)

    assert (late.status, late.code) == (409, "conflict")
    assert (await interaction_now(site, run))["claimed_at"] is None


async def test_a_confirmation_that_was_not_executed_ends_as_its_run_does(site: Site, worker: Worker) -> None:
    done = await delivered(site, worker)
    await worker.finish(done, outcome=None)
    assert (await interaction_now(site, done))["execution"]["status"] == "succeeded"

    run = await leased(site, run_id="run-2")
    asked = (await worker.confirm(run)).json["run"]
    await decide(site, asked)
    await worker.checkpoint(run, delivered=asked["action"]["id"])
    await worker.finish(run, **failed("RUN_INTERRUPTED"))

    execution = (await interaction_now(site, asked))["execution"]
    assert (execution["status"], execution["detail"]) == ("failed", "RUN_INTERRUPTED")


async def test_a_confirmation_that_nobody_heard_is_never_called_done(site: Site, worker: Worker) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    await decide(site, asked)

    await worker.finish(run, outcome="went on without it")

    execution = (await interaction_now(site, asked))["execution"]
    assert (execution["status"], execution["detail"]) == ("failed", "the run ended without it")


async def test_what_was_saved_and_not_asked_is_asked_at_the_next_lease(site: Site, worker: Worker) -> None:
    run = await leased(site)
    await site.parts.store.save_action(
        tenant="default",
        run_id="run-1",
        token=run["token"],
        kind=ActionKind.CONFIRMATION,
        request_json='{"title":"Ship?"}',
        at=site.parts.clock.now(),
    )
    assert (await run_now(site))["action"]["interaction"] is None
    site.parts.clock.advance(60)

    (taken,) = await Worker(site, "w-2").lease()

    assert (taken["action"]["interaction"]["state"], taken["is_new"]) == ("pending", False)
    assert len((await site.call("GET", "/v1/interactions?run_id=run-1")).json["items"]) == 1


async def test_an_ask_that_was_under_way_when_its_run_ended_finds_itself_withdrawn(site: Site, worker: Worker) -> None:
    run = await leased(site)
    saved = await site.parts.store.save_action(
        tenant="default",
        run_id="run-1",
        token=run["token"],
        kind=ActionKind.CONFIRMATION,
        request_json='{"title":"Ship?"}',
        at=site.parts.clock.now(),
    )
    await site.call("POST", "/v1/runs/run-1/stop", {})
    site.parts.clock.advance(60)
    assert await site.parts.service.end_stopped() == 1

    late = await site.parts.service.ask_approval(key=site.key, ask=ask_of(saved, saved.action))

    assert isinstance(late, Created)
    assert (late.created, late.interaction.state) == (False, "withdrawn")
    assert (await worker.confirm(run)).code == "lease_lost"


async def test_what_is_to_stop_is_ended_by_the_sweep_once_its_worker_is_gone(site: Site, worker: Worker) -> None:
    run = await leased(site)
    asked = (await worker.confirm(run)).json["run"]
    await site.call("POST", "/v1/runs/run-1/stop", {"reason": "Not today."})
    sweep = site.parts.service.end_stopped
    assert await sweep() == 0
    site.parts.clock.advance(60)
    waiting = asyncio.create_task(site.call("GET", "/v1/runs/run-1?wait=30"))
    await site.parts.hub.holds(1)

    assert await sweep() == 1

    ended = (await waiting).json
    assert ended["error"] == {"code": "RUN_STOPPED", "message": "Not today.", "retryable": False}
    assert (await interaction_now(site, asked))["state"] == "withdrawn"
    assert await sweep() == 0


async def test_of_a_finish_and_a_stop_at_once_the_run_ends_once(site: Site, worker: Worker) -> None:
    for n in range(8):
        run = await leased(site, run_id=f"run-{n}")
        ended, _ = await asyncio.gather(
            worker.finish(run, outcome="done"), site.call("POST", f"/v1/runs/run-{n}/stop", {})
        )
        assert (ended.status, (await run_now(site, f"run-{n}"))["status"]) == (200, "completed")


async def test_two_workers_that_pull_at_once_share_the_runs(site: Site) -> None:
    for n in range(12):
        await site.call("POST", "/v1/runs", start(run_id=f"run-{n}"))

    taken = await asyncio.gather(*(Worker(site, f"w-{n}").lease(room=4) for n in range(4)))

    ids = [run["run_id"] for each in taken for run in each]
    assert sorted(ids) == sorted(f"run-{n}" for n in range(12))


async def test_the_key_that_started_a_run_is_the_one_that_asks(site: Site, worker: Worker) -> None:
    starter, token = await site.parts.key(Scope.ASK, name="starter")
    await site.call("POST", "/v1/runs", start(), token=token)
    (run,) = await worker.lease()

    asked = (await worker.confirm(run)).json["run"]

    assert (await found(site, asked)).asked_by.id == starter.id != site.key.id


async def test_a_run_whose_starter_was_revoked_asks_nobody_and_says_so(site: Site, worker: Worker) -> None:
    key, token = await site.parts.key(name="gone")
    await site.call("POST", "/v1/runs", start(), token=token)
    (run,) = await worker.lease()
    first = (await worker.confirm(run)).json["run"]
    await decide(site, first)
    await worker.checkpoint(run, delivered=first["action"]["id"])
    await site.parts.store.revoke_key(tenant="default", name=key.name, at=site.parts.clock.now())

    refused = await worker.confirm(run, title="More?")

    assert (refused.status, refused.code) == (403, "policy")
    assert "revoked" in refused.json["detail"]
    after = await run_now(site)
    assert (after["status"], after["action"], after["cursor"]) == ("running", None, 1)
    assert len((await site.call("GET", "/v1/interactions?run_id=run-1")).json["items"]) == 1


@pytest.mark.parametrize(
    ("what", "pointers"),
    [
        ({}, [""]),
        ({"state": 1, "delivered": "act_1"}, [""]),
        ({"action": None}, [""]),
        ({"delivered": "act_1", "saves": 1}, [""]),
        ({"delivered": None}, [""]),
        ({"action": {"kind": "user_ask_confirmation", "request": {}}}, ["/action/request/title"]),
        ({"action": {"kind": "user_ask_questions", "request": {"questions": []}}}, ["/action/request/questions"]),
        ({"action": {"kind": "else", "request": {}}}, ["/action"]),
        (
            {"action": {"kind": "user_ask_confirmation", "request": {"title": "x", "answer": True}}},
            ["/action/request/answer"],
        ),
        ({"state": nested(33)}, ["/state"]),
        ({"state": "x" * 65_536}, ["/state"]),
    ],
)
async def test_a_checkpoint_is_one_thing_and_of_the_right_form(
    site: Site, worker: Worker, what: dict[str, Any], pointers: list[str]
) -> None:
    run = await leased(site)

    refused = await worker.checkpoint(run, **what)

    assert (refused.status, refused.pointers) == (422, pointers)
    assert (await run_now(site))["cursor"] == 0


async def test_a_state_that_comes_late_replaces_no_newer_one(site: Site, worker: Worker) -> None:
    run = await leased(site)
    assert (await worker.checkpoint(run, state="old", saves=1)).json["run"]["saves"] == 1
    assert (await worker.checkpoint(run, state="new", saves=2)).json["run"]["state"] == "new"

    late = await worker.checkpoint(run, state="old", saves=1)

    assert (late.status, late.code, late.json["saves"]) == (409, "conflict", 2)
    assert (await run_now(site))["state"] == "new"


async def test_null_is_a_state_and_an_outcome(site: Site, worker: Worker) -> None:
    run = await leased(site, state={"a": 1})

    assert (await worker.checkpoint(run, state=None)).json["run"]["state"] is None
    ended = await worker.finish(run, outcome=None)

    assert (ended.json["run"]["status"], ended.json["run"]["outcome"]) == ("completed", None)


async def test_work_takes_its_scope_and_other_tenants_runs_look_missing(site: Site, worker: Worker) -> None:
    run = await leased(site)
    _, plain = await site.parts.key(Scope.ASK, Scope.READ, name="plain")
    _, theirs = await site.parts.key(Scope.ASK, Scope.READ, Scope.WORK, tenant="other", name="theirs")
    mine = {"run_id": "run-1", "token": run["token"]}
    lease = {"worker": "w", "codes": ["ship"]}

    for path, sent in (
        ("lease", lease),
        ("renew", {"worker": "w", "runs": [mine]}),
        ("checkpoint", {**mine, "state": 1}),
        ("finish", {**mine, "outcome": 1}),
    ):
        refused = await site.call("POST", f"/v1/work/{path}", sent, token=plain)
        assert (refused.status, refused.code) == (403, "scope")
    assert (await site.call("POST", "/v1/work/lease", lease, token=theirs)).json == {"lease": 60, "runs": []}
    renewed = await site.call("POST", "/v1/work/renew", {"worker": "w", "runs": [mine]}, token=theirs)
    assert renewed.json["lost"] == ["run-1"]
    for path, sent in (("checkpoint", {**mine, "state": 1}), ("finish", {**mine, "outcome": 1})):
        assert (await site.call("POST", f"/v1/work/{path}", sent, token=theirs)).code == "not_found"
    for method, path in (("GET", "/v1/runs/run-1"), ("POST", "/v1/runs/run-1/stop")):
        missing = await site.call(method, path, {} if method == "POST" else None, token=theirs)
        assert (missing.status, missing.code) == (404, "not_found")
    assert (await site.call("GET", "/v1/runs", token=theirs)).json["items"] == []
    assert (await run_now(site))["status"] == "queued"
