"""POST ?dry_run=1: the whole house says what an ask would come to, and keeps nothing of it."""

import asyncio
import sqlite3
from typing import Any

import asyncpg
import pytest

from bot.api import shapes
from bot.console import Wanted, create_key
from store.types import Actor, ActorKind, Approvers, Destination, Policy
from tests.e2e.house import (
    ANA,
    ARCHIVED,
    BEN,
    CHIDI,
    DANA,
    DEPLOY,
    DEPLOYS,
    GONE,
    GUEST,
    NOT_A_MEMBER,
    ONCALL,
    REGIONS,
    REPORTS,
    Place,
    place,
)

READS = {"auth.test", "users.info", "usergroups.users.list", "conversations.info"}


async def everything(database: str) -> dict[str, list[Any]]:
    """Every row of every table."""
    if database.startswith("sqlite:///"):
        with sqlite3.connect(database.removeprefix("sqlite:///")) as open_:
            names = [name for (name,) in open_.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: sorted(map(repr, open_.execute(f"SELECT * FROM {name}"))) for name in names}
    connection = await asyncpg.connect(database)
    try:
        found = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        names = [row["tablename"] for row in found]
        return {name: sorted(map(repr, await connection.fetch(f"SELECT * FROM {name}"))) for name in names}
    finally:
        await connection.close()


async def dry(here: Place, path: str, body: dict[str, Any], *, token: str | None = None) -> dict[str, Any]:
    reply = await here.api("POST", f"{path}?dry_run=1", body, token=token)
    assert reply.status == 200, reply
    shapes.Previewed.model_validate(reply.json)
    return dict(reply.json)


async def dry_approval(here: Place, **changes: Any) -> dict[str, Any]:
    return await dry(here, "/v1/approvals", {**DEPLOY, **changes})


def codes(found: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in found["warnings"]]


@pytest.fixture
async def small(tmp_path):
    """On SQLite alone, where what is asked does not hang on the database."""
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


async def test_nothing_is_stored_and_nothing_is_posted(here, database) -> None:
    asked = await here.ask(run_id="before")
    async with asyncio.timeout(10):
        while (await here.read(asked["id"]))["postings"][0]["state"] != "posted":
            pass
    before, calls = await everything(database), len(here.slack.calls)
    assert len(before) > 8
    found = await dry_approval(here)
    await dry(here, "/v1/questions", REGIONS)
    await here.api("POST", "/v1/approvals?dry_run=1", {**DEPLOY, "run_id": "before", "title": "Other"})
    await here.api("POST", "/v1/approvals?dry_run=1", {**DEPLOY, "supersedes": "apr_none"})

    assert await everything(database) == before
    assert {call.method for call in here.slack.calls[calls:]} <= READS
    assert len(here.cards(DEPLOYS)) == 1
    assert (await here.api("GET", f"/v1/interactions?run_id={DEPLOY['run_id']}")).json["items"] == []
    assert found["asked_before"] is None


async def test_the_card_and_the_digest_are_those_of_the_ask(here) -> None:
    previewed = await dry_approval(here)
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    code = previewed_id(previewed)

    assert previewed["digest"] == asked["digest"]
    assert previewed["operation_id"] == asked["operation_id"]
    assert previewed["approvers"] == asked["approvers"]
    assert previewed["card"]["text"] == card.text
    assert same(previewed["card"]["blocks"], code) == same(card.blocks, asked["id"])


async def test_questions_are_drawn_too(here) -> None:
    previewed = await dry(here, "/v1/questions", REGIONS)
    await here.ask_question()
    card = await here.card(REPORTS)

    assert (previewed["kind"], previewed["digest"], previewed["expires_at"]) == ("question", None, None)
    assert previewed["card"]["text"] == card.text
    assert [block["type"] for block in previewed["card"]["blocks"]] == [block["type"] for block in card.blocks]
    assert [user["id"] for user in previewed["can_decide"]["users"]] == [ANA]


def previewed_id(found: dict[str, Any]) -> str:
    buttons = [block for block in found["card"]["blocks"] if block["type"] == "actions"]
    return next(
        part for part in repr(buttons).replace("'", " ").replace('"', " ").split() if part.startswith("apr_")
    ).partition("|")[0]


