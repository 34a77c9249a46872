"""Asking over HTTP: what is stored, what comes back, and what is refused with nothing stored."""

from typing import Any

import pytest

from bot.api import shapes
from store.types import Scope
from tests.api.site import Site, approval, nested, questions


async def test_an_approval_is_stored_and_comes_back_in_the_contracts_shape(site: Site) -> None:
    reply = await site.call("POST", "/v1/approvals", approval())

    assert reply.status == 201
    shapes.Approval.model_validate(reply.json)
    assert reply.json["state"] == "pending"
    assert reply.json["created_at"] == "2026-11-30T12:00:00.000Z"
    assert reply.json["expires_at"] == "2026-12-01T12:00:00.000Z"
    assert reply.json["postings"] == [
        {
            "role": "card",
            "channel": "C0DEPLOY",
            "ts": None,
            "permalink": None,
            "state": "waiting",
            "error": None,
        }
    ]


async def test_questions_are_stored_and_come_back_in_the_contracts_shape(site: Site) -> None:
    reply = await site.call("POST", "/v1/questions", questions())

    assert reply.status == 201
    shapes.QuestionSet.model_validate(reply.json)
    assert reply.json["expires_at"] is None
    assert reply.json["answers"] is None


async def test_the_same_ask_again_is_200_and_the_same_interaction(site: Site) -> None:
    first = await site.call("POST", "/v1/approvals", approval())
    again = await site.call("POST", "/v1/approvals", approval())

    assert (first.status, again.status) == (201, 200)
    assert again.json["id"] == first.json["id"]


async def test_without_an_operation_id_the_content_is_the_operation(site: Site) -> None:
    body = approval()
    del body["operation_id"]
    first = await site.call("POST", "/v1/approvals", body)
    again = await site.call("POST", "/v1/approvals", body)
    other = await site.call("POST", "/v1/approvals", {**body, "title": "Deploy v1.5"})

    assert again.json["id"] == first.json["id"]
    assert other.json["id"] != first.json["id"]


async def test_the_same_operation_with_other_content_is_a_conflict_that_names_the_first(site: Site) -> None:
    first = await site.call("POST", "/v1/approvals", approval())
    other = await site.call("POST", "/v1/approvals", approval(title="Deploy v1.5"))

    assert (other.status, other.code) == (409, "conflict")
    assert other.json["id"] == first.json["id"]


async def test_superseding_closes_the_old_one_and_what_was_decided_cannot_be_superseded(site: Site) -> None:
    old = (await site.call("POST", "/v1/approvals", approval())).json
    new = (await site.call("POST", "/v1/approvals", approval(operation_id="two", supersedes=old["id"]))).json
    read = (await site.call("GET", f"/v1/interactions/{old['id']}")).json

    assert (read["state"], read["superseded_by"]) == ("superseded", new["id"])

    found = await site.parts.store.find_approval(tenant="default", id=new["id"])
    assert found is not None
    await site.parts.decide(found)
    late = await site.call("POST", "/v1/approvals", approval(operation_id="three", supersedes=new["id"]))

    assert (late.status, late.code) == (409, "resolved")
    gone = await site.call("POST", "/v1/approvals", approval(operation_id="four", supersedes="apr_nothing"))
    assert (gone.status, gone.code) == (404, "not_found")


async def test_the_input_comes_back_with_its_keys_in_the_senders_order(site: Site) -> None:
    data = (
        b'{"run_id":"r","title":"t","tool_name":"x","input":{"z":1,"a":{"y":[1.5,"\xc3\xa9"],"b":null}},'
        b'"channels":["C0A"],"approvers":{"users":["U0ANA"]}}'
    )
    asked = await site.call("POST", "/v1/approvals", data=data)
    read = await site.call("GET", f"/v1/interactions/{asked.json['id']}")

    assert b'"input":{"z":1,"a":{"y":[1.5,"\xc3\xa9"],"b":null}}' in read.raw


async def test_an_input_may_nest_as_deep_as_the_contract_says(site: Site) -> None:
    reply = await site.call("POST", "/v1/approvals", approval(input=nested(32)))

    assert reply.status == 201
    assert reply.json["input"] == nested(32)


