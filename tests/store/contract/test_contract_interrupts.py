"""Interrupts: a record goes in and comes back, people decide, at most one is live."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from store import errors
from store.interrupt_cards import UNNAMED
from store.interrupts import Audience, BadRecord, InterruptStore
from store.open import open_store
from store.schema import schema
from store.types import Approval, Approvers, Decision, Destination, Edited, Kind, State
from tests.store.contract.makers import HOUR, MINUTE, NOW, OTHER, TENANT, an_approval, decide, said

AUDIENCE = Audience(approvers=Approvers(users=("U0ANA",)), destination=Destination(channels=("C0AGENTS",)))
ID = "support.sess-1.3.k9"
HOSTILE = (
    "100%",
    "a_b",
    "'; DROP TABLE interactions; --",
    '"quoted"',
    "back\\slash",
    "x" * 10_000,
    "größe-数-🦊",
    "line\nbreak",
    "nul\x00inside",
    "lone \ud800 surrogate",
    "rtl \u202e override",
    "interrupt-sha256-" + "0" * 64,
    "#2",
    "a#2",
    " ",
)


def record(interrupt_id: str = ID, **more: Any) -> dict[str, Any]:
    return {
        "interruptId": interrupt_id,
        "request": {
            "interruptId": interrupt_id,
            "toolName": "refund",
            "toolDescription": "Pays a customer back.",
            "args": {"order": "o-1", "amount": 12.5},
            "context": {"agentName": "support", "tripIndex": 3, "sessionId": "sess-1", "tags": ["money"]},
            "requestedAt": "2026-11-30T12:00:00.000Z",
        },
        "status": "pending",
        "savedAt": "2026-11-30T12:00:00.000Z",
        **more,
    }


@pytest.fixture
def interrupts(store) -> InterruptStore:
    return InterruptStore(store, tenant=TENANT, audience=AUDIENCE)


async def asks(store, interrupt_id: str = ID) -> list[Approval]:
    """Oldest first."""
    page = await store.list_interactions(tenant=TENANT, kind=Kind.APPROVAL, run_id=interrupt_id, limit=200)
    return list(reversed(page.items))


async def the_live(store, interrupt_id: str = ID) -> Approval:
    (live,) = [each for each in await asks(store, interrupt_id) if each.is_pending]
    return live


async def rule(store, interrupt_id: str = ID, **more: Any) -> Approval:
    live = await the_live(store, interrupt_id)
    return (await decide(store, live, at=live.created_at + MINUTE, **more)).approval


async def test_a_record_comes_back_as_it_was_saved(store, interrupts) -> None:
    kept = record(extra={"ours": [1, 1.0, -0.0, 2**70, None, True, "é\u2028"], "": {}}, ordered={"z": 1, "a": 2})

    await interrupts.save(kept)

    assert json.dumps(await interrupts.load(ID)) == json.dumps(kept)


async def test_a_saved_record_asks_people_without_a_deadline(store, interrupts) -> None:
    await interrupts.save(record())

    live = await the_live(store)
    assert (live.operation_id, live.run_id, live.expires_at) == (ID, ID, None)
    assert (live.tool_name, live.input_json) == ("refund", '{"order":"o-1","amount":12.5}')
    assert (live.title, live.body) == ("Allow refund?", "Pays a customer back.")
    assert live.asked_by.name == "support"
    assert {fact.label: fact.value for fact in live.facts} == {"Session": "sess-1", "Trip": "3", "Tags": "money"}
    assert (live.approvers, live.destination) == (AUDIENCE.approvers, AUDIENCE.destination)
    assert not await store.expire_due(now=live.created_at + 10_000 * HOUR)


async def test_what_was_never_saved_is_not_there(interrupts) -> None:
    assert await interrupts.load(ID) is None
    assert await interrupts.decision(ID) is None
    assert await interrupts.load("") is None
    assert list(await interrupts.list()) == []


async def test_another_save_takes_the_place_of_the_live_one(store, interrupts) -> None:
    await interrupts.save(record())
    await interrupts.save(record(savedAt="later"))

    old, new = await asks(store)
    assert (old.state, old.superseded_by, new.supersedes) == (State.SUPERSEDED, new.id, old.id)
    assert (new.state, new.operation_id) == (State.PENDING, f"{ID}#2")
    assert await interrupts.load(ID) == record(savedAt="later")
    assert list(await interrupts.list()) == [ID]


async def test_the_same_save_again_asks_nobody_again(store, interrupts) -> None:
    for _ in range(3):
        await interrupts.save(record())

    assert len(await asks(store)) == 1


async def test_after_a_decision_a_save_asks_anew(store, interrupts) -> None:
    for number in range(3):
        await interrupts.save(record())
        await rule(store, decision=Decision.DENY if number else Decision.ALLOW_ONCE)
        assert await interrupts.load(ID) is None
        assert list(await interrupts.list()) == []
    await interrupts.save(record())

    states = [each.state.value for each in await asks(store)]
    assert states == ["approved", "denied", "denied", "pending"]
    assert await interrupts.load(ID) == record()


async def test_a_resolved_record_withdraws_what_is_pending_and_decides_nothing(store, interrupts) -> None:
    await interrupts.save(record())
    await interrupts.save(record(status="resolved"))
    await interrupts.save(record(status="resolved"))

    (gone,) = await asks(store)
    assert (gone.state, gone.decision) == (State.WITHDRAWN, None)
    assert await interrupts.load(ID) is None
    assert await interrupts.decision(ID) is None


async def test_a_resolved_record_leaves_a_decision_as_it_is(store, interrupts) -> None:
    await interrupts.save(record())
    decided = await rule(store)

    await interrupts.save(record(status="resolved"))

    assert await asks(store) == [decided]


async def test_a_resolved_record_of_what_is_not_there_asks_nobody(store, interrupts) -> None:
    await interrupts.save(record(status="resolved"))

    assert await asks(store) == []


async def test_deleting_withdraws_once_and_then_does_nothing(store, interrupts) -> None:
    await interrupts.delete(ID)
    await interrupts.save(record())
    await interrupts.delete(ID)
    await interrupts.delete(ID)

    (gone,) = await asks(store)
    assert gone.state is State.WITHDRAWN
    assert await said(store, gone) == ["created", "withdrawn"]
    assert await interrupts.load(ID) is None


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: ascii(text)[:30])
async def test_an_id_is_only_ever_itself(store, interrupts, hostile) -> None:
    others = ["a", "ab", "a_b_c", "axb", "100", "#", "x" * 9_999]
    for each in others:
        await interrupts.save(record(each))
    await interrupts.save(record(hostile))
    await interrupts.save(record(hostile, again=True))

    assert await interrupts.load(hostile) == record(hostile, again=True)
    assert sorted(await interrupts.list()) == sorted({*others, hostile})
    assert hostile in await interrupts.list(hostile)
    await interrupts.delete(hostile)
    assert await interrupts.load(hostile) is None
    assert sorted(await interrupts.list()) == sorted(set(others) - {hostile})


async def test_the_hash_of_an_id_is_no_id_of_another(store, interrupts) -> None:
    long = "x" * 10_000
    await interrupts.save(record(long))
    (asked,) = await store.list_pending(tenant=TENANT)

    await interrupts.save(record(asked.run_id))

    assert sorted(await interrupts.list()) == sorted([long, asked.run_id])
    assert len(await store.list_pending(tenant=TENANT)) == 2


async def test_a_prefix_is_taken_letter_by_letter(interrupts) -> None:
    for each in ("a%b", "a%c", "axb", "a_b", "A%b", "%", "_"):
        await interrupts.save(record(each))

    assert list(await interrupts.list("a%")) == ["a%b", "a%c"]
    assert list(await interrupts.list("a_")) == ["a_b"]
    assert list(await interrupts.list("%")) == ["%"]
    assert list(await interrupts.list("a%b%")) == []
    assert len(await interrupts.list()) == 7


async def test_more_live_ones_than_a_page_holds_are_all_listed(store, interrupts) -> None:
    ids = [f"agent.{number:03}" for number in range(205)]
    await asyncio.gather(*(interrupts.save(record(each)) for each in ids))

    assert list(await interrupts.list("agent.")) == ids


CONTENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "long args": lambda: record(request={"toolName": "t", "args": {"text": "x" * 300_000}}),
    "long everything": lambda: record(request={"toolName": "t" * 9_999, "toolDescription": "d" * 99_999, "args": 1}),
    "integers beyond all readers": lambda: record(request={"toolName": "t", "args": {"n": 2**64, "m": -(10**300)}}),
    "a nul and a lone surrogate": lambda: record(request={"toolName": "a\x00\ud800", "args": ["\x00", "\udfff"]}),
    "deep": lambda: record(request={"toolName": "t", "args": json.loads("[" * 90 + "]" * 90)}),
    "no request": lambda: {"interruptId": ID, "status": "pending"},
    "a request that is a text": lambda: record(request="do it"),
    "a context that is a list": lambda: record(request={"toolName": "t", "args": {}, "context": [1]}),
    "values of other types": lambda: record(
        request={"toolName": 7, "args": None, "context": {"agentName": {}, "sessionId": True, "tags": [{}]}}, savedAt=0
    ),
    "mrkdwn and controls": lambda: record(request={"toolName": "<!channel>", "args": {"a": "*b* \u202e <@U0ANA>"}}),
}


@pytest.mark.parametrize("name", CONTENTS)
async def test_odd_and_overlong_content_comes_back_and_can_be_decided(store, interrupts, name) -> None:
    kept = CONTENTS[name]()
    await interrupts.save(kept)

    assert await interrupts.load(ID) == kept
    live = await the_live(store)
    assert len(live.title) <= 150
    assert len((live.input_json or "").encode()) <= 64 * 1024
    assert len(live.body or "") <= 20_000
    await rule(store)
    decision = await interrupts.decision(ID)
    assert decision is not None
    assert decision.record == kept


async def test_an_input_that_is_too_long_is_shown_as_cut_and_bound_by_its_hash(store, interrupts) -> None:
    await interrupts.save(record(request={"toolName": "t", "args": "x" * 99_998}))
    first = await the_live(store)
    await interrupts.save(record(request={"toolName": "t", "args": "x" * 99_997 + "y"}))
    second = await the_live(store)

    assert "Only the first 30,000 of 100,000 characters of the input are shown here." in first.body
    assert json.loads(first.input_json)["characters"] == 100_000
    assert first.digest != second.digest


async def test_a_tool_that_cannot_be_named_leaves_the_whole_request_on_the_card(store, interrupts) -> None:
    request = {"toolName": "t" * 121, "args": {"a": 1}, "other": [2]}
    await interrupts.save(record(request=request))

    live = await the_live(store)
    assert (live.tool_name, json.loads(live.input_json)) == (UNNAMED, request)


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"status": "pending"},
        {"interruptId": "", "status": "pending"},
        {"interruptId": 7, "status": "pending"},
        {"interruptId": "i", "status": "done"},
        {"interruptId": "i"},
        {"interruptId": "i", "status": "pending", "x": float("nan")},
        {"interruptId": "i", "status": "pending", "x": {1: 2}},
        {"interruptId": "i", "status": "pending", "x": (1, 2)},
        {"interruptId": "i", "status": "pending", "x": {3}},
        {"interruptId": "i", "status": "pending", "x": b"raw"},
    ],
    ids=str,
)
async def test_what_could_not_come_back_as_it_was_is_refused(store, interrupts, bad) -> None:
    with pytest.raises(BadRecord):
        await interrupts.save(bad)

    assert list(await store.list_pending(tenant=TENANT)) == []


async def test_an_approval_is_a_decision_and_one_claimant_runs_it(store, interrupts) -> None:
    await interrupts.save(record())
    approval = await rule(store)

    decision = await interrupts.decision(ID)

    assert decision is not None
    assert (decision.as_json(), decision.record, decision.approval) == ({"type": "approve"}, record(), approval)
    claims = await asyncio.gather(*(interrupts.claim(decision) for _ in range(10)))
    assert [claim.execute for claim in claims].count(True) == 1
    again = await interrupts.decision(ID)
    assert again is not None
    assert not (await interrupts.claim(again)).execute


async def test_a_claim_whose_reply_was_lost_is_repeated_by_its_id(store, interrupts) -> None:
    await interrupts.save(record())
    await rule(store)
    decision = await interrupts.decision(ID)

    claims = [await interrupts.claim(decision, claim_id="clm_1", worker="w") for _ in range(2)]

    assert [claim.execute for claim in claims] == [True, True]
    assert claims[0].approval.claim.worker == "w"


@pytest.mark.parametrize(("feedback", "reason"), [("Too much.", "Too much."), (None, "Denied, without a reason.")])
async def test_a_denial_is_a_rejection_with_a_reason_and_runs_nothing(store, interrupts, feedback, reason) -> None:
    await interrupts.save(record())
    await rule(store, decision=Decision.DENY, feedback=feedback)

    decision = await interrupts.decision(ID)

    assert decision is not None
    assert decision.as_json() == {"type": "reject", "reason": reason}
    assert not (await interrupts.claim(decision)).execute


async def test_an_approval_with_changes_is_an_edit(store) -> None:
    audience = Audience(
        approvers=AUDIENCE.approvers, destination=AUDIENCE.destination, schemas={"refund": '{"type": "object"}'}
    )
    interrupts = InterruptStore(store, tenant=TENANT, audience=audience)
    await interrupts.save(record())
    live = await the_live(store)
    assert (live.terms.may_edit, live.input_schema) == (True, '{"type": "object"}')
    await rule(store, edited=Edited(input_json='{"order":"o-1","amount":5}', digest="edited"))

    decision = await interrupts.decision(ID)

    assert decision is not None
    assert decision.as_json() == {"type": "edit", "args": {"order": "o-1", "amount": 5}}
    assert (await interrupts.claim(decision)).execute


async def test_what_stands_for_the_args_is_not_edited(store) -> None:
    audience = Audience(approvers=AUDIENCE.approvers, destination=AUDIENCE.destination, schemas={"refund": "{}"})
    await InterruptStore(store, tenant=TENANT, audience=audience).save(
        record(request={"toolName": "refund", "args": {"amount": 2**64}})
    )

    assert not (await the_live(store)).terms.may_edit


async def test_a_decision_before_a_new_ask_is_of_the_past(store, interrupts) -> None:
    await interrupts.save(record())
    await rule(store)
    await interrupts.save(record(savedAt="later"))

    assert await interrupts.decision(ID) is None


async def test_many_saves_at_once_leave_one_live(store, interrupts) -> None:
    records = [record(savedAt=str(number)) for number in range(12)]

    await asyncio.gather(*(interrupts.save(each) for each in records))

    assert await interrupts.load(ID) in records
    states = [each.state for each in await asks(store)]
    assert states == [State.SUPERSEDED] * (len(states) - 1) + [State.PENDING]
    assert len(states) == 12


async def test_the_same_save_many_times_at_once_asks_once(store, interrupts) -> None:
    await asyncio.gather(*(interrupts.save(record()) for _ in range(12)))

    assert [each.state for each in await asks(store)] == [State.PENDING]


async def test_saves_against_clicks_and_deletions_leave_at_most_one_live(store, interrupts) -> None:
    await interrupts.save(record())
    live = await the_live(store)

    await asyncio.gather(
        *(interrupts.save(record(savedAt=str(number))) for number in range(5)),
        decide(store, live, at=live.created_at + MINUTE),
        interrupts.delete(ID),
    )

    all_ = await asks(store)
    assert sum(each.is_pending for each in all_) <= 1
    assert [each.is_pending for each in all_[:-1]] == [False] * (len(all_) - 1)


async def test_a_tenant_sees_none_of_another(store, interrupts) -> None:
    theirs = InterruptStore(store, tenant=OTHER, audience=AUDIENCE)
    await interrupts.save(record())

    await theirs.delete(ID)

    assert await theirs.load(ID) is None
    assert list(await theirs.list()) == []
    await theirs.save(record(savedAt="theirs"))
    assert await interrupts.load(ID) == record()


async def test_other_asks_are_no_interrupts_also_in_a_run_of_that_name(store, interrupts) -> None:
    await store.create_approval(approval=an_approval(run_id=ID, operation_id="op"))

    assert await interrupts.load(ID) is None
    assert list(await interrupts.list()) == []
    await interrupts.delete(ID)
    await interrupts.save(record())
    assert await interrupts.load(ID) == record()
    assert len(await store.list_pending(tenant=TENANT)) == 2


async def test_an_operation_that_somebody_else_asked_is_a_conflict(store, interrupts) -> None:
    await store.create_approval(approval=an_approval(run_id=ID, operation_id=ID))

    with pytest.raises(errors.Conflict):
        await interrupts.save(record())


async def test_the_schema_is_that_of_the_database(store, interrupts) -> None:
    assert interrupts.schema() == schema(store.dialect)
    assert (interrupts.schema() == "") is (store.dialect == "memory")


@pytest.mark.parametrize(
    "audience",
    [
        Audience(approvers=Approvers(), destination=AUDIENCE.destination),
        Audience(approvers=AUDIENCE.approvers, destination=Destination()),
    ],
)
async def test_an_audience_of_nobody_is_refused(store, audience) -> None:
    with pytest.raises(ValueError, match="name"):
        InterruptStore(store, tenant=TENANT, audience=audience)


async def test_a_clock_that_goes_back_leaves_the_newest_the_newest(store_url) -> None:
    times = [NOW, NOW - HOUR, NOW - 2 * HOUR, NOW - 2 * HOUR]
    store = await open_store(store_url, now=lambda: times[0])
    interrupts = InterruptStore(store, tenant=TENANT, audience=AUDIENCE)
    for number in range(4):
        await interrupts.save(record(savedAt=str(number)))
        times = times[1:] or times

    assert await interrupts.load(ID) == record(savedAt="3")
    assert [each.is_pending for each in await asks(store)] == [False, False, False, True]
    await store.close()
