"""What a refusal says beside its code: where two asks differ, who could decide; and waking a run over HTTP."""

from typing import Any

import pytest

from bot.api import shapes
from bot.differences import MOST
from store.types import Approvers, Policy, Scope
from tests.api.site import Reply, Site, approval, questions
from tests.parts import ANA


async def clash(site: Site, first: dict[str, Any], second: dict[str, Any], *, path: str = "/v1/approvals") -> Reply:
    assert (await site.call("POST", path, first)).status == 201
    reply = await site.call("POST", path, second)
    assert (reply.status, reply.code) == (409, "conflict"), reply
    return reply


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"title": "Deploy v1.5"}, ["/title"]),
        ({"input": {"tag": "v1.5", "env": "production"}}, ["/input/tag"]),
        ({"input": {"tag": "v1.4"}}, ["/input/env"]),
        ({"input": {"tag": "v1.4", "env": "production", "zones": [1]}}, ["/input/zones"]),
        ({"input": [1, 2]}, ["/input"]),
        ({"tool_name": "rollback", "risk": "high"}, ["/tool_name", "/risk"]),
        ({"body": "Words"}, ["/body"]),
        ({"details": "Plan"}, ["/details"]),
        ({"facts": [{"label": "Zone", "value": "2"}]}, ["/facts/0"]),
        ({"links": [{"label": "Build", "url": "https://ci.acme.example/1"}]}, ["/links/0"]),
        ({"input_schema": {"type": "object"}}, ["/input_schema"]),
        ({"revalidate": "commit-2"}, ["/revalidate"]),
        ({"requested_by": "U0DANA"}, ["/requested_by"]),
        ({"run_within": 60}, ["/run_within"]),
        ({"approvers": {"users": ["U0BEN"], "quorum": 1}}, ["/approvers/users"]),
        ({"approvers": {"users": ["U0ANA"], "require_reason": True}}, ["/approvers/require_reason"]),
        ({"channels": ["C0OTHER"]}, ["/channels"]),
        ({"users": ["U0BEN"]}, ["/users"]),
        ({"thread_ts": "1.000001"}, ["/thread_ts"]),
        ({"expires_in": 60}, ["/expires_in"]),
        ({"expires_in": None}, ["/expires_in"]),
        ({"on_expiry": "deny"}, ["/on_expiry"]),
        ({"reminders": {"after": 600}}, ["/reminders"]),
        ({"escalation": [{"after": 600, "users": ["U0BEN"]}]}, ["/escalation/0"]),
        ({"resume": {"webhook": "https://hook.acme.example/secret-path"}}, ["/resume"]),
    ],
)
async def test_a_conflict_says_where_the_two_differ(site: Site, change: dict[str, Any], pointers: list[str]) -> None:
    reply = await clash(site, approval(), approval(**change))

    assert reply.json["differs"] == pointers
    assert all(pointer in reply.json["detail"] for pointer in pointers)
    shapes.ProblemOut.model_validate(reply.json)


async def test_a_conflict_tells_places_and_no_values(site: Site) -> None:
    hidden = {"input": {"token": "hush-1"}, "body": "hush-2", "resume": {"webhook": "https://a.example/hush-3"}}
    reply = await clash(site, approval(**hidden), approval())

    assert {"/input/token", "/body", "/resume"} <= set(reply.json["differs"])
    assert b"hush" not in reply.raw


async def test_pointers_are_few_short_and_escaped(site: Site) -> None:
    many = {f"key-{number}": number for number in range(100)}
    long = {"a/b~c" + "x" * 500: 1}
    first = await clash(site, approval(input=many), approval(input=dict.fromkeys(many, -1)))
    second = await clash(site, approval(run_id="run-2", input=long), approval(run_id="run-2", input={"k": 1}))

    assert len(first.json["differs"]) == MOST
    assert second.json["differs"][1].startswith("/input/a~1b~0cxx")
    assert len(second.json["differs"][1]) < 120


async def test_numbers_and_truths_are_told_apart(site: Site) -> None:
    reply = await clash(site, approval(input={"n": 1, "same": 1}), approval(input={"n": True, "same": 1}))

    assert reply.json["differs"] == ["/input/n"]


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"title": "Where"}, ["/title"]),
        ({"respondents": {"users": ["U0BEN"]}}, ["/respondents/users"]),
        ({"expires_in": 60}, ["/expires_in"]),
    ],
)
async def test_questions_say_where_they_differ_too(site: Site, change: dict[str, Any], pointers: list[str]) -> None:
    reply = await clash(
        site, questions(title="Regions"), questions(**{"title": "Regions", **change}), path="/v1/questions"
    )

    assert reply.json["differs"] == pointers


