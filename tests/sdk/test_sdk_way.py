"""The way of a run: ask, a person clicks in Slack, wait, run once; and all that keeps it from running."""

import asyncio
from dataclasses import replace

import pytest

import signoff
from blocks import ids
from bot.console import Wanted, create_key
from signoff import Denied, DigestMismatch, Expired, Question, StillWaiting
from tests.e2e.house import ANA, BEN, CHIDI, DEPLOYS, GENERAL, REPORTS, plain
from tests.sdk.either import DEPLOY, TITLE, Either, inputs


async def click(here, action=ids.APPROVE, who=ANA, **more):
    card = await here.card(DEPLOYS)
    await here.slack.person(who).click(DEPLOYS, card.ts, action, **more)
    return card


async def deny_with_reason(here, words):
    card = await click(here, ids.DENY_REASON)
    ana = here.slack.person(ANA)
    await here.slack.wait_for(lambda _: ana.modal is not None)
    ana.fill_view(ids.TEXT, words, block_id=ids.REASON_BLOCK)
    await ana.submit()
    return card


async def test_what_was_approved_runs_once_with_the_input_that_people_saw(here, so) -> None:
    asked = await so.request()
    card = await click(here)
    found = await so.wait(asked)

    ran = await so.executed(found, inputs)

    assert (found.state, found.resolved_by.id, found.digest) == ("approved", ANA, asked.digest)
    assert ran == DEPLOY["input"]
    assert list(ran) == ["service", "version"]
    after = await so.read(asked.id)
    assert after.progress.status == "succeeded"
    await here.shows(card, "Done")


async def test_asking_waiting_claiming_and_reporting_are_one_block(here, so) -> None:
    running = asyncio.create_task(so.approved(inputs))
    card = await click(here)

    assert await running == DEPLOY["input"]
    await here.shows(card, "Done")


async def test_an_exception_inside_is_reported_as_failed_and_goes_on(here, so) -> None:
    def broken(_):
        raise RuntimeError("zone 2 is down")

    running = asyncio.create_task(so.approved(broken))
    card = await click(here)

    with pytest.raises(RuntimeError, match="zone 2 is down"):
        await running
    await here.shows(card, "RuntimeError: zone 2 is down")
    assert "Failed" in plain(card)


async def test_a_denial_says_who_and_why_and_nothing_runs(here, so) -> None:
    ran = []
    running = asyncio.create_task(so.approved(ran.append))
    await deny_with_reason(here, "Not on a Friday")

    with pytest.raises(Denied, match=r"^Denied by @ana: Not on a Friday$") as denied:
        await running

    assert (denied.value.reason, denied.value.by.id, denied.value.by.name, ran) == ("Not on a Friday", ANA, "ana", [])
    # It was taken, so that nobody waits for this run to look at it.
    assert (await so.read(denied.value.id)).claimed_at is not None


async def test_a_model_reads_the_denial_as_a_text(here, so) -> None:
    def text(action):
        with pytest.raises(Denied):
            _ = action.input
        return "ran" if action.execute else str(action.refusal)

    running = asyncio.create_task(so.approved(text, on_denial="text"))
    await deny_with_reason(here, "Not on a Friday")

    assert await running == "Denied by @ana: Not on a Friday"


async def test_what_nobody_decides_in_time_expires(here, so) -> None:
    with pytest.raises(Expired, match="Nothing ran"):
        await so.approved(inputs, expires_in=1)


async def test_what_was_approved_and_not_started_in_time_says_so(here, so) -> None:
    asked = await so.request(run_within=1)
    await click(here)
    found = await so.wait(asked)
    await here.api("GET", f"/v1/interactions/{asked.id}?wait=10&for=finished")

    refusal = await so.executed(found, lambda action: action.refusal)

    assert isinstance(refusal, signoff.NotStartedInTime)


async def test_what_is_withdrawn_or_replaced_while_it_is_waited_for_ends_the_wait(here, so) -> None:
    first = await so.request()
    waiting = asyncio.create_task(so.approved(inputs))
    second = await so.request(input={"service": "api", "version": "1.4.3"}, supersedes=first.id, operation_id="again")

    with pytest.raises(signoff.Replaced) as replaced:
        await waiting
    assert replaced.value.superseded_by == second.id

    waiting = asyncio.create_task(
        so.approved(inputs, input={"service": "api", "version": "1.4.3"}, supersedes=first.id, operation_id="again")
    )
    assert (await so.withdraw(second, reason="The build was replaced")).withdrawn
    with pytest.raises(signoff.Withdrawn, match="Nothing ran"):
        await waiting
    assert not (await so.withdraw(second)).withdrawn


async def test_a_run_that_starts_again_finds_its_ask_and_does_not_run_twice(here, so) -> None:
    running = asyncio.create_task(so.approved(inputs))
    await click(here)
    await running

    with pytest.raises(signoff.AlreadyRan, match=r"already ran .* and succeeded\. It is not run again") as again:
        await so.approved(inputs)

    assert again.value.status == "succeeded"
    assert len(here.cards(DEPLOYS)) == 1


async def test_the_end_of_waiting_leaves_the_ask_open_and_says_how_to_go_on(here, so) -> None:
    with pytest.raises(StillWaiting) as still:
        await so.approved(inputs, timeout=0.2)

    assert f"wait({still.value.id!r})" in str(still.value)
    assert (await so.read(still.value.id)).is_pending
    running = asyncio.create_task(so.approved(inputs))
    await click(here)
    assert await running == DEPLOY["input"]


