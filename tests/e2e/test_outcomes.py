"""Who asked learns how it ended: in the card's thread, or in a direct message."""

from blocks import ids
from tests.e2e.house import ANA, DANA, DEPLOYS, REPORTS, plain


async def test_who_asked_is_told_of_the_decision_and_of_its_end_in_the_thread(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    decided = await here.line(DEPLOYS)
    await here.claim(asked, claim_id="c1")
    report = {"claim_id": "c1", "status": "succeeded", "detail": "3 of 3 zones"}
    await here.api("POST", f"/v1/approvals/{asked['id']}/report", report)
    ended = await here.line(DEPLOYS, count=2)

    assert (plain(decided), plain(ended)) == (f"@{DANA} Approved by Ana Ruiz.", f"@{DANA} Done.3 of 3 zones")
    # Who decided has done their part: only who asked is pinged.
    assert decided.text.startswith(f"<@{DANA}> Approved by Ana Ruiz: ")
    assert decided.thread_ts == ended.thread_ts == card.ts
    roles = [posting["role"] for posting in (await here.read(asked["id"]))["postings"]]
    assert sorted(roles) == ["card", "outcome", "outcome"]


async def test_without_a_channel_who_asked_gets_a_direct_message_with_the_way_to_the_card(here) -> None:
    await here.ask(channels=[], users=[ANA])
    ana = here.slack.person(ANA)
    await here.slack.wait_for(lambda _: ana.dm)
    card = await here.card(ana.dm)
    await ana.click(ana.dm, card.ts, ids.DENY)

    dana = here.slack.person(DANA)
    await here.slack.wait_for(lambda _: dana.dm)
    told = await here.line(dana.dm)

    assert plain(told) == f" Denied by @{ANA}: Deploy api 1.4.2 to production"


async def test_an_answer_is_told_to_the_owner_of_the_key(here, owned_token) -> None:
    body = {
        "run_id": "r",
        "questions": [
            {"id": "q", "prompt": "Go?", "options": [{"id": "y", "label": "Yes"}, {"id": "n", "label": "No"}]}
        ],
        "channels": [REPORTS],
        "respondents": {"users": [ANA]},
    }
    assert (await here.api("POST", "/v1/questions", body, token=owned_token)).status == 201
    card = await here.card(REPORTS)

    await here.slack.person(ANA).click(REPORTS, card.ts, ids.suffixed(ids.PICK, 0))

    assert plain(await here.line(REPORTS)) == f"@{DANA} Answered by Ana Ruiz."


async def test_what_the_thread_refuses_comes_as_one_direct_message(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    here.slack.faults.add("chat.postMessage", error="restricted_action_thread_locked", times=3)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    dana = here.slack.person(DANA)
    await here.slack.wait_for(lambda _: dana.dm, timeout=20)
    told = await here.line(dana.dm)

    assert plain(told) == f" Approved by @{ANA}: Deploy api 1.4.2 to production"
    assert not [message for message in here.slack.workspace.messages(DEPLOYS) if message.thread_ts is not None]
    postings = (await here.read(asked["id"]))["postings"]
    assert [posting["channel"] for posting in postings if posting["role"] == "outcome"] == [dana.dm]
