"""One run that nobody can do anything with keeps no other from its worker or from its end."""

from typing import Any

import pytest

from store.runs import ActionKind
from tests.api.hosting import Worker, leased, run_now
from tests.api.site import Site


@pytest.fixture
def worker(site: Site) -> Worker:
    return Worker(site)


async def a_broken_run(site: Site) -> Any:
    """Started first, with a saved action that no version of ours asks."""
    run = await leased(site, run_id="broken")
    await site.parts.store.save_action(
        tenant="default",
        run_id="broken",
        token=run["token"],
        kind=ActionKind.QUESTIONS,
        request_json="{}",
        at=site.parts.clock.now(),
    )
    site.parts.clock.advance(1)
    return run


async def test_a_run_that_cannot_be_asked_for_keeps_no_other_from_its_worker(site: Site, worker: Worker) -> None:
    await a_broken_run(site)
    await leased(site, run_id="whole")
    site.parts.clock.advance(60)

    taken = await worker.lease()

    assert [run["run_id"] for run in taken] == ["whole"]


async def test_a_run_that_cannot_be_ended_keeps_no_other_from_its_end(site: Site) -> None:
    await a_broken_run(site)
    await leased(site, run_id="whole")
    for run_id in ("broken", "whole"):
        await site.call("POST", f"/v1/runs/{run_id}/stop", {})
    site.parts.clock.advance(60)

    assert await site.parts.service.end_stopped() == 1

    assert ((await run_now(site, "whole"))["status"], (await run_now(site, "broken"))["finished_at"]) == (
        "failed",
        None,
    )
