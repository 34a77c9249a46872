"""Programs that decide: a quorum through keys, denials, reasons, and never one's own ask."""

from typing import Any

from store.types import Scope
from tests.api.site import Reply, Site, approval, questions


async def judge(site: Site, name: str) -> str:
    _, token = await site.parts.key(Scope.DECIDE, name=name)
    return token


async def asked(site: Site, **approvers: Any) -> str:
    body = approval(approvers={"keys": ["one", "two", "three"], **approvers})
    reply = await site.call("POST", "/v1/approvals", body)
    assert reply.status == 201, reply.raw
    return str(reply.json["id"])


async def decide(site: Site, id: str, token: str, decision: str = "allow-once", **more: Any) -> Reply:
    return await site.call("POST", f"/v1/approvals/{id}/decide", {"decision": decision, **more}, token=token)


async def test_so_many_distinct_keys_decide_as_the_quorum_says(site: Site) -> None:
    id = await asked(site, quorum=2)
    one, two, three = [await judge(site, name) for name in ("one", "two", "three")]
    first = (await decide(site, id, one)).json
    again = (await decide(site, id, one)).json
    second = (await decide(site, id, two)).json
    late = (await decide(site, id, three, "deny")).json

    assert [(each["already_resolved"], each["approval"]["state"]) for each in (first, again, second, late)] == [
        (False, "pending"),
        (False, "pending"),
        (False, "approved"),
        (True, "approved"),
    ]
    assert [len(each["approval"]["votes"]) for each in (first, again, second)] == [1, 1, 2]
    assert second["approval"]["resolved_by"]["kind"] == "api_key"


async def test_a_vote_can_be_changed_and_one_denial_decides(site: Site) -> None:
    id = await asked(site, quorum=2)
    one = await judge(site, "one")
    await decide(site, id, one)
    denied = (await decide(site, id, one, "deny", feedback="not today")).json

    assert (denied["approval"]["state"], denied["approval"]["feedback"]) == ("denied", "not today")


async def test_so_many_denials_decide_as_the_ask_says(site: Site) -> None:
    id = await asked(site, quorum=2, denials=2)
    one, two = await judge(site, "one"), await judge(site, "two")
    first = (await decide(site, id, one, "deny")).json
    second = (await decide(site, id, two, "deny")).json

    assert [each["approval"]["state"] for each in (first, second)] == ["pending", "denied"]


async def test_a_denial_gives_its_reason_where_one_is_required(site: Site) -> None:
    id = await asked(site, require_reason=True)
    one = await judge(site, "one")
    for feedback in ({}, {"feedback": None}, {"feedback": ""}, {"feedback": " \n"}):
        reply = await decide(site, id, one, "deny", **feedback)
        assert (reply.status, reply.code, reply.pointers) == (422, "invalid", ["/feedback"])
    denied = await decide(site, id, one, "deny", feedback="freeze")

    assert (denied.status, denied.json["approval"]["state"]) == (200, "denied")


async def test_an_approval_needs_no_reason(site: Site) -> None:
    id = await asked(site, require_reason=True)

    assert (await decide(site, id, await judge(site, "one"))).json["approval"]["state"] == "approved"


async def test_a_key_never_decides_what_it_asked_itself(site: Site) -> None:
    body = approval(approvers={"keys": [site.key.name]})
    asked_ = (await site.call("POST", "/v1/approvals", body)).json
    own = await decide(site, asked_["id"], site.token)

    assert (own.status, own.code) == (403, "not_allowed")


async def test_a_key_that_is_not_named_and_one_without_the_scope_decide_nothing(site: Site) -> None:
    id = await asked(site)
    other = await decide(site, id, await judge(site, "other"))
    _, asker = await site.parts.key(Scope.ASK, Scope.READ, name="one")
    unable = await decide(site, id, asker)

    assert (other.status, other.code) == (403, "not_allowed")
    assert (unable.status, unable.code) == (403, "scope")


async def test_a_decision_about_another_action_is_refused(site: Site) -> None:
    id = await asked(site)
    wrong = await decide(site, id, await judge(site, "one"), digest="0" * 64)

    assert (wrong.status, wrong.code) == (409, "digest_mismatch")
    assert (await site.call("GET", f"/v1/interactions/{id}")).json["votes"] == []


async def test_a_question_names_no_keys(site: Site) -> None:
    reply = await site.call("POST", "/v1/questions", questions(respondents={"users": ["U0ANA"], "keys": ["one"]}))

    assert (reply.status, reply.pointers) == (422, ["/respondents/keys"])
