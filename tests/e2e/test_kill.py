"""`kill -9` at the worst moments: what was acknowledged stands, what was asked is painted, what was decided runs once."""

import pytest

from blocks import ids
from sandbox.server import Sandbox
from tests.e2e.house import ANA, BEN, DEPLOY, DEPLOYS, has_buttons, plain
from tests.e2e.process import call, command, make_key, serving


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


def patience(database: str) -> float:
    """Seconds after a restart: at once on SQLite, where the dead one's leases are freed; else they have to lapse."""
    return 10 if database.startswith("sqlite") else 60


async def test_a_kill_right_after_the_200_of_a_click_loses_nothing(slack, database) -> None:
    async with serving(slack, database) as first:
        token = await make_key(slack, database)
        asked = (await call("POST", f"{first.url}/v1/approvals", token, DEPLOY)).json
        card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS)))[0]
        down = slack.faults.add("chat.*", down=True)
        clicked = await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
        first.kill()
        assert clicked.status == 200
        await first.gone()
        slack.faults.remove(down)
    assert has_buttons(card)

    async with serving(slack, database) as second:
        await slack.wait_for(lambda _: "Approved" in plain(card), timeout=patience(database))
        claim_url = f"{second.url}/v1/approvals/{asked['id']}/claim"
        claims = [
            (await call("POST", claim_url, token, {"digest": asked["digest"], "claim_id": f"c{n}"})).json
            for n in (1, 2, 1)
        ]
        late = await slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY, stale=True)

    assert [claim["execute"] for claim in claims] == [True, False, True]
    assert late.ok


async def test_a_kill_right_after_the_201_of_an_ask_still_brings_the_card(slack, database) -> None:
    async with serving(slack, database) as first:
        token = await make_key(slack, database)
        down = slack.faults.add("chat.*", down=True)
        asked = await call("POST", f"{first.url}/v1/approvals", token, DEPLOY)
        first.kill()
        assert asked.status == 201
        await first.gone()
        slack.faults.remove(down)

    async with serving(slack, database) as second:
        await slack.wait_for(lambda ws: ws.messages(DEPLOYS), timeout=patience(database))
        again = await call("POST", f"{second.url}/v1/approvals", token, DEPLOY)

    assert (again.status, again.json["id"]) == (200, asked.json["id"])
    assert len(slack.workspace.messages(DEPLOYS)) == 1


async def test_a_killed_process_resumes_its_run_through_a_handler_once(slack, database) -> None:
    async with serving(slack, database) as first:
        token = await make_key(slack, database)
        asked = (
            await call("POST", f"{first.url}/v1/approvals", token, {**DEPLOY, "resume": {"handler": "deploy"}})
        ).json
        card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS)))[0]
        await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
        first.kill()
        await first.gone()

    async with serving(slack, database, arguments=("--app", "tests.e2e.handlers")) as second:
        await slack.wait_for(lambda _: "Done" in plain(card), timeout=patience(database))
        read = (await call("GET", f"{second.url}/v1/interactions/{asked['id']}", token)).json

    assert read["execution"]["status"] == "succeeded"
    assert read["execution"]["worker"] == "handler"


async def test_a_term_signal_ends_it_cleanly(slack, database) -> None:
    async with serving(slack, database) as running:
        code = await running.terminate()

    assert code == 0
    assert not [line for line in running.lines if '"level": "error"' in line]


async def test_a_second_serving_process_on_one_sqlite_file_is_refused(slack, tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with serving(slack, database):
        code, _, err = await command(slack, database, "serve")

    assert code == 1
    assert "signoff.db" in err


async def test_a_half_configured_start_names_what_is_missing(slack, tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"

    code, _, err = await command(slack, database, "serve", SLACK_SIGNING_SECRET="", SLACK_APP_TOKEN="")

    assert code == 1
    assert "SLACK_SIGNING_SECRET is missing" in err
    assert "Traceback" not in err
