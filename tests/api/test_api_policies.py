"""Asking under policies over HTTP: what holds, what is refused and why, and what a later revision changes."""

from datetime import timedelta
from typing import Any

import pytest

from bot.api import shapes
from store.types import Approvers, Destination, Escalation, Policy, Reminders, Scope, Terms
from tests.api.site import Reply, Site, approval, questions
from tests.policies import policy

ASKS = (Scope.ASK, Scope.READ)


def plain(**more: Any) -> dict[str, Any]:
    """An ask that leaves to its policy who decides and where."""
    sent = approval(**more)
    for name in ("approvers", "channels"):
        if name not in more:
            del sent[name]
    return sent


async def bound(site: Site, *policies: Policy, name: str = "bound") -> str:
    """The token of a key that asks under these."""
    for each in policies:
        await site.parts.store.set_policy(policy=each)
    names = tuple(each.name for each in policies)
    _, token = await site.parts.key(*ASKS, name=name, any_approvers=False, policies=names)
    return token


async def asks(site: Site, token: str, **more: Any) -> Reply:
    return await site.call("POST", "/v1/approvals", plain(**more), token=token)


async def test_an_ask_that_names_none_comes_under_the_first_policy_of_its_key(site: Site) -> None:
    token = await bound(site, policy(), policy(name="dev", destination=Destination(users=("U0ANA",))))
    first = (await asks(site, token)).json
    named = (await asks(site, token, operation_id="two", policy="dev")).json
    me = (await site.call("GET", "/v1/me", token=token)).json

    shapes.Approval.model_validate(first)
    assert first["policy"] == {"name": "prod", "revision": 1}
    assert first["approvers"]["users"] == ["U0ANA", "U0BEN"]
    assert [posting["channel"] for posting in first["postings"]] == ["C0PROD"]
    assert named["policy"] == {"name": "dev", "revision": 1}
    assert [posting["channel"] for posting in named["postings"]] == ["U0ANA"]
    assert me["policies"] == ["prod", "dev"]


async def test_cards_of_the_policy_go_out_whatever_the_ask_adds(site: Site) -> None:
    token = await bound(site, policy())
    found = (await asks(site, token, channels=["C0OWN", "C0PROD"], users=["U0EVE"])).json

    assert [posting["channel"] for posting in found["postings"]] == ["C0PROD", "C0OWN", "U0EVE"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"policy": "dev"}, "This key may not ask under the policy dev."),
        ({"policy": "gone"}, "There is no policy gone (any more)."),
        ({"approvers": {"users": ["U0ANA", "U0EVE"]}}, "Policy prod does not name U0EVE"),
        ({"approvers": {"users": ["U0ANA"], "keys": ["judge"]}}, "Policy prod does not name judge"),
        ({"approvers": {"groups": ["S0ALL"]}}, "Policy prod does not name S0ALL"),
        ({"approvers": {"users": ["U0ANA"]}}, "Policy prod takes 2 approvals, and the ask names fewer approvers."),
        ({"tool_name": "mail.send"}, "Policy prod is not for mail.send: it is for deploy*."),
        ({"tool_name": None, "input": None}, "Policy prod is not for confirmations: it is for deploy*."),
        (
            {"escalation": [{"after": 60, "users": ["U0EVE"]}]},
            "Policy prod says who decides, later too: leave escalation out.",
        ),
        ({"thread_ts": "1700000000.000100", "channels": ["C0OWN"]}, "Policy prod sends cards elsewhere, too"),
    ],
)
async def test_what_a_policy_does_not_allow_is_403_with_its_reason_and_nothing_is_stored(
    site: Site, change: dict[str, Any], reason: str
) -> None:
    rule = policy(approvers=Approvers(users=("U0ANA", "U0BEN"), quorum=2), tools=("deploy*",))
    gone = policy(name="gone")
    token = await bound(site, rule, gone)
    await site.parts.store.set_policy(policy=policy(name="gone", removed=True))
    await site.parts.store.set_policy(policy=policy(name="dev"))
    reply = await asks(site, token, **change)

    assert (reply.status, reply.code) == (403, "policy")
    assert reply.json["detail"].startswith(reason)
    assert not await site.parts.store.list_pending(tenant="default")


async def test_a_policy_without_places_leaves_them_to_the_ask(site: Site) -> None:
    token = await bound(site, policy(destination=Destination()))
    nowhere = await asks(site, token)
    somewhere = await asks(site, token, channels=["C0OWN"])

    assert (nowhere.status, nowhere.code) == (403, "policy")
    assert "sends cards nowhere: name channels or users" in nowhere.json["detail"]
    assert somewhere.status == 201


