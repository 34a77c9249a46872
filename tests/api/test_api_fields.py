"""The fields that an ask says more with: kept, shown, and each of their limits, at it and one beyond."""

from typing import Any

import pytest

from bot.api import asking, schemas
from bot.api.body import parse
from bot.asks import to_approval, to_question_set
from bot.policies import alone
from store.types import Key, Scope
from tests.api.site import Site, approval, questions
from tests.clock import START

MONTH = 2_592_000
HOURS = {"start": "09:00", "end": "18:00", "zone": "Europe/Berlin"}
KEY = Key(tenant="default", id="key_1", name="ci-bot", scopes=frozenset({Scope.ASK}), created_at=START)


async def test_what_an_ask_says_more_comes_back(site: Site) -> None:
    said = {
        "details": "+ aws_instance.web\n- aws_instance.old",
        "facts": [{"label": "Version", "value": "1.4.2"}, {"label": "Zones", "value": "3"}],
        "links": [{"label": "Plan", "url": "https://ci.example.com/812?x=1#plan"}],
    }
    plain = (await site.call("POST", "/v1/approvals", approval())).json
    found = (await site.call("POST", "/v1/approvals", approval(operation_id="two", **said))).json

    assert {name: found[name] for name in said} == said
    assert (plain["details"], plain["facts"], plain["links"], plain["edited"]) == (None, [], [], None)
    assert found["digest"] != plain["digest"]


async def test_details_are_inside_the_digest_and_facts_and_links_are_not(site: Site) -> None:
    async def digest(name: str, **more: Any) -> str:
        return str((await site.call("POST", "/v1/approvals", approval(operation_id=name, **more))).json["digest"])

    plain = await digest("a")

    assert await digest("b", facts=[{"label": "a", "value": "b"}]) == plain
    assert await digest("c", links=[{"label": "a", "url": "https://example.com"}]) == plain
    assert await digest("d", on_expiry="deny", run_within=60, reminders={"after": 60}, revalidate="x") == plain
    assert await digest("e", details="x") != plain


@pytest.mark.parametrize(
    "change",
    [
        {"facts": [{"label": "x", "value": "y"}]},
        {"links": [{"label": "x", "url": "https://example.com"}]},
        {"details": "x"},
        {"input_schema": {}},
        {"input_schema": {"type": "object"}},
        {"revalidate": "x"},
        {"run_within": 60},
        {"reminders": {"after": 60}},
        {"on_expiry": "deny"},
        {"escalation": [{"after": 60, "users": ["U0BEN"]}]},
        {"approvers": {"users": ["U0ANA"], "keys": ["judge"]}},
        {"approvers": {"users": ["U0ANA", "U0BEN"]}},
        {"approvers": {"users": ["U0ANA"], "require_reason": True}},
    ],
)
async def test_the_same_operation_with_more_said_is_a_conflict(site: Site, change: dict[str, Any]) -> None:
    first = (await site.call("POST", "/v1/approvals", approval())).json
    other = await site.call("POST", "/v1/approvals", approval(**change))

    assert (other.status, other.code, other.json["id"]) == (409, "conflict", first["id"])


def escalation(count: int) -> list[dict[str, Any]]:
    return [{"after": 60 + n, "users": ["U0BEN"]} for n in range(count)]


AT_THE_LIMIT: list[dict[str, Any]] = [
    {"details": "é" * 32_768},
    {"facts": [{"label": "x" * 60, "value": "y" * 140}] * 4},
    {"links": [{"label": "x" * 60, "url": "https://e.com/" + "x" * 1986}] * 5},
    {"links": [{"label": "x", "url": "http://[::1]:8080/x"}]},
    {"links": [{"label": "x", "url": "https://xn--bcher-kva.example/K%C3%B6ln"}]},
    {"run_within": 1},
    {"run_within": MONTH},
    {"revalidate": "x" * 500},
    {"reminders": {"after": 60, "most": 1}},
    {"reminders": {"after": MONTH, "most": 10, "hours": {**HOURS, "days": [6, 0, 6]}}},
    {"escalation": escalation(5)},
    {"escalation": [{"after": 1, "groups": ["S0A"]}, {"after": MONTH, "users": ["U0A"]}]},
    {"approvers": {"users": [f"U{n:03}" for n in range(20)], "quorum": 20, "denials": 20}},
    {"approvers": {"keys": [f"k{n}" for n in range(20)]}},
    {"approvers": {"groups": ["S0A"], "quorum": 20}},
    {"input_schema": {"description": "x" * 65_000}},
    {"policy": None},
]


