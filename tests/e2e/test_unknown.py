"""A run that promised to report and did not: nobody knows, until an operator says what happened."""

from datetime import timedelta

import pytest

from blocks import ids
from sandbox.server import Sandbox
from tests.e2e.house import ANA, BEN, CHIDI, DANA, DEPLOY, DEPLOYS, GENERAL, has_buttons, place, plain
from tests.e2e.process import call, make_key, serving


@pytest.fixture
async def here(database):
    async with place(database, SIGNOFF_OPERATORS=f"{CHIDI},{BEN}") as found:
        yield found


async def silent(here, claim_id="c1", **ask):
    """Approved, claimed with a promise, and overdue."""
    asked = await here.ask(**ask)
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    await go_silent(here, asked, claim_id)
    await here.shows(card, "Did it happen?")
    return asked, card


async def go_silent(here, asked, claim_id) -> None:
    claimed = await here.claim(asked, claim_id=claim_id, worker="worker-3", report_within=1)
    assert claimed.json["execute"]
    later = await here.house.store.now() + timedelta(seconds=1.5)
    assert [each.id for each in await here.house.store.mark_unknown(now=later)] == [asked["id"]]


async def noted(here, who, channel, count=1):
    """The newest private note."""
    person = here.slack.person(who)
    await here.slack.wait_for(lambda _: len(person.ephemerals(channel)) >= count)
    return plain(person.ephemerals(channel)[-1])


async def report(here, asked, claim_id, status="succeeded"):
    return await here.api("POST", f"/v1/approvals/{asked['id']}/report", {"claim_id": claim_id, "status": status})


async def test_it_happened_closes_the_card_as_an_operator_says_and_the_run_is_heard_no_more(here) -> None:
    asked, card = await silent(here)
    assert "worker-3" in plain(card)
    assert f"It will not run again until @{CHIDI} or @{BEN} says what happened." in plain(card)

    await here.slack.person(CHIDI).click(DEPLOYS, card.ts, ids.HAPPENED)

    await here.shows(card, f"It happened, says @{CHIDI}")
    assert "worker-3 had gone silent" in plain(card)
    assert not has_buttons(card)
    assert (await here.read(asked["id"]))["execution"]["status"] == "succeeded"
    late = await report(here, asked, "c1", "failed")
    assert (late.status, late.json["code"]) == (409, "not_claimant")


async def test_it_did_not_happen_allows_one_new_try_by_another_claim(here) -> None:
    asked, card = await silent(here)

    await here.slack.person(CHIDI).click(DEPLOYS, card.ts, ids.NOT_HAPPENED)

    await here.shows(card, f"It did not happen, says @{CHIDI}")
    assert "one new try is allowed" in plain(card)
    assert (await report(here, asked, "c1")).status == 409
    claims = [(await here.claim(asked, claim_id=each)).json["execute"] for each in ("c1", "c2", "c3")]
    assert claims == [False, True, False]
    await here.shows(card, "Handed to")
    assert (await report(here, asked, "c2")).status == 200
    await here.shows(card, "Done")


async def test_a_report_that_comes_before_anybody_says_so_is_heard(here) -> None:
    asked, card = await silent(here)

    assert (await report(here, asked, "c1")).status == 200

    await here.shows(card, "Done")
    assert not has_buttons(card)
    ben = here.slack.person(BEN)
    await ben.click(DEPLOYS, card.ts, ids.HAPPENED, stale=True)
    assert "The run has reported since: done" in await noted(here, BEN, DEPLOYS)


async def test_only_operators_say_what_happened_and_only_once(here) -> None:
    asked, card = await silent(here)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.HAPPENED)
    refused = await noted(here, ANA, DEPLOYS)
    assert (await here.read(asked["id"]))["execution"]["status"] == "unknown"
    await here.slack.person(CHIDI).click(DEPLOYS, card.ts, ids.HAPPENED)
    await here.shows(card, "It happened")
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.NOT_HAPPENED, stale=True)

    assert refused == f"You cannot say what happened: only @{BEN} or @{CHIDI} can. Nothing changed."
    told = await noted(here, BEN, DEPLOYS)
    assert told.startswith(f"Already settled by @{CHIDI} ")
    assert told.endswith(": it happened. Your click changed nothing.")


