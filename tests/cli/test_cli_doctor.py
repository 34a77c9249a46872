"""`signoff-bot doctor`: what it finds, what it says to do, and that it changes nothing."""

from datetime import timedelta

import aiohttp
import pytest
from aiohttp import web

from bot import practice
from bot.settings import Settings
from bot.wiring import running
from sandbox.seed import ANA, BEN, GONE, GUEST, ONCALL
from store.types import Approvers, Resume, ResumeKind
from tests.parts import open_parts
from tests.policies import gone_silent, policy

WEBHOOK = Resume(kind=ResumeKind.WEBHOOK, target="https://runs.example.com/resumed")


@pytest.fixture
async def bound(configured):
    """A shell whose database has been served once, and has a key."""
    async with running(Settings(DATABASE_URL=configured.database, **configured.environment)):
        pass
    await configured.key()
    return configured


async def test_where_all_is_well_it_says_so_and_ends_with_0(bound) -> None:
    said = await bound.run("doctor")

    assert said.code == 0, said
    assert [line.split()[0] for line in said.lines] == ["ok"] * len(said.lines)
    for words in ("Slack: signoff in Acme", "Database: bound to Acme", "Keys: 1 in use", "Runs: none is stuck"):
        assert words in said.out


async def test_without_settings_it_names_each_and_still_looks_at_the_database(shell) -> None:
    said = await shell.run("doctor")

    assert said.code == 1
    assert "MEND  Settings: SLACK_BOT_TOKEN is missing" in said.out
    assert "MEND  Settings: SLACK_SIGNING_SECRET is missing" in said.out
    assert f"MEND  Database: {shell.folder / 'signoff.db'} is not there yet. `signoff-bot serve` makes it" in said.out
    assert list(shell.folder.iterdir()) == []


async def test_a_database_that_was_never_served_is_not_bound(configured) -> None:
    async with open_parts(configured.database):
        pass

    said = await configured.run("doctor")

    assert said.code == 1
    assert "MEND  Database: not bound to a workspace yet" in said.out
    make = "`signoff-bot keys create --scopes ask,read --name ci-bot --any-approvers`"
    assert f"MEND  Keys: none in use. {make} makes one." in said.out


async def test_a_refused_token_and_a_silent_slack_are_told_apart(bound, slack) -> None:
    refused = await bound.run("doctor", SLACK_BOT_TOKEN="xoxb-another")
    slack.faults.add("auth.test", down=True)
    silent = await bound.run("doctor")

    assert (refused.code, silent.code) == (1, 1)
    assert "MEND  Slack: auth.test says invalid_auth. Check SLACK_BOT_TOKEN." in refused.out
    assert "does not answer" in silent.out
    assert "ok    Database: bound to Acme" in silent.out


async def test_socket_mode_is_tried(bound, slack) -> None:
    well = await bound.run("doctor", SLACK_APP_TOKEN=slack.app_token)
    unwell = await bound.run("doctor", SLACK_APP_TOKEN="xapp-another")

    assert "ok    Socket Mode: Slack lets us connect" in well.out
    assert unwell.code == 1
    assert "MEND  Socket Mode: apps.connections.open says invalid_auth. Check SLACK_APP_TOKEN." in unwell.out


async def test_a_revoked_and_an_expired_key_are_not_in_use(bound) -> None:
    await bound.run("keys", "revoke", "ci-bot")
    async with open_parts(bound.database) as parts:
        # Of a clock that stands still, long ago.
        parts.clock.advance(timedelta(days=-3650))
        await parts.key(name="old", lasts=timedelta(seconds=1))
    assert [line.split()[2] for line in (await bound.run("keys", "list")).lines if "old" in line] == ["expired"]

    said = await bound.run("doctor")

    assert said.code == 1
    assert "MEND  Keys: none in use." in said.out


