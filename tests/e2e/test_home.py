"""The Home tab: what waits for me, with buttons that work, and what I asked; it follows what happens."""

from blocks import ids
from tests.e2e.house import ANA, BEN, CHIDI, DANA, DEPLOYS, ONCALL, REPORTS


def says(person) -> str:
    return "" if person.home is None else str(person.home.content)


async def at_home(here, who, words):
    """Somebody who opened their Home, once it says these words."""
    person = here.slack.person(who)
    opened = await person.open_home()
    assert opened.ok
    await here.slack.wait_for(lambda _: words in says(person))
    return person


async def test_an_empty_home_says_what_will_be_there(here) -> None:
    chidi = await at_home(here, CHIDI, "Nothing waits for you")

    assert "/pending" in says(chidi)
    assert "practice request" in says(chidi)


async def test_what_waits_is_decided_at_home_and_leaves_it(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    ana = await at_home(here, ANA, "Waiting for you: 1")

    clicked = await ana.click_home(ids.APPROVE)

    assert clicked.ok
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"
    await here.slack.wait_for(lambda _: "Nothing waits for you" in says(ana))
    await here.shows(card, "Approved")


async def test_a_request_that_nobody_made_in_person_asks_slack_for_no_name(here) -> None:
    await here.ask_question()
    await here.card(REPORTS)

    await at_home(here, ANA, "Waiting for you: 1")

    assert [call.method for call in here.slack.calls if not call.ok] == []


async def test_those_concerned_who_opened_it_lately_see_what_changes(here) -> None:
    ana, dana = await at_home(here, ANA, "Nothing"), await at_home(here, DANA, "Nothing")
    chidi = await at_home(here, CHIDI, "Nothing")
    before = chidi.home.hash

    await here.ask()

    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(ana) and "You asked: 1" in says(dana))
    card = await here.card(DEPLOYS)
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY)
    await here.slack.wait_for(lambda _: "Nothing waits for you" in says(ana) and "Denied " in says(dana))
    assert chidi.home.hash == before
    assert here.slack.person(BEN).home is None


async def test_members_of_a_named_group_are_concerned(here) -> None:
    chidi = await at_home(here, CHIDI, "Nothing")

    await here.ask(approvers={"groups": [ONCALL]})

    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(chidi))


async def test_who_asked_withdraws_at_home(here) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)
    dana = await at_home(here, DANA, "You asked: 1")
    assert "Nothing waits for you" in says(dana)

    await dana.click_home(ids.WITHDRAW)

    assert (await here.read(asked["id"], wait=5))["state"] == "withdrawn"
    await here.slack.wait_for(lambda _: "Withdrawn " in says(dana))
    assert ids.WITHDRAW not in says(dana)


async def test_a_form_opens_over_home(here) -> None:
    asked = await here.ask_question(questions=[{"id": "why", "prompt": "Why?"}])
    await here.card(REPORTS)
    ana = await at_home(here, ANA, "Waiting for you: 1")

    await ana.click_home(ids.FORM)
    await here.slack.wait_for(lambda _: ana.modal)
    await ana.submit(state={ids.question_block(0): {ids.TEXT: "because"}})

    assert (await here.read(asked["id"], wait=5))["answers"]["why"]["value"] == "because"


async def test_a_click_in_a_home_of_yesterday_is_told_over_it_and_redraws_it(here) -> None:
    await here.ask()
    card = await here.card(DEPLOYS)
    ana = await at_home(here, ANA, "Waiting for you: 1")
    lost = here.slack.faults.add("views.publish", error="not_enabled")
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY)
    await here.slack.wait_for(
        lambda _: any(call.method == "views.publish" and not call.ok for call in here.slack.calls)
    )
    here.slack.faults.remove(lost)

    await ana.click_home(ids.APPROVE)

    await here.slack.wait_for(lambda _: ana.modal)
    assert "Already denied" in str(ana.modal.content)
    assert f"/p{card.ts.replace('.', '')}" in str(ana.modal.content)
    await here.slack.wait_for(lambda _: "Nothing waits for you" in says(ana))


async def test_the_other_tab_publishes_nothing(here) -> None:
    body = {"type": "app_home_opened", "user": ANA, "channel": "D0", "tab": "messages"}

    sent = await here.slack.hands.send_event(body)

    assert sent.ok
    ben = await at_home(here, BEN, "Nothing")
    await here.ask()
    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(ben))
    assert here.slack.person(ANA).home is None


async def test_what_one_asked_is_open_first_and_then_what_ended_last(here) -> None:
    first = await here.ask(title="First", operation_id="1", channels=[DEPLOYS])
    for number, title in enumerate(("Second", "Third"), 2):
        await here.ask(title=title, operation_id=str(number))
    await here.card(DEPLOYS, count=3)
    cards = {card.blocks[0]["text"]["text"]: card for card in here.cards(DEPLOYS)}
    dana = await at_home(here, DANA, "You asked: 3 open")
    for title in ("Third", "First"):
        await here.slack.person(BEN).click(DEPLOYS, cards[title].ts, ids.DENY)
        await here.slack.wait_for(lambda _, title=title: f"{title}', 'style'" in says(dana) and "Denied" in says(dana))

    await here.slack.wait_for(lambda _: "You asked: 1 open" in says(dana))

    assert (await here.read(first["id"]))["state"] == "denied"
    shown = says(dana)
    assert shown.index("Second") < shown.index("First") < shown.index("Third")
    assert ". ·" not in shown
    assert f"/p{cards['First'].ts.replace('.', '')}" in shown


async def test_a_request_that_was_replaced_leads_to_the_newer_one(here) -> None:
    old = await here.ask(operation_id="one")
    await here.card(DEPLOYS)
    await here.ask(operation_id="two", supersedes=old["id"], input={"service": "api", "version": "1.4.3"})
    newer = await here.card(DEPLOYS, count=2)

    dana = await at_home(here, DANA, "a newer request")

    way = f"/p{newer.ts.replace('.', '')}', 'text': 'a newer request'"
    await here.slack.wait_for(lambda _: way in says(dana))


async def test_a_click_in_a_list_of_yesterday_leads_to_the_card(here) -> None:
    await here.ask()
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)
    await ana.command(REPORTS, "/pending")
    listed = ana.ephemerals(REPORTS)[-1]
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY)

    await ana.click(REPORTS, listed.ts, ids.APPROVE)
    await ana.click(DEPLOYS, card.ts, ids.APPROVE, stale=True)

    def told(channel: str) -> list[str]:
        return [str(note.blocks) for note in ana.ephemerals(channel) if "Already denied" in str(note.blocks)]

    await here.slack.wait_for(lambda _: told(REPORTS) and told(DEPLOYS))
    way = f"/p{card.ts.replace('.', '')}"
    assert (way in told(REPORTS)[0], way in told(DEPLOYS)[0]) == (True, False)


async def test_a_withdrawal_by_command_leads_to_the_card(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)

    done = await here.slack.person(DANA).command(REPORTS, "/signoff", f"withdraw {asked['id'][-5:]}")

    assert f"/p{card.ts.replace('.', '')}" in done.body


async def test_a_row_leads_to_its_card_once_that_is_posted(here) -> None:
    here.slack.faults.add("chat.postMessage", status=429, retry_after=1, times=1)
    ana = await at_home(here, ANA, "Nothing")

    await here.ask()

    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(ana))
    assert "open card" not in says(ana)
    await here.slack.wait_for(lambda _: "open card" in says(ana), timeout=10)