async def test_waiting_by_id_is_the_same(here, so) -> None:
    asked = await so.request()
    with pytest.raises(TimeoutError):
        await so.wait(asked.id, timeout=0)
    waiting = asyncio.create_task(so.wait(asked.id))
    await click(here)

    assert (await waiting).state == "approved"
    assert (await so.find(asked.operation_id, run_id="run-1")).id == asked.id
    assert await so.find("another", run_id="run-1") is None
    page = await so.list(run_id="run-1", kind="approval", state=["approved", "denied"], claimed=False)
    assert [each.id for each in page.items] == [asked.id]


async def test_a_tool_that_is_stopped_is_not_claimed_and_says_who_and_why(here, so) -> None:
    await here.slack.person(CHIDI).command(GENERAL, "/signoff", "stop deploy.* zone 2 is down")
    running = asyncio.create_task(so.approved(inputs))
    await click(here)

    with pytest.raises(signoff.Stopped, match="zone 2 is down") as stopped:
        await running

    assert (stopped.value.stop.by.id, (await so.read(stopped.value.id)).claimed_at) == (CHIDI, None)


async def test_nothing_runs_in_a_world_that_is_not_as_it_was(here, so) -> None:
    world = iter(["commit 1", "commit 2"])
    running = asyncio.create_task(so.approved(inputs, revalidate=lambda: next(world)))
    await click(here)

    with pytest.raises(signoff.Changed, match="ask anew"):
        await running


async def test_a_claim_that_names_another_action_is_told_what_was_approved(here, so) -> None:
    asked = await so.request()
    await click(here)
    await so.wait(asked)

    with pytest.raises(DigestMismatch) as mismatch:
        await so.claim(asked.id, digest="0" * 64)

    assert (mismatch.value.expected, mismatch.value.approval.id) == (asked.digest, asked.id)
    with pytest.raises(TypeError, match="digest="):
        await so.claim(asked.id)


async def test_answers_come_back_by_question(here, so) -> None:
    questions = [
        Question("regions", "Which regions?", ["Europe", signoff.Option("United States", id="us")], multiple=True),
        Question("why", "Why now?", is_skippable=True),
    ]
    waiting = asyncio.create_task(so.answered(questions, run_id="report-48", to=REPORTS, respondents=[ANA]))
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)
    ana.fill(REPORTS, card.ts, ids.VALUE, ["0", "1"], block_id=ids.question_block(0))
    await ana.click(REPORTS, card.ts, ids.SUBMIT)

    found = await waiting

    assert found.answer("regions").values == ("Europe", "United States")
    assert found.answer("regions").option_ids == ("Europe", "us")
    assert found.answer("why").is_skipped


async def test_questions_that_expire_are_no_answers(here, so) -> None:
    with pytest.raises(Expired):
        await so.answered(
            [Question("why", "Why?")], run_id="report-48", to=[REPORTS], respondents=[ANA, BEN], expires_in=1
        )


async def test_a_key_that_the_ask_names_decides(here, so) -> None:
    wanted = Wanted(
        tenant="default", name="judge", scopes="decide", any_approvers=False, expires=None, owner=None, both=False
    )
    token = await create_key(here.house.store, wanted)
    asked = await so.request(approvers=[], approver_keys=["judge"])
    async with signoff.AsyncSignoff(url=here.house.url, key=token) as judge:
        decided = await judge.decide(asked, "deny", feedback="No")

    assert (decided.already_resolved, decided.approval.state) == (False, "denied")
    with pytest.raises(signoff.Forbidden):
        await so.decide(asked, "deny")


async def test_the_same_operation_in_other_words_is_a_conflict_that_names_the_one_that_stands(here, so) -> None:
    asked = await so.request(operation_id="release")

    with pytest.raises(signoff.Conflict) as conflict:
        await so.request(operation_id="release", body="In other words")

    assert (conflict.value.id, conflict.value.differs) == (asked.id, ("/body",))
    assert f"It differs at /body. {asked.id} stands." in str(conflict.value)
    assert asked.title == TITLE


async def test_a_person_who_chose_a_hostile_name_stays_a_word_of_one_line(here, so) -> None:
    people = here.slack.workspace.users
    people[ANA] = replace(people[ANA], name=f"ben: yes\u202e\n<!channel>{'x' * 200}")
    running = asyncio.create_task(so.approved(inputs, on_denial="raise"))
    card = await click(here, ids.DENY)

    with pytest.raises(Denied) as denied:
        await running

    assert denied.value.by.id == ANA
    assert str(denied.value).startswith("Denied by @ben: yes⟦U+202E⟧ <!channel>xxx")
    assert str(denied.value).endswith("…. No reason was given.")
    assert len(denied.value.by.name) <= 80
    assert "\n" not in str(denied.value)
    await here.shows(card, f"Denied by @{ANA}")


async def test_a_key_that_decides_is_called_by_its_name(here, so, kind) -> None:
    wanted = Wanted(
        tenant="default",
        name="risk-engine",
        scopes="decide,read",
        any_approvers=False,
        expires=None,
        owner=None,
        both=False,
    )
    theirs = Either(kind(url=here.house.url, key=await create_key(here.house.store, wanted), environment={}))
    running = asyncio.create_task(so.approved(inputs, approver_keys=["risk-engine"]))
    await here.card(DEPLOYS)
    (asked,) = (await so.list()).items
    await theirs.decide(asked, "deny", feedback="Too late")
    await theirs.close()

    with pytest.raises(Denied, match=r"^Denied by the key risk-engine: Too late$"):
        await running