async def test_any_approvers_does_not_help_a_key_past_its_policy(site: Site) -> None:
    await site.parts.store.set_policy(policy=policy())
    _, token = await site.parts.key(*ASKS, name="both", any_approvers=True, policies=("prod",))
    reply = await asks(site, token, approvers={"users": ["U0EVE"]})

    assert (reply.status, reply.code) == (403, "policy")


async def test_an_ask_may_be_stricter_than_its_policy(site: Site) -> None:
    rule = policy(
        approvers=Approvers(users=("U0ANA", "U0BEN", "U0CEE"), denials=2, allow_requester=True),
        max_expires=timedelta(hours=4),
        terms=Terms(extension=timedelta(hours=9)),
    )
    token = await bound(site, rule)
    stricter = {"users": ["U0ANA", "U0BEN"], "quorum": 2, "require_reason": True}
    found = (await asks(site, token, approvers=stricter, expires_in=60, on_expiry="deny")).json

    assert found["approvers"] == {
        "users": ["U0ANA", "U0BEN"],
        "groups": [],
        "keys": [],
        "quorum": 2,
        "denials": 1,
        "allow_requester": False,
        "require_reason": True,
    }
    assert found["expires_at"] == "2026-11-30T12:01:00.000Z"


@pytest.mark.parametrize("given", [86_400, None, 2_592_000])
async def test_an_ask_waits_no_longer_than_its_policy_says(site: Site, given: int | None) -> None:
    token = await bound(site, policy(max_expires=timedelta(hours=4)))
    approved = (await asks(site, token, expires_in=given)).json
    body = questions()
    del body["respondents"], body["channels"]
    asked = (await site.call("POST", "/v1/questions", body, token=token)).json

    assert approved["expires_at"] == asked["expires_at"] == "2026-11-30T16:00:00.000Z"
    assert asked["policy"] == {"name": "prod", "revision": 1}


async def test_the_same_ask_again_after_its_policy_changed_is_the_same_and_the_next_comes_under_the_new_one(
    site: Site,
) -> None:
    token = await bound(site, policy())
    first = (await asks(site, token)).json
    await site.parts.store.set_policy(policy=policy(approvers=Approvers(users=("U0CEE",)), tools=("mail",)))
    refused = await asks(site, token, operation_id="two")
    await site.parts.store.set_policy(policy=policy(approvers=Approvers(users=("U0CEE",))))
    again = await asks(site, token)
    other = (await asks(site, token, operation_id="two")).json

    assert refused.status == 403
    assert (again.status, again.json) == (200, first)
    assert (other["policy"]["revision"], other["approvers"]["users"]) == (3, ["U0CEE"])


@pytest.mark.parametrize("removed", [False, True])
async def test_a_crashed_run_finds_its_ask_again_though_its_policy_would_refuse_it_now(
    site: Site, removed: bool
) -> None:
    """It was asked, and people may have decided: a run that cannot find it would be lost."""
    token = await bound(site, policy())
    first = (await asks(site, token)).json
    await site.parts.store.set_policy(policy=policy(tools=("mail",), removed=removed))
    again = await asks(site, token)

    assert (again.status, again.json) == (200, first)


async def test_what_a_policy_says_of_time_is_kept_with_the_ask(site: Site) -> None:
    steps = (Escalation(after=timedelta(minutes=1), users=("U0CEO",), groups=("S0LEADS",)),)
    said = Terms(escalation=steps, reminders=Reminders(after=timedelta(minutes=30)))
    token = await bound(site, policy(terms=said))
    asked = (await asks(site, token, reminders={"after": 9999})).json
    (stored,) = await site.parts.store.list_pending(tenant="default")
    await site.parts.store.ring_due(now=site.parts.clock.advance(60))
    read = (await site.call("GET", f"/v1/interactions/{asked['id']}")).json

    assert stored.terms.reminders == said.reminders
    assert asked["escalated"] == []
    assert read["escalated"] == [{"at": "2026-11-30T12:01:00.000Z", "users": ["U0CEO"], "groups": ["S0LEADS"]}]
    assert read["digest"] == asked["digest"]


async def test_without_a_policy_an_ask_has_to_name_who_decides_and_where(site: Site) -> None:
    reply = await site.call("POST", "/v1/approvals", plain())
    asked = questions()
    del asked["respondents"]
    question = await site.call("POST", "/v1/questions", asked)

    assert (reply.status, reply.code, reply.pointers) == (422, "invalid", ["/approvers", ""])
    assert (question.status, question.pointers) == (422, ["/respondents"])
