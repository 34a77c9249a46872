"""What an operator should know: does everything answer, is anything stuck, and what to do about it."""

import re
import shlex
from collections.abc import AsyncIterator, Iterator

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import SystemClock
from bot.console import MAKE_KEY
from bot.doctor_policies import policies
from bot.failures import sentence
from bot.findings import Finding, bad, name, well
from bot.manifest import template
from bot.people import Directory
from bot.policy_console import live_keys
from bot.resume.handlers import BadApp
from bot.resume.hosted_app import load_handlers
from bot.resume.practice import hello
from bot.settings import HalfConfigured, Settings, load_database_settings, load_settings, missing_file, not_there
from bot.slack.client import CALL_TIMEOUT, SlackClient, open_session
from bot.slack.directory import SlackDirectory
from bot.slack.roster import Roster, Unlisted
from bot.stop_words import line
from bot.wiring import TENANT
from store.open import open_store
from store.protocol import Store
from store.types import Approval, Interaction, PostingState, ResumeKind, State

#: How many rows one look at what is stuck reads, and how many looks.
_LOOK_AT = 200
_LOOKS = 10
_UNCLAIMED = (State.APPROVED, State.DENIED)
_UNTOLD = (State.ANSWERED, State.EXPIRED, State.WITHDRAWN, State.SUPERSEDED)


async def examine(app: str | None = None) -> list[Finding]:
    """All findings, worst news included. Changes nothing, and makes no database.

    `app`: the module of handlers that the workers are started with; where it is None, that of the settings.
    """
    try:
        settings = load_settings()
    except HalfConfigured as error:
        findings = [bad(f"Settings: {line}") for line in str(error).splitlines()]
        try:
            url = load_database_settings().database_url
        except HalfConfigured as wrong:
            return findings or [bad(str(wrong))]
        return [*findings, *[finding async for finding in _database(url, app, None)]]
    async with open_session() as session:
        findings = [finding async for finding in _slack(settings, session)]
        # Where Slack itself is unwell, it is asked about nobody.
        directory = await _directory(settings, session) if all(finding.is_well for finding in findings) else None
        found = [finding async for finding in _database(settings.database_url, app or settings.app, directory)]
        if directory is not None:
            await directory.close()
    return [*findings, *found]


async def _directory(settings: Settings, session: aiohttp.ClientSession) -> SlackDirectory | None:
    """None where Slack does not say of which workspace its token is."""
    token = settings.slack_bot_token.get_secret_value()
    client = SlackClient(token=token, base_url=settings.slack_api_url, session=session)
    try:
        team = await Roster(client, pause=None).team()
    except Unlisted:
        return None
    return SlackDirectory(client=client, clock=SystemClock(), team=team, click_budget=CALL_TIMEOUT)


async def _slack(settings: Settings, session: aiohttp.ClientSession) -> AsyncIterator[Finding]:
    base = settings.slack_api_url
    bot = settings.slack_bot_token.get_secret_value()
    client = AsyncWebClient(token=bot, base_url=base, session=session, retry_handlers=[])
    try:
        reply = await client.auth_test()
    except SlackApiError as error:
        yield bad(f"Slack: auth.test says {_word(error)}. Check SLACK_BOT_TOKEN.")
        return
    except (aiohttp.ClientError, OSError) as error:
        yield bad(f"Slack: {base} does not answer ({type(error).__name__}). Clicks still decide; cards wait for it.")
        return
    yield well(f"Slack: {reply.get('user')} in {reply.get('team')}")
    for finding in _scopes({header.lower(): value for header, value in reply.headers.items()}.get("x-oauth-scopes")):
        yield finding
    app = settings.slack_app_token.get_secret_value()
    if app:
        try:
            await AsyncWebClient(base_url=base, session=session, retry_handlers=[]).apps_connections_open(app_token=app)
        except SlackApiError as error:
            yield bad(f"Socket Mode: apps.connections.open says {_word(error)}. Check SLACK_APP_TOKEN.")
        else:
            yield well("Socket Mode: Slack lets us connect")


def _word(error: SlackApiError) -> str:
    """Slack's own word, or the status where it sent none."""
    found = error.response.get("error") if hasattr(error.response, "get") else None
    return str(found or f"status {getattr(error.response, 'status_code', '?')}")


def _scopes(granted: str | None) -> Iterator[Finding]:
    """Slack names a token's scopes in a header; other servers may not, and then nothing is known."""
    if granted is None:
        return
    missing = sorted(_wanted() - {scope.strip() for scope in granted.split(",")})
    if missing:
        yield bad(f"Scopes: {', '.join(missing)} missing. Update the app's manifest and reinstall the app.")
    else:
        yield well("Scopes: all granted")


def _wanted() -> set[str]:
    """The bot scopes of our own manifest."""
    bot = template().partition("    bot:\n")[2]
    block = re.match(r"(?:      - [\w.:]+\n)+", bot)
    return set(re.findall(r"- ([\w.:]+)", block[0])) if block else set()