@pytest.mark.parametrize("change", AT_THE_LIMIT, ids=lambda change: str(change)[:50])
def test_at_its_limit_a_field_is_taken(change: dict[str, Any]) -> None:
    parse(schemas.ApprovalIn, approval(**change))


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"details": "é" * 32_768 + "x"}, "/details"),
        ({"details": " "}, "/details"),
        ({"facts": [{"label": "x", "value": "y"}] * 5}, "/facts"),
        ({"facts": [{"label": "x" * 61, "value": "y"}]}, "/facts/0/label"),
        ({"facts": [{"label": "x", "value": "y" * 141}]}, "/facts/0/value"),
        ({"facts": [{"label": " ", "value": "y"}]}, "/facts/0/label"),
        ({"facts": [{"label": "x", "value": 5}]}, "/facts/0/value"),
        ({"facts": [{"label": "x", "value": "y", "color": "red"}]}, "/facts/0/color"),
        ({"links": [{"label": "x", "url": "https://e.com"}] * 6}, "/links"),
        ({"links": [{"label": "x" * 61, "url": "https://e.com"}]}, "/links/0/label"),
        ({"links": [{"label": "x", "url": "https://e.com/" + "x" * 1987}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "javascript:alert(1)"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "ftp://e.com"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "https:///x"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "https://bank.example@evil.example/"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "https://evil.example\\.bank.example/"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "https://bücher.example/"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "https://e.com/a b"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "https://e.com:99999/"}]}, "/links/0/url"),
        ({"links": [{"label": "x", "url": "https://[::1"}]}, "/links/0/url"),
        ({"run_within": 0}, "/run_within"),
        ({"run_within": MONTH + 1}, "/run_within"),
        ({"run_within": None}, "/run_within"),
        ({"run_within": True}, "/run_within"),
        ({"revalidate": ""}, "/revalidate"),
        ({"revalidate": "x" * 501}, "/revalidate"),
        ({"revalidate": "a\nb"}, "/revalidate"),
        ({"on_expiry": "approve"}, "/on_expiry"),
        ({"reminders": {}}, "/reminders/after"),
        ({"reminders": {"after": 59}}, "/reminders/after"),
        ({"reminders": {"after": MONTH + 1}}, "/reminders/after"),
        ({"reminders": {"after": 60, "most": 0}}, "/reminders/most"),
        ({"reminders": {"after": 60, "most": 11}}, "/reminders/most"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "zone": "Mars/Olympus"}}}, "/reminders/hours/zone"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "zone": "../../etc/passwd"}}}, "/reminders/hours/zone"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "end": "09:00"}}}, "/reminders/hours"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "start": "9:00"}}}, "/reminders/hours/start"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "end": "24:00"}}}, "/reminders/hours/end"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "days": []}}}, "/reminders/hours/days"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "days": [7]}}}, "/reminders/hours/days/0"),
        ({"reminders": {"after": 60, "hours": {**HOURS, "days": [0] * 8}}}, "/reminders/hours/days"),
        ({"escalation": escalation(6)}, "/escalation"),
        ({"escalation": [*escalation(2), {"after": 61, "users": ["U0A"]}]}, ""),
        ({"escalation": [{"after": 0, "users": ["U0A"]}]}, "/escalation/0/after"),
        ({"escalation": [{"after": MONTH + 1, "users": ["U0A"]}]}, "/escalation/0/after"),
        ({"escalation": [{"after": 60}]}, "/escalation/0"),
        ({"escalation": [{"after": 60, "keys": ["judge"]}]}, "/escalation/0/keys"),
        ({"approvers": {"users": ["U0A"], "quorum": 0}}, "/approvers/quorum"),
        ({"approvers": {"groups": ["S0A"], "quorum": 21}}, "/approvers/quorum"),
        ({"approvers": {"users": ["U0A"], "quorum": 2}}, "/approvers"),
        ({"approvers": {"users": ["U0A", "U0A"], "quorum": 2}}, "/approvers"),
        ({"approvers": {"users": ["U0A"], "denials": 0}}, "/approvers/denials"),
        ({"approvers": {"users": ["U0A"], "denials": 21}}, "/approvers/denials"),
        ({"approvers": {"keys": [f"k{n}" for n in range(21)]}}, "/approvers/keys"),
        ({"approvers": {"keys": [""]}}, "/approvers/keys/0"),
        ({"policy": ""}, "/policy"),
        ({"policy": "x" * 201}, "/policy"),
        ({"input_schema": {"description": "x" * 65_536}}, "/input_schema"),
        ({"input_schema": {"type": 5}}, "/input_schema"),
        ({"input_schema": {"$ref": "https://example.com/schema.json"}}, "/input_schema"),
        ({"input_schema": {"properties": {"next": {"$ref": "#"}}}}, "/input_schema"),
        ({"input_schema": True}, "/input_schema"),
        ({"input_schema": {"required": ["nope"]}}, ""),
        ({"tool_name": None, "input": None, "input_schema": {}}, ""),
    ],
    ids=lambda value: str(value)[:50],
)
async def test_beyond_its_limit_a_field_is_422_with_a_pointer_and_nothing_is_stored(
    site: Site, change: dict[str, Any], pointer: str
) -> None:
    reply = await site.call("POST", "/v1/approvals", approval(**change))

    assert (reply.status, reply.code) == (422, "invalid")
    assert pointer in reply.pointers
    assert not await site.parts.store.list_pending(tenant="default")


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("claim", {"digest": "d", "accept_edited": 1}, "/accept_edited"),
        ("claim", {"digest": "d", "revalidate": "x" * 501}, "/revalidate"),
        ("claim", {"digest": "d", "fingerprint": "x"}, "/fingerprint"),
        ("settle", {}, "/happened"),
        ("settle", {"happened": 1}, "/happened"),
        ("settle", {"happened": True, "why": "x"}, "/why"),
    ],
)
async def test_beyond_its_limit_what_is_said_later_is_422(
    site: Site, path: str, body: dict[str, Any], pointer: str
) -> None:
    asked = (await site.call("POST", "/v1/approvals", approval())).json
    reply = await site.call("POST", f"/v1/approvals/{asked['id']}/{path}", body)

    assert (reply.status, reply.code, reply.pointers) == (422, "invalid", [pointer])


