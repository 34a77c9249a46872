"""GET /v1/directory on a real server before a sandbox: what it answers, and what it says where Slack does not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from bot.slack.client import SlackClient, open_session
from bot.slack.directory_names import SlackNames
from sandbox.model import Usergroup
from sandbox.scopes import DEFAULT
from sandbox.seed import ANA, DANA, DEPLOYS, ONCALL, TEAM_ID
from sandbox.server import Sandbox
from store.types import Scope
from tests.api.site import Reply, Site, open_site
from tests.parts import open_parts


@asynccontextmanager
async def before(slack: Sandbox, **more: Any) -> AsyncIterator[Site]:
    async with open_parts("memory://") as parts, open_session() as session:
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        names = SlackNames(client=client, clock=parts.clock, tenant="default", team=TEAM_ID, **more)
        async with open_site(parts, names=names) as site:
            yield site
        await names.close()


@pytest.fixture
async def slack() -> AsyncIterator[Sandbox]:
    async with Sandbox() as found:
        yield found


@pytest.fixture
async def site(slack: Sandbox) -> AsyncIterator[Site]:
    async with before(slack) as running:
        yield running


async def look(site: Site, text: str, **more: Any) -> Reply:
    return await site.raw(
        "GET", "/v1/directory", params={"q": text}, headers={"Authorization": f"Bearer {site.token}"}, **more
    )


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("#deploys", {"id": DEPLOYS, "kind": "channel", "name": "deploys", "label": "#deploys"}),
        ("@Ana Ruiz", {"id": ANA, "kind": "user", "name": "Ana Ruiz", "label": "Ana Ruiz"}),
        ("ana@acme.example", {"id": ANA, "kind": "user", "name": "ana", "label": "Ana Ruiz"}),
        ("oncall-leads", {"id": ONCALL, "kind": "group", "name": "oncall-leads", "label": "On-call leads"}),
    ],
)
async def test_the_one_that_is_meant_comes_alone(site: Site, text: str, match: dict[str, str]) -> None:
    reply = await look(site, text)

    assert (reply.status, reply.json) == (200, {"matches": [match], "exact": True})


async def test_of_those_that_are_like_it_three_come(site: Site, slack: Sandbox) -> None:
    for place in range(5):
        made = Usergroup(id=f"S07NEAR000{place}", handle=f"oncall-{place}", name="Near", users=())
        slack.workspace.usergroups[made.id] = made
    reply = await look(site, "@oncall")

    assert reply.json["exact"] is False
    assert len(reply.json["matches"]) == 3
    assert {each["kind"] for each in reply.json["matches"]} == {"group"}


async def test_a_name_steers_no_terminal(site: Site, slack: Sandbox) -> None:
    slack.workspace.users[DANA] = replace(slack.workspace.users[DANA], real_name="dana\x1b[2J\u202e\nx")
    reply = await look(site, "@danas")

    said = "".join(each["name"] + each["label"] for each in reply.json["matches"])
    assert DANA in {each["id"] for each in reply.json["matches"]}
    assert not {"\x1b", "\u202e", "\n"} & set(said)


@pytest.mark.parametrize("query", ["", "?q=", "?q=%20", f"?q={'a' * 201}", "?q=a&q=b", "?q=a&x=1", "?q=%00"])
async def test_a_name_is_one_text_of_some_length(site: Site, query: str) -> None:
    reply = await site.call("GET", f"/v1/directory{query}")

    assert (reply.status, reply.code) == (422, "invalid")


async def test_it_takes_the_scope_read(site: Site) -> None:
    _, token = await site.parts.key(Scope.ASK, name="asker")
    reply = await site.call("GET", "/v1/directory?q=ana", token=token)

    assert (reply.status, reply.code, reply.json["scope"]) == (403, "scope", "read")


async def test_another_tenants_key_finds_nobody(site: Site) -> None:
    _, token = await site.parts.key(tenant="other")
    reply = await site.call("GET", f"/v1/directory?q={ANA}", token=token)

    assert reply.json == {"matches": [], "exact": False}


async def test_a_scope_that_the_app_lacks_is_named() -> None:
    async with Sandbox(scopes=DEFAULT - {"groups:read"}) as slack, before(slack) as site:
        reply = await look(site, "#deploys")

    assert (reply.status, reply.code, reply.json["scope"]) == (422, "slack_scope", "groups:read")
    assert "the scope groups:read. Update its manifest" in reply.json["detail"]


@pytest.mark.parametrize(
    ("fault", "seconds"), [({"status": 500}, "5"), ({"down": True}, "5"), ({"status": 429, "retry_after": 30}, "30")]
)
async def test_a_slack_that_does_not_answer_is_asked_later(
    site: Site, slack: Sandbox, fault: dict[str, Any], seconds: str
) -> None:
    slack.faults.add("users.list", **fault)
    reply = await look(site, "@ana")

    assert (reply.status, reply.code, reply.headers["Retry-After"]) == (503, "slack_unavailable", seconds)


async def test_more_than_are_looked_through_is_said(slack: Sandbox) -> None:
    async with before(slack, page=1, pages=2) as site:
        reply = await look(site, "@ana")

    assert (reply.status, reply.code, reply.pointers) == (422, "invalid", ["/q"])
    assert "more people than are looked through" in reply.json["errors"][0]["message"]


async def test_a_server_without_slack_says_so() -> None:
    async with open_parts("memory://") as parts, open_site(parts) as site:
        reply = await look(site, "@ana")

    assert (reply.status, reply.code) == (503, "slack_unavailable")
