"""Votes on the card: several are needed, they can be changed and taken back; so can an approval until a run has it."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from functools import partial

import asyncpg
import pytest

from blocks import ids
from bot.keys import make_key, token_sha256
from store.types import Actor, ActorKind, Approvers, Destination, Policy, Scope
from tests.e2e.house import ANA, BEN, CHIDI, DANA, DEPLOYS, GENERAL, has_buttons, plain

TWO = {"users": [ANA, BEN, CHIDI], "quorum": 2, "denials": 2}
MENU = ids.encode_menu


async def said(here, who: str, count: int = 1, channel: str = DEPLOYS) -> str:
    notes = await here.slack.wait_for(
        lambda _: found if len(found := here.slack.person(who).ephemerals(channel)) >= count else None
    )
    return plain(notes[-1])


async def asked_of_two(here, **more):
    asked = await here.ask(approvers=TWO, **more)
    return asked, await here.card(DEPLOYS)


async def click(here, who, card, action, **more) -> None:
    assert (await here.slack.person(who).click(DEPLOYS, card.ts, action, **more)).ok


async def take_back_vote(here, who, card, asked) -> None:
    await click(here, who, card, ids.MORE, value=MENU(ids.Verb.TAKE_BACK, asked["id"]))


async def test_two_people_approve_one_after_the_other_and_the_card_counts(here) -> None:
    asked, card = await asked_of_two(here)
    assert f"Needs 2 approvals from @{ANA}, @{BEN} or @{CHIDI}" in plain(card)

    await click(here, ANA, card, ids.APPROVE)
    await here.shows(card, f"1 of 2 approvals. One more from @{BEN} or @{CHIDI}")
    assert f"@{ANA} approved " in plain(card)
    assert (await here.read(asked["id"]))["state"] == "pending"
    await click(here, BEN, card, ids.APPROVE)

    await here.shows(card, f"Approved by @{ANA} and @{BEN}")
    read = await here.read(asked["id"], wait=5)
    assert (read["state"], len(read["votes"])) == ("approved", 2)
    assert here.slack.person(ANA).ephemerals(DEPLOYS) == []
    assert plain(await here.line(DEPLOYS)) == f"@{DANA} Approved by Ana Ruiz and Ben Okafor."


async def test_the_same_vote_again_stands_and_says_how_to_take_it_back(here) -> None:
    _, card = await asked_of_two(here)
    await click(here, ANA, card, ids.APPROVE)

    await click(here, ANA, card, ids.APPROVE)

    note = await said(here, ANA)
    assert note.startswith("You already approved this ")
    assert note.endswith("It needs one more approval. To take yours back: ⋯ on the card.")


async def test_a_vote_is_changed_while_it_waits_and_its_note_says_what_changed(here) -> None:
    asked, card = await asked_of_two(here)
    await click(here, ANA, card, ids.APPROVE)

    await click(here, ANA, card, ids.DENY)

    note = await said(here, ANA)
    assert note.startswith("Your vote is changed. You approved this ")
    assert "; now you have denied it. It needs one more denial." in note
    await here.shows(card, f"1 of 2 denials so far. Needs 2 approvals from @{ANA}")
    await click(here, ANA, card, ids.APPROVE)
    assert "now you have approved it. It needs one more approval." in await said(here, ANA, 2)
    assert [vote["decision"] for vote in (await here.read(asked["id"]))["votes"]] == ["allow-once"]


async def deny_with(here, who, card, why) -> None:
    await click(here, who, card, ids.DENY_REASON)
    person = here.slack.person(who)
    await here.slack.wait_for(lambda _: person.modal)
    await person.submit(state={ids.REASON_BLOCK: {ids.TEXT: why}})


async def test_a_stated_number_of_denials_ends_it_and_each_keeps_its_reason(here) -> None:
    asked, card = await asked_of_two(here)
    for who, why in ((BEN, "Freeze."), (CHIDI, "The pager is red.")):
        await deny_with(here, who, card, why)

    await here.shows(card, f"Denied by @{BEN} and @{CHIDI}")

    assert "Freeze." in plain(card)
    assert "The pager is red." in plain(card)
    assert (await here.read(asked["id"], wait=5))["state"] == "denied"


async def test_a_reason_that_follows_a_plain_denial_is_kept_and_counts_no_second_time(here) -> None:
    asked, card = await asked_of_two(here)
    await click(here, BEN, card, ids.DENY)

    await deny_with(here, BEN, card, "Freeze.")

    await here.shows(card, "Freeze.")
    assert "1 of 2 denials so far." in plain(card)
    [vote] = (await here.read(asked["id"]))["votes"]
    assert (vote["decision"], vote["feedback"]) == ("deny", "Freeze.")


async def test_one_denial_ends_what_does_not_state_a_number(here) -> None:
    asked = await here.ask(approvers={"users": [ANA, BEN, CHIDI], "quorum": 2})
    card = await here.card(DEPLOYS)
    await click(here, ANA, card, ids.APPROVE)

    await click(here, BEN, card, ids.DENY)

    await here.shows(card, f"Denied by @{BEN}")
    assert (await here.read(asked["id"], wait=5))["state"] == "denied"


async def test_a_vote_is_taken_back_from_the_menu_while_it_waits(here) -> None:
    asked, card = await asked_of_two(here)
    await click(here, ANA, card, ids.APPROVE)
    await here.shows(card, "Take back my approval")

    await take_back_vote(here, ANA, card, asked)

    await here.shows(card, "Needs 2 approvals from")
    assert (await here.read(asked["id"]))["votes"] == []
    assert "Take back my approval" not in plain(card)


async def test_who_has_no_vote_takes_nothing_back(here) -> None:
    asked, card = await asked_of_two(here)
    await click(here, ANA, card, ids.APPROVE)
    await here.shows(card, "1 of 2 approvals")

    await take_back_vote(here, BEN, card, asked)

    assert (await said(here, BEN)).startswith("There is nothing to take back: ")
    assert len((await here.read(asked["id"]))["votes"]) == 1


async def approved(here, **more):
    asked = await here.ask(approvers={"users": [ANA, BEN]}, **more)
    card = await here.card(DEPLOYS)
    await click(here, ANA, card, ids.APPROVE)
    await here.shows(card, "Take back")
    return asked, card


async def test_an_approval_is_taken_back_before_a_run_has_it_and_the_run_is_told(here) -> None:
    asked, card = await approved(here)
    await here.line(DEPLOYS)

    await click(here, ANA, card, ids.TAKE_BACK)

    await here.shows(card, f"Denied: the approval was taken back by @{ANA}")
    assert not has_buttons(card)
    found = await here.api("GET", "/v1/interactions?state=denied&claimed=false&run_id=deploy-api-812")
    assert [one["id"] for one in found.json["items"]] == [asked["id"]]
    claimed = await here.claim(asked)
    assert (claimed.json["claimed"], claimed.json["execute"]) == (True, False)
    # Who asked heard of both, once each.
    assert f"@{DANA} Approval taken back by Ana Ruiz. Nothing ran." in plain(await here.line(DEPLOYS, count=2))


async def test_what_a_run_has_cannot_be_taken_back(here) -> None:
    asked, card = await approved(here)
    claimed = await here.claim(asked, worker="worker-3")
    assert claimed.json["execute"]

    await click(here, ANA, card, ids.TAKE_BACK, stale=True)

    assert (await said(here, ANA)).startswith("Too late: its run has it since ")
    await here.shows(card, "Handed to worker-3")
    assert "Take back" not in plain(card)
    assert (await here.read(asked["id"]))["state"] == "approved"


async def test_only_who_approved_takes_it_back(here) -> None:
    asked, card = await approved(here)

    for who in (BEN, DANA):
        await click(here, who, card, ids.TAKE_BACK)

        assert f"only @{ANA}, who approved it, can. Nothing changed." in await said(here, who)
    assert (await here.read(asked["id"]))["state"] == "approved"


async def expiring(here, ring, **more):
    asked = await here.ask(expires_in=3600, **more)
    card = await here.card(DEPLOYS)
    await ring("warn")
    await here.shows(card, "Expires soon, ")
    return asked, card


def _hurry(path: str, kind: str) -> None:
    with closing(sqlite3.connect(path, timeout=30)) as file, file:
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        assert file.execute("UPDATE timers SET due_at = ? WHERE kind = ?", (now, kind)).rowcount == 1


async def hurried(database: str, kind: str) -> None:
    """What is due later is due now."""
    if database.startswith("sqlite"):
        # In a thread: the service, whose turn it may be to write, goes on meanwhile.
        await asyncio.to_thread(_hurry, database.removeprefix("sqlite:///"), kind)
        return
    connection = await asyncpg.connect(database)
    assert await connection.execute("UPDATE timers SET due_at = now() WHERE kind = $1", kind) == "UPDATE 1"
    await connection.close()


@pytest.fixture
def ring(database):
    return partial(hurried, database)


async def test_as_the_deadline_comes_near_an_approver_gives_more_time_once(here, ring) -> None:
    asked, card = await expiring(here, ring)
    assert "Give me 1 more hour" in plain(card)

    await click(here, BEN, card, ids.EXTEND)

    await here.shows(card, f"@{BEN} gave 1 more hour ")
    assert "Expires soon" not in plain(card)
    assert "Give me" not in plain(card)
    assert (await here.read(asked["id"]))["expires_at"] > asked["expires_at"]
    await click(here, ANA, card, ids.EXTEND, stale=True)
    assert (await said(here, ANA)).startswith("Already extended once, until ")


async def test_who_may_not_decide_gives_no_more_time(here, ring) -> None:
    asked, card = await expiring(here, ring)

    await click(here, CHIDI, card, ids.EXTEND)
    await click(here, DANA, card, ids.EXTEND)

    assert "You cannot decide this: " in await said(here, CHIDI)
    assert "You asked for this yourself, " in await said(here, DANA)
    assert (await here.read(asked["id"]))["expires_at"] == asked["expires_at"]


async def test_a_stranger_decides_once_it_was_escalated_to_them_and_not_before(here, ring) -> None:
    asked = await here.ask(escalation=[{"after": 600, "users": [CHIDI]}])
    card = await here.card(DEPLOYS)
    await click(here, CHIDI, card, ids.APPROVE)
    assert "You cannot decide this: " in await said(here, CHIDI)

    await ring("escalate")
    line = await here.line(DEPLOYS)
    assert plain(line).startswith(f"@{CHIDI} Still waiting: you may decide this, too, until ")
    await here.shows(card, f"@{CHIDI} may decide too.")
    await click(here, CHIDI, card, ids.APPROVE)

    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["resolved_by"]["id"]) == ("approved", CHIDI)


async def test_a_reminder_stands_in_the_thread_and_mentions_who_has_not_voted(here, ring) -> None:
    _, card = await asked_of_two(here, reminders={"after": 600})
    await click(here, ANA, card, ids.APPROVE)
    await here.shows(card, "1 of 2 approvals")

    await ring("remind")

    line = await here.line(DEPLOYS)
    assert line.thread_ts == card.ts
    assert plain(line).startswith(f"@{BEN} @{CHIDI} Still waiting, until ")
    await here.shows(card, "Reminded ")


async def test_nobody_in_time_is_a_denial_where_the_ask_says_so(here) -> None:
    asked = await here.ask(expires_in=2, on_expiry="deny")
    card = await here.card(DEPLOYS)

    await here.shows(card, "nobody decided in time. Nothing ran.")

    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["resolved_by"]["kind"]) == ("denied", "deadline")
    assert "Denied, as nobody decided in time." in plain(await here.line(DEPLOYS))


async def test_a_vote_from_the_list_is_told_there_with_the_way_to_its_card(here) -> None:
    _, card = await asked_of_two(here)
    await click(here, ANA, card, ids.APPROVE)
    ana = here.slack.person(ANA)
    await ana.command(GENERAL, "/pending")
    listed = ana.ephemerals(GENERAL)[-1]

    await ana.click(GENERAL, listed.ts, ids.DENY)

    notes = await here.slack.wait_for(lambda _: [n for n in ana.ephemerals(GENERAL) if "is changed" in plain(n)])
    assert plain(notes[0]).endswith("It needs one more denial. Open the card.")


async def test_a_card_names_the_policy_that_it_was_asked_under(here) -> None:
    store = here.house.store
    now = await store.now()
    rules = Policy(
        tenant="default",
        name="prod",
        revision=0,
        set_at=now,
        set_by=Actor(kind=ActorKind.OPERATOR),
        approvers=Approvers(users=(ANA, BEN), quorum=2),
        destination=Destination(channels=(DEPLOYS,)),
    )
    await store.set_policy(policy=rules)
    made = make_key(tenant="default", name="ci", scopes=(Scope.ASK, Scope.READ), now=now, policies=("prod",))
    await store.create_key(key=made.key, secret_sha256=token_sha256(made.token))

    body = {"run_id": "r1", "title": "Deploy", "tool_name": "deploy", "input": {}, "policy": "prod"}
    reply = await here.api("POST", "/v1/approvals", body, token=made.token)

    assert reply.status == 201, reply
    card = await here.card(DEPLOYS)
    assert "policy prod, revision 1" in plain(card)
    assert "Needs 2 approvals from" in plain(card)
