"""Who answers for a key approves nothing that it asked, whoever it says it asked for."""

from dataclasses import replace

import pytest

from bot.people import Person
from bot.policy import OwnRequest
from store.outcomes import Decided
from store.types import Approvers, Decision, Installation, State, Surface
from tests.parts import ANA, Parts, open_parts

BOTH = Approvers(users=("U0ANA", "U0BEN"))


@pytest.fixture
async def parts():
    async with open_parts("memory://") as opened:
        home = Installation(
            tenant="default",
            team_id="T1",
            enterprise_id=None,
            app_id=None,
            bot_user_id="U0BOT",
            bot_id=None,
            team_name="Acme",
            team_url=None,
            bound_at=opened.clock.now(),
        )
        await opened.store.bind_installation(installation=home)
        yield opened


async def decided(parts: Parts, user: str, *, approvers: Approvers, requested_by: str | None):
    key, _ = await parts.key(name=f"key-{user}-{requested_by}-{approvers.allow_requester}")
    asked = await parts.ask(replace(key, owner=ANA.id), approvers=approvers, requested_by=requested_by)
    person = Person(user_id=user, team_id="T1")
    at = parts.clock.now()
    return await parts.service.decide(
        tenant="default", id=asked.id, person=person, decision=Decision.ALLOW_ONCE, at=at, surface=Surface.CARD
    )


@pytest.mark.parametrize("requested_by", [None, "U0DANA"])
async def test_the_owner_of_a_key_cannot_approve_what_it_asked_for_somebody_else(parts, requested_by) -> None:
    assert isinstance(await decided(parts, "U0ANA", approvers=BOTH, requested_by=requested_by), OwnRequest)

    others = await decided(parts, "U0BEN", approvers=BOTH, requested_by=requested_by)
    assert isinstance(others, Decided)
    assert others.approval.state is State.APPROVED


async def test_where_the_ask_allows_it_the_owner_may(parts) -> None:
    allowed = replace(BOTH, allow_requester=True)

    assert isinstance(await decided(parts, "U0ANA", approvers=allowed, requested_by="U0DANA"), Decided)
