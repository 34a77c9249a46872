"""`/signoff stop`: nothing of that tool starts until it goes on, and every card says who stopped it."""

import asyncio

import pytest

from blocks import ids
from store.types import Actor, ActorKind, Decision, Surface
from tests.e2e import handlers
from tests.e2e.house import ANA, CHIDI, DANA, DEPLOYS, GENERAL, has_buttons, place, plain
from tests.e2e.test_forms_and_lists import unanswered
from tests.e2e.test_waking import stick

WHY = "error rate of api doubled"


@pytest.fixture
async def here(database):
    async with place(database, SIGNOFF_OPERATORS=CHIDI, SIGNOFF_APP="tests.e2e.handlers") as found:
        yield found


async def typed(here, words, who=CHIDI):
    """What `/signoff …` is answered with."""
    person = here.slack.person(who)
    before = len(person.ephemerals(GENERAL))
    await person.command(GENERAL, "/signoff", words)
    await here.slack.wait_for(lambda _: len(person.ephemerals(GENERAL)) > before)
    return plain(person.ephemerals(GENERAL)[-1])


async def approved(here, **ask):
    asked = await here.ask(**ask)
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    await here.shows(card, "Approved")
    return asked, card


async def test_a_stopped_card_says_who_and_why_whether_it_waits_or_was_approved_and_goes_on(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    said = await typed(here, f"stop deploy.* {WHY}")
    assert said.startswith("Stopped: deploy.*. Other tools are not concerned.")
    line = await here.shows(card, f"Stopped by @{CHIDI} since ")
    assert plain(line).split("Nothing starts")[0].endswith(f": {WHY}. ")
    assert has_buttons(card)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    await here.shows(card, "Not started yet")
    assert f"Stopped by @{CHIDI}" in plain(card)
    refused = (await here.claim(asked, claim_id="c1")).json
    assert (refused["claimed"], refused["execute"], refused["stopped"]["reason"]) == (False, False, WHY)

    assert (await typed(here, "go deploy.*")).startswith("Goes on: deploy.*.")
    await here.slack.wait_for(lambda _: "Stopped" not in plain(card))
    assert (await here.claim(asked, claim_id="c1")).json["execute"]


async def test_a_handler_that_was_stopped_is_told_anew_and_was_never_stuck(here) -> None:
    await typed(here, "stop")
    asked, card = await approved(here, resume={"handler": "deploy"})
    await handlers.until(lambda: (asked["id"], False) in handlers.RAN)
    assert "Stopped by" in plain(card)

    await typed(here, "go")

    await handlers.until(lambda: (asked["id"], True) in handlers.RAN)
    await here.shows(card, "Done")
    assert not (await here.read(asked["id"]))["resume"]["stuck"]


async def test_what_is_stuck_while_it_is_stopped_is_shown_as_stopped_and_is_in_nobodys_list(here) -> None:
    asked, card = await approved(here, resume={"handler": "elsewhere"})
    await typed(here, f"stop deploy.release {WHY}")
    await here.shows(card, "Stopped by")
    painted = len(card.history)

    await stick(here, asked)
    assert (await here.read(asked["id"]))["resume"]["stuck"]
    await here.slack.wait_for(lambda _: len(card.history) > painted)
    listed = (await here.slack.person(CHIDI).command(GENERAL, "/pending", "all")).body

    assert "Stopped by" in plain(card)
    assert "nothing has started" not in plain(card)
    assert not has_buttons(card)
    assert "no run has picked this up" not in listed
    await typed(here, "go")
    await here.slack.wait_for(lambda _: "Stopped by" not in plain(card))
    assert not (await here.read(asked["id"]))["resume"]["stuck"]


async def test_what_already_runs_hears_it_in_the_answer_to_its_report(here) -> None:
    asked, card = await approved(here)
    await here.claim(asked, claim_id="c1")
    await here.shows(card, "Handed to")
    report = {"claim_id": "c1", "status": "running"}
    path = f"/v1/approvals/{asked['id']}/report"
    before = (await here.api("POST", path, report)).json["stopped"]

    await typed(here, "stop")

    assert before is None
    assert (await here.api("POST", path, report)).json["stopped"]["tool"] is None
    assert "Stopped" not in plain(card)


async def test_of_sixteen_claimants_none_executes_after_the_answer_to_the_stop(here) -> None:
    asked = [await here.ask(operation_id=f"op-{number}", run_id=f"run-{number}") for number in range(64)]
    for each in asked:
        await decide(here, each)
    waiting, executed, late = list(asked), [], []
    is_stopped, under_way = asyncio.Event(), asyncio.Event()

    async def claimant() -> None:
        while waiting:
            each, is_late = waiting.pop(), is_stopped.is_set()
            answer = (await here.claim(each, claim_id=each["id"])).json
            if answer["execute"]:
                executed.append(each["id"])
                under_way.set()
            if is_late:
                late.append(answer)

    claimants = [asyncio.create_task(claimant()) for _ in range(16)]
    await under_way.wait()
    assert "Stopped: everything" in await typed(here, "stop")
    is_stopped.set()
    # Whatever was refused is claimed again, by all of them.
    await asyncio.gather(*claimants)
    waiting += [each for each in asked if each["id"] not in executed]
    before = len(executed)
    await asyncio.gather(*(claimant() for _ in range(16)))

    assert waiting == []
    assert late
    assert len(executed) == before < len(asked)
    assert not any(answer["execute"] for answer in late)
    assert {answer["stopped"]["tool"] for answer in late} == {None}


async def decide(here, asked) -> None:
    done = await here.house.store.decide_approval(
        tenant="default",
        id=asked["id"],
        actor=Actor(kind=ActorKind.SLACK_USER, id=ANA),
        decision=Decision.ALLOW_ONCE,
        at=await here.house.store.now(),
        surface=Surface.CARD,
    )
    assert not done.already_resolved


async def test_only_operators_stop_and_let_go_on_and_see_what_is_stopped(here) -> None:
    asked = await here.ask()
    for words, may in (("stop", "stop tools"), ("go", "stop tools"), ("stops", "see what is stopped")):
        assert await typed(here, words, DANA) == f"You cannot {may}: only @{CHIDI} can. Nothing changed."
    await decide(here, asked)

    assert (await here.claim(asked)).json["execute"]


async def test_where_no_operators_are_set_the_refusal_says_so(database) -> None:
    async with place(database) as here:
        assert "no operators are set. SIGNOFF_OPERATORS names them" in await typed(here, "stop")


async def test_what_is_typed_is_answered_with_what_holds(here) -> None:
    assert await typed(here, "stops") == "Nothing is stopped."
    assert await typed(here, "go") == "Nothing was stopped. Nothing changed."
    everything = await typed(here, f"stop ALL {WHY}")
    assert everything.startswith("Stopped: everything. Nothing starts any more.")
    assert (await typed(here, "stop *")).startswith(f"Already stopped: everything by @{CHIDI} since ")
    assert (await typed(here, 'stop "mail the board" not  today')).startswith("Stopped: mail the board.")
    assert "300 characters" in await typed(here, f"stop pay {'why ' * 100}")
    held = await typed(here, "stops")
    assert [line.split(" since ")[0] for line in held.split("\n")[1:]] == [
        f"• everything by @{CHIDI}",
        f"• mail the board by @{CHIDI}",
    ]
    assert f": {WHY}" in held
    assert held.endswith(": not today")
    assert (await typed(here, "go pay")).startswith("No stop has the name pay. Nothing changed.\nStill stopped:")
    assert (await typed(here, "go `mail the board`")).startswith("Goes on: mail the board.")
    assert (await typed(here, "go")).startswith("Goes on: everything.")
    assert await typed(here, "stops") == "Nothing is stopped."


async def test_lists_say_what_is_stopped_too(here) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)
    ana, dana = here.slack.person(ANA), here.slack.person(DANA)
    await typed(here, "stop deploy.*")

    listed = (await ana.command(GENERAL, "/pending")).body
    await decide(here, asked)
    await dana.open_home()

    assert "stopped" in listed
    await here.slack.wait_for(lambda _: dana.home and "'stopped'" in str(dana.home.content))
    await typed(here, "go")
    await dana.open_home()
    await here.slack.wait_for(lambda _: "'stopped'" not in str(dana.home.content))


async def test_a_stop_that_was_not_confirmed_is_not_called_undone(here) -> None:
    here.house.store.add_stop = unanswered

    assert await typed(here, "stop") == "We could not confirm that. /signoff stops shows what is stopped."
