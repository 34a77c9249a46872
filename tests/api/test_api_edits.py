"""What an approver changed, over HTTP: claiming it, and the world that is asked about again at the claim."""

from typing import Any

from bot.api import shapes
from bot.people import Person
from store.digest import action_digest
from store.outcomes import Decided
from store.types import Approval, Installation
from tests.api.site import Reply, Site, approval
from tests.clock import START

SCHEMA = {"type": "object", "required": ["tag"], "properties": {"tag": {"pattern": "^v[0-9.]+$"}, "env": {}}}
ANA = Person(user_id="U0ANA")
INSTALLATION = Installation(
    tenant="default",
    team_id="T0HOME",
    enterprise_id=None,
    app_id=None,
    bot_user_id="U0BOT",
    bot_id=None,
    team_name="Home",
    team_url=None,
    bound_at=START,
)


async def ask(site: Site, **more: Any) -> dict[str, Any]:
    reply = await site.call("POST", "/v1/approvals", approval(**more))
    assert reply.status == 201, reply.raw
    found: dict[str, Any] = reply.json
    return found


async def approved(site: Site, **more: Any) -> dict[str, Any]:
    asked = await ask(site, **more)
    found = await site.parts.store.find_approval(tenant="default", id=asked["id"])
    assert isinstance(found, Approval)
    await site.parts.decide(found)
    return asked


async def edited(site: Site) -> dict[str, Any]:
    """Approved with another tag than was asked for."""
    await bind(site)
    asked = await ask(site, input_schema=SCHEMA)
    outcome = await site.parts.service.approve_edited(
        tenant="default", id=asked["id"], person=ANA, input_json='{"tag":"v1.5"}', at=site.parts.clock.now()
    )
    assert isinstance(outcome, Decided), outcome
    return asked


async def bind(site: Site) -> None:
    await site.parts.store.bind_installation(installation=INSTALLATION)


async def claim(site: Site, asked: dict[str, Any], **more: Any) -> Reply:
    body = {"digest": asked["digest"], **more}
    return await site.call("POST", f"/v1/approvals/{asked['id']}/claim", body)


async def test_an_edited_input_is_shown_beside_the_one_that_was_asked(site: Site) -> None:
    asked = await edited(site)
    found = (await site.call("GET", f"/v1/interactions/{asked['id']}")).json

    shapes.Approval.model_validate(found)
    assert found["input"] == {"tag": "v1.4", "env": "production"}
    assert found["digest"] == asked["digest"]
    digest = action_digest(title="Deploy v1.4", body=None, tool_name="deploy", input_json='{"tag":"v1.5"}')
    assert found["edited"] == {"input": {"tag": "v1.5"}, "digest": digest}


async def test_a_claim_with_the_asked_digest_is_409_and_says_what_was_approved(site: Site) -> None:
    asked = await edited(site)
    wrong = await claim(site, asked)
    now = wrong.json["approval"]
    right = (await claim(site, {**asked, "digest": now["edited"]["digest"]}, claim_id="one")).json

    assert (wrong.status, wrong.code) == (409, "digest_mismatch")
    shapes.Approval.model_validate(now)
    assert wrong.json["expected"] == now["edited"]["digest"]
    assert now["claimed_at"] is None
    assert (right["execute"], right["input"]) == (True, {"tag": "v1.5"})


async def test_whoever_takes_edits_claims_with_either_digest_and_gets_the_edited_input(site: Site) -> None:
    asked = await edited(site)
    claimed = (await claim(site, asked, accept_edited=True)).json

    assert (claimed["execute"], claimed["input"]) == (True, {"tag": "v1.5"})
    assert claimed["approval"]["input"] == asked["input"]


async def test_any_other_digest_is_409_also_where_edits_are_taken(site: Site) -> None:
    wrong = await claim(site, {**await edited(site), "digest": "0" * 64}, accept_edited=True)

    assert (wrong.status, wrong.code) == (409, "digest_mismatch")


async def test_in_a_changed_world_a_claim_runs_nothing_and_the_ask_can_be_made_anew(site: Site) -> None:
    asked = await approved(site, revalidate="rev-1")
    claimed = (await claim(site, asked, claim_id="one", revalidate="rev-2")).json
    again = (await claim(site, asked, claim_id="one", revalidate="rev-2")).json
    other = (await claim(site, asked, claim_id="two", revalidate="rev-1")).json
    anew = approval(operation_id="anew", supersedes=asked["id"], revalidate="rev-2")
    reply = await site.call("POST", "/v1/approvals", anew)

    shapes.Claimed.model_validate(claimed)
    for each in (claimed, again):
        assert (each["claimed"], each["execute"], each["changed"], each["input"]) == (True, False, True, None)
    assert (other["claimed"], other["execute"]) == (False, False)
    assert (reply.status, reply.json["supersedes"]) == (201, asked["id"])


async def test_in_the_same_world_it_runs_and_without_a_word_on_it_it_does_not(site: Site) -> None:
    same = (await claim(site, await approved(site, revalidate="rev-1"), revalidate="rev-1")).json
    silent = (await claim(site, await approved(site, operation_id="two", revalidate="rev-1"))).json
    unasked = (await claim(site, await approved(site, operation_id="three"), revalidate="rev-1")).json

    assert (same["execute"], same["changed"]) == (True, False)
    assert (silent["execute"], silent["changed"]) == (False, True)
    assert (unasked["execute"], unasked["changed"]) == (True, False)


async def test_after_run_within_a_claim_runs_nothing(site: Site) -> None:
    early = await approved(site, operation_id="early", run_within=60)
    late = await approved(site, operation_id="late", run_within=60)
    site.parts.clock.advance(59)
    assert (await claim(site, early)).json["execute"] is True
    site.parts.clock.advance(1)
    claimed = (await claim(site, late)).json

    assert (claimed["claimed"], claimed["execute"], claimed["input"]) == (True, False, None)
