"""Deny with reason, Review and approve, Show all, withdraw, supersede, and `/pending`."""

from blocks import ids
from store.errors import Unconfirmed
from tests.e2e.house import ANA, BEN, CHIDI, DANA, DEPLOYS, GENERAL, ONCALL, REPORTS, has_buttons, plain

REASON = {ids.REASON_BLOCK: {ids.TEXT: "Freeze until Monday."}}


async def test_a_denial_with_a_reason_reaches_the_run_word_for_word(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    ben = here.slack.person(BEN)
    await ben.click(DEPLOYS, card.ts, ids.DENY_REASON)
    await here.slack.wait_for(lambda _: ben.modal)

    sent = await ben.submit(state=REASON)

    assert sent.ok
    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["feedback"]) == ("denied", "Freeze until Monday.")
    claim = (await here.claim(asked, claim_id="c1")).json
    assert (claim["claimed"], claim["execute"]) == (True, False)
    await here.shows(card, "Freeze until Monday.")


async def test_closing_the_form_keeps_waiting(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    ben = here.slack.person(BEN)
    await ben.click(DEPLOYS, card.ts, ids.DENY_REASON)
    await here.slack.wait_for(lambda _: ben.modal)

    await ben.close()

    assert (await here.read(asked["id"]))["state"] == "pending"
    assert has_buttons(card)


async def test_a_form_that_comes_too_late_says_so_and_gives_the_text_back(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    ana, ben = here.slack.person(ANA), here.slack.person(BEN)
    await ben.click(DEPLOYS, card.ts, ids.DENY_REASON)
    await here.slack.wait_for(lambda _: ben.modal)
    await ana.click(DEPLOYS, card.ts, ids.APPROVE)

    await ben.submit(state=REASON)

    view = str(ben.modal.content)
    assert "Already approved" in view
    assert "Freeze until Monday." in view
    assert (await here.read(asked["id"]))["state"] == "approved"


async def test_a_long_action_is_approved_only_at_the_end_of_its_pages(here) -> None:
    statements = [f"ALTER TABLE orders ADD COLUMN c{n} text" for n in range(120)]
    asked = await here.ask(tool_name="db.migrate", input={"statements": statements})
    card = await here.card(DEPLOYS)
    assert '"so.approve"' not in str(card.blocks).replace("'", '"')
    ana = here.slack.person(ANA)
    await ana.click(DEPLOYS, card.ts, ids.REVIEW)
    await here.slack.wait_for(lambda _: ana.modal)
    seen = str(ana.modal.content)
    while "submit" not in ana.modal.content or ana.modal.content.get("submit") is None:
        before = ana.modal.content
        await ana.click_view(ids.suffixed(ids.PAGE, "next"))
        await here.slack.wait_for(lambda _, before=before: ana.modal.content != before)
        seen += str(ana.modal.content)
    assert all(statement in seen for statement in statements)

    sent = await ana.submit()

    assert sent.ok
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"


async def test_everything_is_shown_on_each_page_with_the_askers_name(here) -> None:
    asked = await here.ask(input={"steps": [f"step {number}" for number in range(200)]})
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)
    name = here.slack.workspace.users[DANA].real_name
    await ana.click(DEPLOYS, card.ts, ids.MORE, value=ids.encode_menu(ids.Verb.SHOW, asked["id"]))
    await here.slack.wait_for(lambda _: ana.modal and "Everything" in str(ana.modal.content))
    first = str(ana.modal.content)

    await ana.click_view(ids.suffixed(ids.PAGE, "next"))
    await here.slack.wait_for(lambda _: str(ana.modal.content) != first)

    for shown in (first, str(ana.modal.content)):
        assert f"Asked by {name}" in shown
        assert DANA not in shown


async def test_a_newer_ask_replaces_the_older_one(here) -> None:
    old = await here.ask(operation_id="one")
    card = await here.card(DEPLOYS)
    new = await here.ask(operation_id="two", supersedes=old["id"], input={"service": "api", "version": "1.4.3"})
    await here.card(DEPLOYS, count=2)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE, stale=True)

    notes = await here.slack.wait_for(lambda _: here.slack.person(ANA).ephemerals(DEPLOYS))
    assert "Replaced by" in plain(notes[0])
    assert (await here.read(old["id"]))["superseded_by"] == new["id"]
    await here.shows(card, "Replaced")
    assert not has_buttons(card)