async def test_inline_approvers_take_a_key_that_may_name_them(site: Site) -> None:
    _, token = await site.parts.key(Scope.ASK, Scope.READ, name="bound", any_approvers=False)
    for path, body in (("/v1/approvals", approval()), ("/v1/questions", questions())):
        reply = await site.call("POST", path, body, token=token)
        assert (reply.status, reply.code) == (403, "policy")
        assert "`signoff-bot keys create --scopes ask,read --name ci-bot --any-approvers`" in reply.json["detail"]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"title": "x" * 151}, "/title"),
        ({"title": "  "}, "/title"),
        ({"title": 5}, "/title"),
        ({"run_id": "x" * 201}, "/run_id"),
        ({"run_id": ""}, "/run_id"),
        ({"run_id": "a\nb"}, "/run_id"),
        ({"operation_id": "x" * 201}, "/operation_id"),
        ({"tool_name": "x" * 201}, "/tool_name"),
        ({"tool_name": None}, ""),
        ({"input": None}, ""),
        ({"input": {"x": "y" * 65_536}}, "/input"),
        ({"input": nested(33)}, "/input"),
        ({"body": "x" * 20_001}, "/body"),
        ({"risk": "huge"}, "/risk"),
        ({"requested_by": "ana"}, "/requested_by"),
        ({"requested_by": "U0ANA\n"}, "/requested_by"),
        ({"channels": []}, ""),
        ({"channels": ["D0DIRECT"]}, "/channels/0"),
        ({"channels": ["#general"]}, "/channels/0"),
        ({"channels": [f"C{n}" for n in range(21)]}, "/channels"),
        ({"channels": [f"C{n}" for n in range(11)], "users": [f"U{n}" for n in range(10)]}, ""),
        ({"thread_ts": "1700000000.000100", "users": ["U0BEN"]}, ""),
        ({"thread_ts": "1700000000.000100", "channels": ["C0A", "C0B"]}, ""),
        ({"thread_ts": "yesterday"}, "/thread_ts"),
        ({"approvers": {}}, "/approvers"),
        ({"approvers": {"users": [], "groups": []}}, "/approvers"),
        ({"approvers": {"users": ["ana"]}}, "/approvers/users/0"),
        ({"approvers": {"groups": ["U0ANA"]}}, "/approvers/groups/0"),
        ({"approvers": {"users": ["U0ANA"], "allow_requester": 1}}, "/approvers/allow_requester"),
        ({"approvers": {"users": ["U0ANA"], "decided_by": "me"}}, "/approvers/decided_by"),
        ({"expires_in": 0}, "/expires_in"),
        ({"expires_in": 2_592_001}, "/expires_in"),
        ({"expires_in": True}, "/expires_in"),
        ({"expires_in": "60"}, "/expires_in"),
        ({"expires_in": 60.5}, "/expires_in"),
        ({"resume": {}}, "/resume"),
        ({"resume": {"pull": True, "handler": "x"}}, "/resume"),
        ({"resume": {"pull": False}}, "/resume/pull"),
        ({"resume": {"webhook": "http://example.com/hook"}}, "/resume/webhook"),
        ({"approved": True}, "/approved"),
        ({"a/b~c": 1}, "/a~1b~0c"),
    ],
)
async def test_a_bad_approval_is_422_with_a_pointer_and_nothing_is_stored(
    site: Site, change: dict[str, Any], pointer: str
) -> None:
    reply = await site.call("POST", "/v1/approvals", approval(**change))

    assert (reply.status, reply.code) == (422, "invalid")
    assert pointer in reply.pointers
    assert all(fault["message"] for fault in reply.json["errors"])
    assert not await site.parts.store.list_pending(tenant="default")


_OPTION = {"id": "a", "label": "A"}


