"""Hosted runs from outside: started by names, read, waited for, stopped and listed, by a client of either kind."""

import asyncio

import pytest

import signoff
from sandbox.server import Sandbox
from signoff.runtime import Proposal, Runtime
from tests.e2e.house import ANA, DEPLOYS
from tests.e2e.process import make_key, serving
from tests.sdk.cutter import Cutter
from tests.sdk.either import Either
from tests.sdk.runtime.stage import stage

ALIKE = {"to": "#deploys", "approvers": ["@ana", "@oncall-leads"]}
runtime = Runtime()


@runtime.code("release")
async def release(input, access):
    answer = await access.interaction.confirm(Proposal(title=f"Release {input['version']}"))
    if not answer.is_confirmed:
        raise RuntimeError(answer.feedback)
    return {"released": input["version"], "from": access.state.value}


@pytest.fixture
async def hosted(here, tmp_path):
    """A worker that has the code."""
    theirs = await stage(here, tmp_path / "effects.txt")
    async with theirs.hosting(runtime):
        yield theirs


async def started(so, run_id="release-1", **more):
    return await so.start_run("release", {"version": "1.4.2"}, run_id=run_id, **{**ALIKE, **more})


async def test_a_run_is_started_by_names_and_waited_for(here, so, hosted) -> None:
    run = await started(so, state=["prepared"])
    waiting = asyncio.create_task(so.wait_for_run(run))
    await hosted.click()
    found = await waiting

    assert (run.run_id, run.code, run.is_finished) == ("release-1", "release", False)
    assert (found.status, found.error) == ("completed", None)
    assert found.outcome == {"released": "1.4.2", "from": ["prepared"]}
    assert (found.action.kind, found.action.interaction.state) == ("user_ask_confirmation", "approved")
    assert found == await so.read_run("release-1")
    (asked,) = (await so.list(run_id="release-1")).items
    assert (asked.approvers.users, asked.approvers.groups) == ((ANA,), ("S07ONCALL01",))
    assert (asked.resolved_by.id, asked.postings[0].channel) == (ANA, DEPLOYS)


async def test_the_same_start_again_is_the_same_run_and_another_is_a_conflict(so) -> None:
    first = await started(so)

    assert await started(so) == first
    with pytest.raises(signoff.RunConflict, match="under another run_id") as refused:
        await started(so, state={"prepared": True})
    assert refused.value.id == "release-1"
    assert "operation" not in str(refused.value)


async def test_a_lost_answer_to_a_start_starts_nothing_twice(here, kind) -> None:
    async with Cutter(here.house.url).listening() as cutter:
        far = Either(kind(url=cutter.url, key=here.token, patience=5, environment={}))
        cutter.lose("/v1/runs", 2)
        run = await started(far)

        assert cutter.passed.count("POST /v1/runs") == 3
        assert [each.run_id for each in (await far.list_runs()).items] == [run.run_id]
        await far.close()


async def test_a_run_is_named_as_asks_are_and_never_invented(here, so, kind) -> None:
    terms = {"to": DEPLOYS, "approvers": ANA}
    in_ci = Either(kind(url=here.house.url, key=here.token, environment={"SIGNOFF_RUN_ID": "from-ci"}))

    bound = await so.run("release-7").start_run("release", **terms)
    found = await in_ci.start_run("release", **terms)
    with pytest.raises(signoff.NoRun, match="run_id="):
        await so.start_run("release", **terms)
    await in_ci.close()

    assert (bound.run_id, found.run_id) == ("release-7", "from-ci")
    assert len((await so.list_runs()).items) == 2


async def test_a_name_that_nobody_has_starts_nothing(so) -> None:
    with pytest.raises(signoff.UnknownName, match="@anna") as unknown:
        await started(so, approvers="@anna")

    assert unknown.value.name == "@anna"
    assert (await so.list_runs()).items == ()


async def test_what_is_no_json_and_what_is_no_term_is_refused_before_anything_is_sent(so) -> None:
    with pytest.raises(TypeError, match=r"input\['when'\] is of the type tuple"):
        await so.start_run("release", {"when": (1, 2)}, run_id="r", **ALIKE)
    with pytest.raises(TypeError, match=r"state is of the type set"):
        await started(so, state={1})
    with pytest.raises(TypeError, match="unexpected keyword argument 'aprovers'"):
        await started(so, aprovers="@ana")
    assert (await so.list_runs()).items == ()


async def test_a_wait_that_is_over_leaves_the_run_and_says_so(so) -> None:
    run = await started(so)

    with pytest.raises(signoff.StillRunning) as still:
        await so.wait_for_run("release-1", timeout=0)

    assert still.value.run == run
    assert isinstance(still.value, TimeoutError)
    assert str(still.value).startswith("The run release-1 is not finished: it is queued.")


async def test_a_wait_outlives_a_server_that_is_killed_and_started_again(kind, tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with Sandbox() as slack, Cutter("").listening() as cutter:
        async with serving(slack, database) as first:
            token = await make_key(slack, database)
            cutter.upstream = first.url
            so = Either(kind(url=cutter.url, key=token, patience=10, environment={}))
            run = await started(so)
            waiting = asyncio.create_task(so.wait_for_run(run))
            first.kill()
            await first.gone()
        async with serving(slack, database) as second:
            cutter.upstream = second.url
            assert not waiting.done()
            await so.stop_run(run)

            assert (await asyncio.wait_for(waiting, 30)).error.code == "RUN_STOPPED"
            await so.close()


async def test_a_run_whose_code_raises_comes_back_with_its_error(so, hosted) -> None:
    await started(so, respondents=["@ben"], expires_in=1)

    found = await so.wait_for_run("release-1", timeout=30)

    assert (found.status, found.outcome, found.error.code) == ("failed", None, "RUN_FAILED")
    assert "in time" in found.error.message


async def test_a_stopped_run_ends_and_a_second_stop_changes_nothing(so) -> None:
    run = await started(so)

    first = await so.stop_run(run, reason="The build was pulled")
    again = await so.stop_run("release-1", reason="Never mind")

    assert (first.stopped, again.stopped) == (True, True)
    assert first.run == again.run == await so.wait_for_run(run, timeout=5)
    assert (first.run.error.code, first.run.error.message) == ("RUN_STOPPED", "The build was pulled")
    assert (first.run.stop.by.kind, first.run.stop.reason) == ("api_key", "The build was pulled")


async def test_runs_are_listed_by_page_code_and_status(so) -> None:
    for name in ("one", "two", "three"):
        await started(so, name)
    await so.stop_run("two")

    page = await so.list_runs(limit=2)
    rest = await so.list_runs(limit=2, cursor=page.next_cursor)

    assert [run.run_id for run in (*page.items, *rest.items)] == ["three", "two", "one"]
    assert rest.next_cursor is None
    assert [run.run_id for run in (await so.list_runs(status="failed")).items] == ["two"]
    assert (await so.list_runs(code="other")).items == ()


@pytest.mark.parametrize("name", ["release/1 ä?", "..", ".", "%2F", "+"])
async def test_a_run_is_found_by_whatever_it_is_called(so, name) -> None:
    await started(so, name)

    assert (await so.read_run(name)).run_id == name
    assert (await so.stop_run(name)).stopped


async def test_a_run_that_is_not_there_is_said_to_be_so(so) -> None:
    with pytest.raises(signoff.NotFound):
        await so.read_run("nothing")
    with pytest.raises(signoff.NotFound):
        await so.wait_for_run("nothing", timeout=5)