def same(blocks: Any, id: str) -> Any:
    """Without what every ask has of its own: its id, its instants."""
    text = repr(blocks).replace(id, "ID").replace(id[-5:], "CODE")
    return "".join(letter for letter in text if not letter.isdigit())


async def test_who_can_decide_is_told_by_name_with_their_groups_and_without_who_asked(small) -> None:
    found = await dry_approval(small, requested_by=BEN, approvers={"users": [ANA, DANA], "groups": [ONCALL]})

    assert found["can_decide"] == {
        "users": [
            {"id": ANA, "name": "Ana Ruiz", "groups": []},
            {"id": DANA, "name": "Dana Whitfield", "groups": []},
            {"id": CHIDI, "name": "Chidi Eze", "groups": [ONCALL]},
        ],
        "keys": [],
        "left_out": [{"id": BEN, "name": "Ben Okafor", "why": "requester"}],
        "complete": True,
    }
    assert found["warnings"] == []


async def test_where_only_who_asked_is_named_nobody_can_decide(small) -> None:
    found = await dry_approval(small, requested_by=ANA, approvers={"users": [ANA]})
    allowed = await dry_approval(small, requested_by=ANA, approvers={"users": [ANA], "allow_requester": True})

    assert codes(found) == ["nobody_can_decide"]
    assert f"{ANA} asked for it, and may not decide" in found["warnings"][0]["message"]
    assert codes(allowed) == []


async def test_who_answers_for_the_key_is_left_out_too(small) -> None:
    wanted = Wanted(
        tenant="default", name="danas", scopes="ask,read", any_approvers=True, expires=None, owner=DANA, both=False
    )
    token = await create_key(small.house.store, wanted)
    body = {**DEPLOY, "requested_by": BEN, "approvers": {"users": [DANA, ANA]}}
    found = await dry(small, "/v1/approvals", body, token=token)

    assert [user["id"] for user in found["can_decide"]["users"]] == [ANA]
    assert found["can_decide"]["left_out"][0]["id"] == DANA


@pytest.mark.parametrize(
    ("approvers", "expected"),
    [
        ({"users": [ANA, GUEST]}, ["no_member"]),
        ({"users": [GONE]}, ["no_member", "nobody_can_decide"]),
        ({"users": [ANA, GONE], "quorum": 2}, ["no_member", "too_few_can_decide"]),
        ({"users": [ANA, "U07NOSUCH99"]}, ["unknown_person"]),
        ({"groups": ["S07NOSUCH99"]}, ["group_unreadable", "nobody_can_decide"]),
        ({"users": [ANA], "keys": ["judge"]}, ["key_gone"]),
    ],
)
async def test_approvers_who_decide_nothing_are_warned_of(small, approvers, expected) -> None:
    assert codes(await dry_approval(small, approvers=approvers)) == expected


async def test_an_empty_group_is_warned_of(small) -> None:
    small.slack.workspace.usergroups[ONCALL] = small.slack.workspace.usergroups[ONCALL].__class__(
        id=ONCALL, handle="oncall-leads", name="On-call leads", users=()
    )
    found = await dry_approval(small, approvers={"groups": [ONCALL]})

    assert codes(found) == ["group_empty", "nobody_can_decide"]


async def test_a_key_that_decides_is_named_and_never_the_one_that_asks(small) -> None:
    wanted = Wanted(
        tenant="default", name="judge", scopes="decide", any_approvers=False, expires=None, owner=None, both=False
    )
    await create_key(small.house.store, wanted)
    found = await dry_approval(small, approvers={"keys": ["judge"]})

    assert (found["can_decide"]["keys"], codes(found)) == (["judge"], [])


async def test_places_are_told_with_whether_the_card_gets_there(small) -> None:
    found = await dry_approval(small, channels=[DEPLOYS, NOT_A_MEMBER, ARCHIVED, "C07NOSUCH99"], users=[DANA])

    assert [(each["id"], each["kind"], each["reachable"]) for each in found["places"]] == [
        (DEPLOYS, "channel", True),
        (NOT_A_MEMBER, "channel", False),
        (ARCHIVED, "channel", False),
        ("C07NOSUCH99", "channel", False),
        (DANA, "user", None),
    ]
    assert codes(found) == ["not_in_channel"] * 3