@pytest.mark.parametrize(
    ("question", "pointer"),
    [
        ({"id": ""}, "/questions/0/id"),
        ({"prompt": "x" * 3001}, "/questions/0/prompt"),
        ({"prompt": " "}, "/questions/0/prompt"),
        ({"options": []}, "/questions/0/options"),
        ({"options": [_OPTION, {"id": "a", "label": "B"}]}, "/questions/0"),
        ({"options": [_OPTION, {"id": "b", "label": "A"}]}, "/questions/0"),
        ({"options": [{"id": "a", "label": "x" * 301}]}, "/questions/0/options/0/label"),
        ({"options": [{"id": "a", "label": "A", "style": "danger"}]}, "/questions/0/options/0/style"),
        ({"options": [_OPTION], "default": "b"}, "/questions/0"),
        ({"options": [_OPTION, {"id": "b", "label": "B"}], "default": ["a", "b"]}, "/questions/0"),
        ({"multiple": True}, "/questions/0"),
        ({"multiple": True, "default": [f"o{n}" for n in range(101)]}, "/questions/0/default"),
        ({"multiple": 1}, "/questions/0/multiple"),
        ({"options": [{"id": f"o{n}", "label": f"L{n}"} for n in range(1001)]}, "/questions/0/options"),
    ],
)
async def test_a_bad_question_is_422_with_a_pointer_and_nothing_is_stored(
    site: Site, question: dict[str, Any], pointer: str
) -> None:
    asked = {"id": "q", "prompt": "Why?", **question}
    reply = await site.call("POST", "/v1/questions", questions(questions=[asked]))

    assert (reply.status, reply.code) == (422, "invalid")
    assert pointer in reply.pointers
    assert not await site.parts.store.list_pending(tenant="default")


@pytest.mark.parametrize(
    "change",
    [
        {"questions": []},
        {"questions": [{"id": f"q{n}", "prompt": "Why?"} for n in range(21)]},
        {"questions": [{"id": "q", "prompt": "Why?"}, {"id": "q", "prompt": "How?"}]},
        {"respondents": {"users": []}},
        {"requested_by": "U0ANA"},
    ],
)
async def test_a_bad_set_of_questions_is_422(site: Site, change: dict[str, Any]) -> None:
    reply = await site.call("POST", "/v1/questions", questions(**change))

    assert (reply.status, reply.code) == (422, "invalid")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"conversation_id": None}, "/conversation_id"),
        ({"redact": []}, "/redact"),
    ],
)
async def test_what_later_work_brings_is_422_not_yet(site: Site, change: dict[str, Any], pointer: str) -> None:
    reply = await site.call("POST", "/v1/approvals", approval(**change))

    assert (reply.status, reply.code) == (422, "not_yet")
    assert pointer in reply.pointers


async def test_later_names_inside_the_input_are_the_senders_own(site: Site) -> None:
    reply = await site.call("POST", "/v1/approvals", approval(input={"policy": "p", "keys": {"details": 1}}))

    assert reply.status == 201


async def test_a_thousand_options_and_twenty_questions_may_be_asked(site: Site) -> None:
    options = [{"id": f"o{n}", "label": f"Option {n}"} for n in range(1000)]
    asked = [{"id": f"q{n}", "prompt": "Why?"} for n in range(19)]
    body = questions(questions=[{"id": "q", "prompt": "Which?", "options": options}, *asked])
    reply = await site.call("POST", "/v1/questions", body)

    assert reply.status == 201
    assert len(reply.json["questions"][0]["options"]) == 1000


async def test_a_webhook_and_a_handler_are_kept_as_how_the_run_is_told(site: Site) -> None:
    hook = await site.call("POST", "/v1/approvals", approval(resume={"webhook": "https://example.com/hook"}))
    handler = await site.call("POST", "/v1/approvals", approval(operation_id="h", resume={"handler": "deploy"}))

    assert hook.json["resume"] == {"kind": "webhook", "wakes": 0, "last_error": None, "stuck": False}
    assert handler.json["resume"]["kind"] == "handler"


async def test_channels_named_twice_get_one_card(site: Site) -> None:
    reply = await site.call("POST", "/v1/approvals", approval(channels=["C0A", "C0B", "C0A"]))

    assert [posting["channel"] for posting in reply.json["postings"]] == ["C0A", "C0B"]