async def _database(url: str, app: str | None, directory: Directory | None) -> AsyncIterator[Finding]:
    missing = missing_file(url)
    if missing is not None:
        yield bad(f"Database: {not_there(missing)}.")
        return
    try:
        store = await open_store(url)
    except Exception as error:
        words = sentence(error)
        if words is None:
            raise
        yield bad(f"Database: {words}")
        return
    try:
        async for finding in _rows(store):
            yield finding
        async for finding in policies(store, TENANT, directory):
            yield finding
        if app is not None:
            async for finding in _handlers(store, app):
                yield finding
    finally:
        await store.close()


async def _rows(store: Store) -> AsyncIterator[Finding]:
    await store.ping()
    installation = await store.find_installation(tenant=TENANT)
    if installation is None:
        yield bad("Database: not bound to a workspace yet. Start `signoff-bot serve` once.")
    else:
        yield well(f"Database: bound to {installation.team_name} ({installation.team_id})")
    yield await _keys(store)
    stuck = await store.list_stuck(tenant=TENANT, limit=_LOOK_AT)
    for interaction in stuck:
        yield bad(f"Stuck: {name(interaction)} is {interaction.state}; {_what_to_do(interaction)}")
    if not stuck:
        yield well("Runs: none is stuck")
    for approval in await store.list_unknown(tenant=TENANT, limit=_LOOK_AT):
        settle = f"`signoff-bot settle {approval.short_code} --happened`, or `--did-not` to let it run once more"
        yield bad(f"Unknown: {name(approval)} promised to report and did not; look whether it happened, then {settle}")
    for stop in await store.list_stops(tenant=TENANT):
        again = "" if stop.tool is None else f" {shlex.quote(stop.tool)}"
        yield bad(f"Stopped: {line(stop)}; `signoff-bot go{again}` lets it go on")
    async for finding in _unposted(store):
        yield finding


async def _keys(store: Store) -> Finding:
    live = await live_keys(store, TENANT)
    if not live:
        return bad(f"Keys: none in use. {MAKE_KEY} makes one.")
    return well(f"Keys: {len(live)} in use")


async def _unfinished(store: Store) -> AsyncIterator[Interaction]:
    """Decisions that nobody claimed, and all other outcomes, whether or not they reached their run."""
    for states, claimed in ((_UNCLAIMED, False), (_UNTOLD, None)):
        cursor = None
        for _ in range(_LOOKS):
            page = await store.list_interactions(
                tenant=TENANT, states=states, claimed=claimed, limit=_LOOK_AT, cursor=cursor
            )
            for interaction in page.items:
                yield interaction
            cursor = page.next_cursor
            if cursor is None:
                break


async def _handlers(store: Store, app: str) -> AsyncIterator[Finding]:
    """Names that an ask gave, and no function of the module has. Other workers may: that is not known here."""
    try:
        theirs = load_handlers(app)
        known = theirs.with_ours(hello).names
    except BadApp as error:
        yield bad(f"Handlers: {error}")
        return
    except Exception as error:  # noqa: BLE001  whatever the module raised when it was imported
        yield bad(f"Handlers: --app {app}: {type(error).__name__}: {error}")
        return
    waiting = list(await store.list_pending(tenant=TENANT, limit=_LOOK_AT))
    waiting += [one async for one in _unfinished(store) if one.resumption.told_at is None]
    unknown = {
        one.resume.target: one
        for one in reversed(waiting)
        if one.resume.kind is ResumeKind.HANDLER and one.resume.target not in known
    }
    for wanted, one in unknown.items():
        yield bad(
            f"Handlers: no worker here knows the handler {wanted!r}, which {name(one)} waits for. Correct the ask, "
            "or start a worker whose --app has it"
        )
    if not unknown:
        yield well(f"Handlers: {', '.join(sorted(theirs.names))}")


def _what_to_do(interaction: Interaction) -> str:
    if isinstance(interaction, Approval) and interaction.lapsed_at is not None:
        return "its time to run is over: ask again"
    if interaction.resume.kind is ResumeKind.PULL:
        return "its run has to claim it (it asks for decisions itself)"
    error = interaction.resumption.last_error
    return f"`signoff-bot wake {interaction.short_code}`" + (f" (last: {error})" if error else "")


async def _unposted(store: Store) -> AsyncIterator[Finding]:
    pending = await store.list_pending(tenant=TENANT, limit=_LOOK_AT)
    copies = await store.find_postings(tenant=TENANT, interaction_ids=[interaction.id for interaction in pending])
    for interaction in pending:
        for copy in copies[interaction.id]:
            if copy.state is PostingState.FAILED:
                yield bad(f"Card not posted: {name(interaction)} to {copy.channel or copy.address}: {copy.error}")