async def test_what_is_stuck_comes_with_what_to_do(bound) -> None:
    async with open_parts(bound.database) as parts:
        key, _ = await parts.key(name="runs")
        told = await parts.ask(key, operation_id="one", resume=WEBHOOK)
        pulling = await parts.ask(key, operation_id="two")
        for asked in (told, pulling):
            await parts.decide(asked)
        now = parts.clock.now()
        (leased,) = await parts.store.lease_resumptions(
            now=now, until=now + timedelta(seconds=20), limit=5, handlers=(), webhooks=True
        )
        await parts.store.retry_resumption(
            interaction=leased.interaction, lease=leased.lease, error="status 500", due_at=None, now=now
        )
        later = parts.clock.advance(timedelta(hours=1))
        await parts.store.mark_stuck(now=later, limit=100)

    said = await bound.run("doctor")

    assert said.code == 1
    assert f"MEND  Stuck: {pulling.short_code} 'Deploy' (run run-1) is approved; its run has to claim it" in said.out
    assert f"`signoff-bot wake {told.short_code}` (last: status 500)" in said.out


async def test_what_nobody_claimed_in_its_time_has_to_be_asked_again(bound) -> None:
    async with open_parts(bound.database) as parts:
        asked = await parts.ask((await parts.key(name="runs"))[0])
        await parts.decide(asked)
        await parts.store.mark_stuck(now=parts.clock.advance(timedelta(days=2)), limit=100)

    said = await bound.run("doctor")

    words = "MEND  Stuck: {} 'Deploy' (run run-1) is approved; its time to run is over: ask again"
    assert words.format(asked.short_code) in said.lines


async def test_what_went_silent_and_what_is_stopped_come_with_what_to_do(bound) -> None:
    async with open_parts(bound.database) as parts:
        silent = await gone_silent(parts, (await parts.key(name="runs"))[0])
    await bound.run("stop", "deploy.*", "--reason", "zone 2 is down")

    said = await bound.run("doctor")

    assert said.code == 1
    unknown = [line for line in said.lines if line.startswith("MEND  Unknown: ")]
    assert len(unknown) == 1
    assert f"{silent.short_code} 'Deploy' (run run-1) promised to report and did not" in unknown[0]
    assert f"`signoff-bot settle {silent.short_code} --happened`, or `--did-not`" in unknown[0]
    (stopped,) = [line for line in said.lines if line.startswith("MEND  Stopped: ")]
    assert stopped.startswith("MEND  Stopped: deploy.* since ")
    assert stopped.endswith(": zone 2 is down; `signoff-bot go 'deploy.*'` lets it go on")


@pytest.mark.parametrize(
    ("approvers", "words"),
    [
        (Approvers(users=(ANA, BEN), quorum=2), "ok    Policies: prod"),
        (Approvers(users=(GONE, ANA), quorum=2), f"MEND  Policies: prod: {GONE} is a deactivated account"),
        (Approvers(users=(GONE, ANA), quorum=2), "MEND  Policies: prod: 2 approvals are needed, and 1 can give one"),
        (Approvers(users=(GONE,)), "MEND  Policies: prod: 1 approval is needed, and nobody can give one"),
        (Approvers(users=(GUEST,)), f"MEND  Policies: prod: {GUEST} is a guest account, and decides nothing"),
        (Approvers(groups=(ONCALL,)), "ok    Policies: prod"),
        (Approvers(users=("U0NOBODY",)), "MEND  Policies: prod: Slack does not say who U0NOBODY is"),
        (Approvers(groups=("S0NOWHERE",)), "MEND  Policies: prod: Slack does not let us read the group S0NOWHERE"),
        (Approvers(keys=("judge",)), "MEND  Policies: prod: there is no live key 'judge' with the scope decide"),
    ],
)
async def test_a_policy_that_nobody_can_fulfil_is_named(bound, approvers, words) -> None:
    async with open_parts(bound.database) as parts:
        await parts.store.set_policy(policy=policy(approvers=approvers))

    said = await bound.run("doctor")

    assert any(line.startswith(words) for line in said.lines), said
    assert said.code == int(words.startswith("MEND"))


async def test_a_key_whose_policy_is_gone_is_named(bound) -> None:
    await bound.run("policy", "set", "prod", "--approvers", ANA)
    await bound.key("deploy-bot", "--policy", "prod")
    well = await bound.run("doctor")
    await bound.run("policy", "remove", "prod")

    said = await bound.run("doctor")

    assert "ok    Policies: prod" in well.lines
    assert said.code == 1
    words = (
        "MEND  Policies: the key 'deploy-bot' is bound to 'prod', which is not there: what it asks under it is refused"
    )
    assert words in said.lines