async def test_nothing_is_fetched_for_a_schema(site: Site) -> None:
    """The address is of this very server: it counts what it is asked."""
    before = (await site.raw("GET", "/metrics")).raw.count(b'route="/healthz"')
    reply = await site.call("POST", "/v1/approvals", approval(input_schema={"$ref": f"{site.base}/healthz"}))
    after = (await site.raw("GET", "/metrics")).raw.count(b'route="/healthz"')

    assert reply.status == 422
    assert "is not part of the schema" in reply.json["errors"][0]["message"]
    assert (before, after) == (0, 0)


def request_digest(body: dict[str, Any]) -> str:
    """As an ask with approvers of its own comes to be compared."""
    door = asking.Door(webhook_problem=lambda _: None)
    if "questions" in body:
        question = asking.questions(parse(schemas.QuestionsIn, body), door=door)
        assert question.approvers is not None
        ruled = alone(question, question.approvers)
        return to_question_set(question, ruled=ruled, key=KEY, id="qst_1", now=START).request_digest
    ask = asking.approval(parse(schemas.ApprovalIn, body), door=door)
    assert ask.approvers is not None
    return to_approval(ask, ruled=alone(ask, ask.approvers), key=KEY, id="apr_1", now=START).request_digest


def test_asks_that_say_nothing_new_are_compared_as_they_always_were() -> None:
    """A run that crashed before the update asks again after it: another digest would be a conflict for ever."""
    assert request_digest(approval()) == "a6fe04a3c45fdc297d77cd97307c3561032cc2d5f240e246902117aeca36d239"
    assert request_digest(questions()) == "6c1f3d0632b82e83f47bc8b4d907c14f713f53cd9485ed947d5e232bc3c007cf"
