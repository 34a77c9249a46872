"""What people are called where they decide: as their click says, else as is remembered; nobody is asked for a name."""

from dataclasses import replace

import pytest

from blocks import approval as card
from blocks.surface import Paint
from bot.people import Person
from bot.service import Service
from store.types import Approvers, Decision, Installation, Surface
from tests.parts import NoGroups, open_parts

PERSON = Person(user_id="U0ANA", team_id="T1")


class Remembering(NoGroups):
    def remembered(self, *, tenant: str, user: str) -> str | None:
        return {"U0ANA": "Ana Ruiz\u202e"}.get(user)


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


def service(parts) -> Service:
    return Service(store=parts.store, clock=parts.clock, hub=parts.hub, directory=Remembering())


async def voted(parts, person, **more):
    key, _ = await parts.key(name="demo")
    asked = await parts.ask(key, **{"approvers": Approvers(users=("U0ANA", "U0BEN")), **more})
    outcome = await service(parts).decide(
        tenant="default",
        id=asked.id,
        person=person,
        decision=Decision.ALLOW_ONCE,
        at=parts.clock.now(),
        surface=Surface.CARD,
    )
    return outcome.approval


@pytest.mark.parametrize(
    ("person", "name"),
    [
        (replace(PERSON, name="ana"), "ana"),
        (PERSON, "Ana Ruiz⟦U+202E⟧"),
        (replace(PERSON, user_id="U0BEN"), ""),
        (replace(PERSON, name="a\nb\x00" + "c" * 100), f"a b⟦U+0000⟧{'c' * 68}…"),
    ],
)
async def test_a_decision_keeps_what_its_decider_was_called(parts, person, name) -> None:
    found = await voted(parts, person)

    assert (found.resolved_by.id, found.resolved_by.name) == (person.user_id, name)
    assert found.votes[0].actor == found.resolved_by


async def test_a_vote_taken_back_under_another_name_is_still_theirs(parts) -> None:
    two = Approvers(users=("U0ANA", "U0BEN"), quorum=2)
    found = await voted(parts, replace(PERSON, name="ana"), approvers=two)
    outcome = await service(parts).take_back(
        tenant="default",
        id=found.id,
        person=replace(PERSON, name="ana-ruiz"),
        at=parts.clock.now(),
        surface=Surface.CARD,
    )

    assert (outcome.taken_back, outcome.approval.votes) == (True, ())


async def test_a_person_who_is_called_as_a_key_does_not_hide_it(parts) -> None:
    both = Approvers(users=("U0ANA",), keys=("risk-engine",), quorum=2)
    found = await voted(parts, replace(PERSON, name="risk-engine"), approvers=both)

    shown = str(card.card(found, Paint(names={}, mention=False)).blocks)

    assert "key risk-engine" in shown