async def test_the_asker_withdraws_and_nobody_else(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    code = asked["id"][-5:]

    refused = await here.slack.person(BEN).command(DEPLOYS, "/signoff", f"withdraw {code}")
    done = await here.slack.person(DANA).command(DEPLOYS, "/signoff", f"withdraw {code.lower()}")

    assert "can withdraw this" in refused.body
    assert "Withdrawn" in done.body
    await here.shows(card, "Withdrawn")
    assert (await here.read(asked["id"]))["state"] == "withdrawn"


async def test_a_withdrawal_says_why_in_the_askers_words(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)

    done = await here.slack.person(DANA).command(
        DEPLOYS, "/signoff", f"withdraw  {asked['id'][-5:]}  not needed   any more"
    )

    assert "Withdrawn" in done.body
    await here.shows(card, "not needed   any more")


async def test_only_a_whole_id_or_a_whole_code_withdraws(here) -> None:
    asked = await here.ask()
    dana = here.slack.person(DANA)
    for code in (asked["id"][-1], asked["id"][-4:], asked["id"][-6:], asked["id"][:-1], "%", "\x00"):
        refused = await dana.command(DEPLOYS, "/signoff", f"withdraw {code}")
        assert "No request" in refused.body

    done = await dana.command(DEPLOYS, "/signoff", f"withdraw {asked['id']}")

    assert "Withdrawn" in done.body


async def test_a_reason_too_long_to_keep_withdraws_nothing(here) -> None:
    asked = await here.ask()

    refused = await here.slack.person(DANA).command(DEPLOYS, "/signoff", f"withdraw {asked['id'][-5:]} {'why ' * 1000}")

    assert "at most 3,000 characters" in refused.body
    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_a_list_that_cannot_be_read_does_not_speak_of_a_click_to_confirm(here) -> None:
    await here.ask()
    dana = here.slack.person(DANA)
    await dana.command(GENERAL, "/pending")
    listed = dana.ephemerals(GENERAL)[-1]
    here.house.store.list_pending = unanswered

    shown = await dana.command(GENERAL, "/pending")
    await dana.click(GENERAL, listed.ts, ids.LIST_PAGE)

    notes = await here.slack.wait_for(
        lambda _: [note for note in dana.ephemerals(GENERAL) if "could not show this" in plain(note)]
    )
    assert "We could not show this just now." in shown.body
    assert "confirm" not in shown.body + plain(notes[-1])


async def unanswered(**_) -> None:
    raise Unconfirmed("the connection was lost")


async def test_the_run_withdraws_through_the_api(here) -> None:
    asked = await here.ask()

    first = await here.api("POST", f"/v1/interactions/{asked['id']}/withdraw", {"reason": "Not needed any more."})
    second = await here.api("POST", f"/v1/interactions/{asked['id']}/withdraw", {})

    assert (first.json["withdrawn"], second.json["withdrawn"]) == (True, False)
    await here.shows(await here.card(DEPLOYS), "Not needed any more.")


async def test_pending_lists_what_waits_oldest_deadline_first_with_working_buttons(here) -> None:
    late = await here.ask(title="Later", operation_id="late", expires_in=7200)
    soon = await here.ask(title="Sooner", operation_id="soon", expires_in=3600)
    await here.ask_question()
    await here.card(DEPLOYS, count=2)
    await here.card(REPORTS)
    ana = here.slack.person(ANA)

    shown = await ana.command(GENERAL, "/pending")

    assert "3 wait for you" in shown.body
    assert shown.body.index("Sooner") < shown.body.index("Later")
    listed = ana.ephemerals(GENERAL)[-1]
    await ana.click(GENERAL, listed.ts, ids.APPROVE, block_id="row.mine:0.0.act")
    assert (await here.read(soon["id"], wait=5))["state"] == "approved"
    assert (await here.read(late["id"]))["state"] == "pending"
    await here.slack.wait_for(lambda _: "2 wait for you" in plain(ana.ephemerals(GENERAL)[-1]))


async def test_who_decides_in_a_list_stays_on_their_page_of_it(here) -> None:
    for number in range(20):
        await here.ask(operation_id=f"op-{number}", title=f"Deploy {number}", channels=[], users=[BEN])
    ana = here.slack.person(ANA)
    await ana.command(GENERAL, "/pending", "all")
    listed = ana.ephemerals(GENERAL)[-1]
    await ana.click(GENERAL, listed.ts, ids.suffixed(ids.LIST_PAGE, "next"))
    await here.slack.wait_for(lambda _: "9 to 16 of 20" in plain(ana.ephemerals(GENERAL)[-1]))

    await ana.click(GENERAL, listed.ts, ids.DENY, block_id="row.all:1.3.act")

    await here.slack.wait_for(lambda _: "of 19" in plain(ana.ephemerals(GENERAL)[-1]))
    redrawn = plain(ana.ephemerals(GENERAL)[-1])
    assert redrawn.startswith("19 wait, with this channel")
    assert "9 to 16 of 19" in redrawn


async def test_pending_shows_nothing_of_others(here) -> None:
    await here.ask()
    await here.card(DEPLOYS)

    shown = await here.slack.person(CHIDI).command(GENERAL, "/pending", "all")

    assert "Deploy api" not in shown.body


async def test_pending_all_shows_what_stands_in_the_channel_it_was_typed_in_and_no_other(here) -> None:
    await here.ask()
    await here.ask(operation_id="elsewhere", title="Rotate the signing keys", channels=[REPORTS])
    await here.card(DEPLOYS)
    await here.card(REPORTS)
    chidi = here.slack.person(CHIDI)

    shown = {place: (await chidi.command(place, "/pending", "all")).body for place in (DEPLOYS, REPORTS, GENERAL)}

    assert ["Deploy api" in shown[place] for place in (DEPLOYS, REPORTS, GENERAL)] == [True, False, False]
    assert ["Rotate the signing keys" in shown[place] for place in (DEPLOYS, REPORTS, GENERAL)] == [False, True, False]
    assert ids.APPROVE not in "".join(shown.values())


async def test_members_of_a_named_group_may_decide(here) -> None:
    asked = await here.ask(approvers={"groups": [ONCALL]})
    card = await here.card(DEPLOYS)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    assert (await here.read(asked["id"]))["state"] == "pending"
    await here.slack.person(CHIDI).click(DEPLOYS, card.ts, ids.APPROVE)

    assert (await here.read(asked["id"], wait=5))["resolved_by"]["id"] == CHIDI


async def test_a_word_of_the_parser_in_a_command_does_no_harm(here) -> None:
    shown = await here.slack.person(ANA).command(DEPLOYS, "/pending", "payload size")

    assert shown.ok
    assert shown.status == 200