HANDLERS = """
from bot.resume import Resumed, on_resume

@on_resume("deploy")
async def deploy(resumed: Resumed) -> None: ...
"""


async def test_a_handler_that_nobody_here_knows_is_named_where_the_module_is(bound) -> None:
    (bound.folder / "shop.py").write_text(HANDLERS)
    async with open_parts(bound.database) as parts:
        key, _ = await parts.key(name="runs")
        for place, name in enumerate(["deploy", "nope", "depoly"]):
            asked = await parts.ask(
                key, operation_id=name, title=name, resume=Resume(kind=ResumeKind.HANDLER, target=name)
            )
            if place:
                await parts.decide(asked)
        practising = practice.approval(tenant="default", person="U0ANA", after=None, now=parts.clock.now())
        await parts.store.create_approval(approval=practising)

    unasked = await bound.run("doctor")
    by_option = await bound.run("doctor", "--app", "shop")
    by_setting = await bound.run("doctor", SIGNOFF_APP="shop")

    assert (unasked.code, by_option.code) == (0, 1)
    assert "handler" not in unasked.out.lower()
    for name in ("nope", "depoly"):
        assert f"MEND  Handlers: no worker here knows the handler '{name}', which " in by_option.out
    assert practice.HANDLER not in by_option.out
    assert "handler 'deploy'" not in by_option.out
    assert by_setting.out == by_option.out


async def test_where_every_handler_is_known_they_are_listed(bound) -> None:
    (bound.folder / "shop.py").write_text(HANDLERS)

    said = await bound.run("doctor", "--app", "shop")

    assert (said.code, said.lines[-1]) == (0, "ok    Handlers: deploy")


@pytest.mark.parametrize(
    ("module", "words"),
    [("nowhere", "Handlers: --app nowhere: there is no module nowhere"), ("broken", "ZeroDivisionError")],
)
async def test_a_module_of_handlers_that_cannot_be_loaded_is_a_finding(bound, module, words) -> None:
    (bound.folder / "broken.py").write_text("1 / 0\n")

    said = await bound.run("doctor", "--app", module)

    assert said.code == 1
    assert words in said.lines[-1]
    assert "Traceback" not in said.err


async def test_a_card_that_could_not_be_posted_is_named(bound) -> None:
    async with open_parts(bound.database) as parts:
        key, _ = await parts.key(name="runs")
        asked = await parts.ask(key)
        now = parts.clock.now()
        (leased,) = await parts.store.lease_postings(now=now, until=now + timedelta(seconds=20), limit=1)
        await parts.store.retry_posting(
            posting=leased.posting, lease=leased.lease, error="channel_not_found", due_at=None
        )

    said = await bound.run("doctor")

    assert said.code == 1
    words = f"MEND  Card not posted: {asked.short_code} 'Deploy' (run run-1) to C0DEPLOY: channel_not_found"
    assert words in said.lines


OTHERS = ("channels:read", "groups:read", "im:write", "usergroups:read", "users:read", "users:read.email")
SCOPES = ("chat:write", "commands", *OTHERS)


@pytest.mark.parametrize(("granted", "code"), [(",".join((*SCOPES, "files:read")), 0), ("chat:write,commands", 1)])
async def test_scopes_are_compared_where_slack_names_them(bound, slack, granted, code) -> None:
    """The sandbox does not name them; Slack does, in a header: a relay in front of the sandbox adds it."""

    async def relay(request: web.Request) -> web.Response:
        url = f"{slack.api_url}{request.match_info['method']}"
        async with (
            aiohttp.ClientSession() as session,
            session.request(request.method, url, headers={"Authorization": request.headers["Authorization"]}) as reply,
        ):
            return web.json_response(await reply.json(), headers={"X-OAuth-Scopes": granted})

    app = web.Application()
    app.router.add_route("*", "/api/{method}", relay)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()

    said = await bound.run("doctor", SLACK_API_URL=f"http://127.0.0.1:{runner.addresses[0][1]}/api/")
    await runner.cleanup()

    assert said.code == code, said
    missing = f"MEND  Scopes: {', '.join(OTHERS)} missing. Update the app's manifest and reinstall"
    assert (missing in said.out) is (code == 1)
    assert ("ok    Scopes: all granted" in said.out) is (code == 0)