async def test_a_label_that_changed_is_pointed_at(site: Site) -> None:
    other = questions()
    other["questions"][0]["options"][1]["label"] = "America"
    reply = await clash(site, questions(), other, path="/v1/questions")

    assert reply.json["differs"] == ["/questions/0/options/1/label"]


async def test_the_other_kind_differs_as_a_whole(site: Site) -> None:
    await site.call("POST", "/v1/approvals", approval(operation_id="same"))
    reply = await site.call("POST", "/v1/questions", questions(operation_id="same"))

    assert (reply.code, reply.json["differs"]) == ("conflict", [""])


async def test_under_a_policy_that_changed_only_what_the_ask_says_is_compared(site: Site) -> None:
    await set_policy(site, "U0ANA")
    _, token = await site.parts.key(name="bound", any_approvers=False, policies=("prod",))
    ask = approval()
    del ask["approvers"]
    assert (await site.call("POST", "/v1/approvals", ask, token=token)).status == 201
    await set_policy(site, "U0BEN")
    reply = await site.call("POST", "/v1/approvals", {**ask, "title": "Deploy v1.5"}, token=token)

    assert reply.json["differs"] == ["/title"]


async def set_policy(site: Site, user: str) -> None:
    policy = Policy(
        tenant="default",
        name="prod",
        revision=0,
        set_at=site.parts.clock.now(),
        set_by=ANA,
        approvers=Approvers(users=(user,)),
    )
    await site.parts.store.set_policy(policy=policy)


async def test_who_may_not_decide_is_told_who_may(site: Site) -> None:
    named = {"users": ["U0ANA", "U0BEN"], "groups": ["S0ONCALL"], "keys": ["judge"]}
    asked = (await site.call("POST", "/v1/approvals", approval(approvers=named))).json
    _, token = await site.parts.key(Scope.DECIDE, name="stranger")
    reply = await site.call("POST", f"/v1/approvals/{asked['id']}/decide", {"decision": "deny"}, token=token)

    assert (reply.status, reply.code, reply.json["approvers"]) == (403, "not_allowed", named)
    assert "U0ANA, U0BEN, S0ONCALL, judge" in reply.json["detail"]


async def test_who_may_not_answer_is_told_who_may(site: Site) -> None:
    asked = await site.parts.ask_question(site.key)
    _, token = await site.parts.key(Scope.DECIDE, name="stranger")
    reply = await site.call("POST", f"/v1/questions/{asked.id}/answer", {"answers": {}}, token=token)

    assert reply.json["approvers"] == {"users": ["U0ANA"], "groups": [], "keys": []}


# -- waking -------------------------------------------------------------------------------------------------------
async def woken(site: Site, id: str, **more: Any) -> Reply:
    return await site.call("POST", f"/v1/interactions/{id}/wake", {}, **more)


async def test_a_run_that_was_told_is_told_again(site: Site) -> None:
    asked = (await site.call("POST", "/v1/approvals", approval(resume={"handler": "deploy"}))).json
    found = await site.parts.store.find_approval(tenant="default", id=asked["id"])
    assert found is not None
    await site.parts.decide(found)
    reply = await woken(site, asked["id"])

    assert (reply.status, reply.json["woken"]) == (200, True)
    assert reply.json["interaction"]["state"] == "approved"
    shapes.Woken.model_validate(reply.json)


async def test_what_is_owed_to_nobody_wakes_nobody(site: Site) -> None:
    pending = (await site.call("POST", "/v1/approvals", approval(resume={"handler": "deploy"}))).json
    pulling = await site.parts.ask_question(site.key)

    assert (await woken(site, pending["id"])).json["woken"] is False
    assert (await woken(site, pulling.id)).json["woken"] is False


async def test_another_tenants_run_is_not_there_to_be_woken(site: Site) -> None:
    foreign, _ = await site.parts.key(tenant="other", name="foreign")
    theirs = await site.parts.ask(foreign)

    assert (await woken(site, theirs.id)).code == "not_found"