async def test_times_that_never_come_are_warned_of(small) -> None:
    hours = {"start": "09:00", "end": "17:00", "zone": "Pacific/Kiritimati", "days": [0]}
    late = await dry_approval(
        small,
        expires_in=600,
        reminders={"after": 600, "hours": hours},
        escalation=[{"after": 900, "users": [CHIDI]}],
    )
    fine = await dry_approval(
        small, expires_in=7200, reminders={"after": 600}, escalation=[{"after": 900, "users": [CHIDI]}]
    )

    assert codes(late)[:2] == ["no_reminder", "no_escalation"]
    assert codes(fine) == []


async def test_a_slack_that_is_down_leaves_unknown_what_it_would_say(small) -> None:
    for method in ("users.info", "usergroups.users.list", "conversations.info"):
        small.slack.faults.add(method, status=500)
    found = await dry_approval(small, approvers={"users": [CHIDI], "groups": [ONCALL]})

    assert found["can_decide"]["complete"] is False
    assert set(codes(found)) == {"unknown_person", "group_unreadable", "channels_unchecked"}
    assert found["places"][0]["reachable"] is None


async def test_errors_are_those_of_the_ask(small) -> None:
    asked = await small.ask()
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"title": ""}, 422, "invalid"),
        ({"title": "Other"}, 409, "conflict"),
        ({"run_id": "other", "supersedes": "apr_00000000000000000000000000"}, 404, "not_found"),
        ({"run_id": "other", "resume": {"webhook": "http://10.0.0.1/"}}, 422, "invalid"),
        ({"run_id": "other", "policy": "prod"}, 403, "policy"),
    ]
    for change, status, code in cases:
        body = {**DEPLOY, "operation_id": asked["operation_id"], **change}
        wet = await small.api("POST", "/v1/approvals", body)
        dry_ = await small.api("POST", "/v1/approvals?dry_run=1", body)
        assert (wet.status, wet.json["code"]) == (status, code), change
        assert dry_.json == wet.json


async def test_what_was_decided_cannot_be_superseded_dry_either(small) -> None:
    asked = await small.ask()
    await small.api("POST", f"/v1/interactions/{asked['id']}/withdraw", {})
    withdrawn = await dry_approval(small, run_id="next", supersedes=asked["id"])
    again = await small.ask(run_id="again")
    await small.ask(run_id="newer", supersedes=again["id"])
    reply = await small.api("POST", "/v1/approvals?dry_run=1", {**DEPLOY, "run_id": "late", "supersedes": again["id"]})

    assert withdrawn["asked_before"] is None
    assert (reply.status, reply.json["code"]) == (409, "resolved")


async def test_the_same_ask_again_says_which_it_is(small) -> None:
    asked = await small.ask()

    assert (await dry_approval(small))["asked_before"] == asked["id"]


async def test_under_a_policy_its_people_and_places_are_told(small) -> None:
    store = small.house.store
    policy = Policy(
        tenant="default",
        name="prod",
        revision=0,
        set_at=await store.now(),
        set_by=Actor(kind=ActorKind.OPERATOR),
        approvers=Approvers(users=(CHIDI,)),
        destination=Destination(channels=(REPORTS,)),
    )
    await store.set_policy(policy=policy)
    wanted = Wanted(
        tenant="default", name="bound", scopes="ask", any_approvers=False, policy="prod",
        expires=None, owner=None, both=False,
    )  # fmt: skip
    token = await create_key(store, wanted)
    body = {name: value for name, value in DEPLOY.items() if name not in {"approvers", "channels"}}
    found = await dry(small, "/v1/approvals", body, token=token)

    assert found["policy"] == {"name": "prod", "revision": 1}
    assert [each["id"] for each in found["places"]] == [REPORTS]
    assert [user["id"] for user in found["can_decide"]["users"]] == [CHIDI]


@pytest.mark.parametrize("query", ["dry_run=yes", "dry_run=", "dry_run=1&dry_run=0", "dryrun=1", "dry_run=1&wait=1"])
async def test_a_dry_run_that_is_misspelt_asks_nobody(small, query) -> None:
    reply = await small.api("POST", f"/v1/approvals?{query}", DEPLOY)

    assert (reply.status, reply.json["code"]) == (422, "invalid")
    assert (await small.api("GET", "/v1/interactions")).json["items"] == []


async def test_dry_run_0_asks(small) -> None:
    assert (await small.api("POST", "/v1/approvals?dry_run=0", DEPLOY)).status == 201