async def test_what_is_said_of_one_silence_says_nothing_of_the_next(here) -> None:
    asked, card = await silent(here)
    await here.slack.person(CHIDI).click(DEPLOYS, card.ts, ids.NOT_HAPPENED)
    await here.shows(card, "It did not happen")
    await go_silent(here, asked, "c2")
    await here.shows(card, "Did it happen?")

    # A dialog that was open since the first silence.
    first = ids.encode(asked["id"], 0)
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.NOT_HAPPENED, value=first, forge=True)

    await noted(here, BEN, DEPLOYS)
    assert (await here.read(asked["id"]))["execution"]["status"] == "unknown"


async def test_who_asked_is_told_of_the_silence_once_and_then_of_the_end_and_each_operator_is_asked_once(here) -> None:
    asked, card = await silent(here)
    told = await here.line(DEPLOYS, count=2)
    assert plain(told).startswith(f"@{DANA} Did it happen? Its run went silent")
    for operator in (CHIDI, BEN):
        person = here.slack.person(operator)
        await here.slack.wait_for(lambda _, person=person: person.dm)
        notice = await here.line(person.dm)
        assert "Did it happen? Deploy api 1.4.2 to production" in plain(notice)
        assert notice.text == "Did it happen? Deploy api 1.4.2 to production"

    # From the direct message, where the way to the card is.
    ben = here.slack.person(BEN)
    notice = await here.line(ben.dm)
    await ben.click(ben.dm, notice.ts, ids.HAPPENED)

    await here.shows(card, f"It happened, says @{BEN}")
    assert plain(await here.line(DEPLOYS, count=3)) == f"@{DANA} It happened, says Ben Okafor."
    await here.shows(notice, f"It happened, says @{BEN}")
    assert not has_buttons(notice)
    # As Slack counts: who is told twice is pinged twice.
    postings = (await here.read(asked["id"]))["postings"]
    assert sorted(posting["role"] for posting in postings) == ["card", "notice", "notice", *["outcome"] * 3]


async def test_operators_find_it_first_in_their_list_and_in_their_home(here) -> None:
    await here.ask(operation_id="other", title="Another one", channels=[GENERAL])
    asked, card = await silent(here)
    chidi = here.slack.person(CHIDI)
    await chidi.open_home()
    await here.slack.wait_for(lambda _: "Did it happen? 1" in str(chidi.home and chidi.home.content))

    shown = await chidi.command(GENERAL, "/pending", "all")
    hidden = await here.slack.person(ANA).command(GENERAL, "/pending", "all")

    assert shown.body.index("went silent") < shown.body.index("Another one")
    assert "went silent" not in hidden.body
    listed = chidi.ephemerals(GENERAL)[-1]
    await chidi.click(GENERAL, listed.ts, ids.HAPPENED, block_id=f"{ids.list_row(ids.Filter.ALL, 0, 0)}.act")
    await here.shows(card, "It happened")
    await here.slack.wait_for(lambda _: "went silent" not in plain(chidi.ephemerals(GENERAL)[-1]))
    await here.slack.wait_for(lambda _: "Did it happen?" not in str(chidi.home.content))
    assert (await here.read(asked["id"]))["execution"]["status"] == "succeeded"


async def test_without_operators_the_card_asks_for_one_and_a_click_says_that_none_are_set(database) -> None:
    async with place(database) as here:
        _, card = await silent(here)
        assert "until an operator says what happened" in plain(card)

        await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.NOT_HAPPENED)

        assert "no operators are set. SIGNOFF_OPERATORS names them" in await noted(here, ANA, DEPLOYS)


async def test_a_handler_killed_while_it_runs_is_shown_as_unknown_within_its_promise(database) -> None:
    app = ("--app", "tests.e2e.handlers")
    async with Sandbox() as slack:
        async with serving(slack, database, arguments=app) as first:
            token = await make_key(slack, database)
            ask = {**DEPLOY, "resume": {"handler": "lasts"}}
            asked = (await call("POST", f"{first.url}/v1/approvals", token, ask)).json
            card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS)))[0]
            await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
            await slack.wait_for(lambda _: "Running" in plain(card))
            first.kill()
            await first.gone()

        # The promise is two seconds; the sweep comes every five.
        async with serving(slack, database, arguments=app, SIGNOFF_OPERATORS=CHIDI) as second:
            await slack.wait_for(lambda _: "Did it happen?" in plain(card), timeout=60)
            read = (await call("GET", f"{second.url}/v1/interactions/{asked['id']}", token)).json
            assert (read["execution"]["status"], read["execution"]["worker"]) == ("unknown", "lasts")
