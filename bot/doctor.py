"""What an operator should know: does everything answer, is anything stuck, and what to do about it."""

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.console import MAKE_KEY
from bot.failures import sentence
from bot.manifest import template
from bot.resume.handlers import BadApp, load_handlers
from bot.resume.practice import hello
from bot.settings import HalfConfigured, Settings, load_database_settings, load_settings, missing_file, not_there
from bot.slack.client import open_session
from bot.wiring import TENANT
from store.open import open_store
from store.protocol import Store
from store.types import Interaction, PostingState, ResumeKind, State

#: How many rows one look at what is stuck reads, and how many looks.
_LOOK_AT = 200
_LOOKS = 10
_UNCLAIMED = (State.APPROVED, State.DENIED)
_UNTOLD = (State.ANSWERED, State.EXPIRED, State.WITHDRAWN, State.SUPERSEDED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    is_well: bool
    text: str


async def examine(app: str | None = None) -> list[Finding]:
    """All findings, worst news included. Changes nothing, and makes no database.

    `app`: the module of handlers that the workers are started with; where it is None, that of the settings.
    """
    try:
        settings = load_settings()
    except HalfConfigured as error:
        findings = [_bad(f"Settings: {line}") for line in str(error).splitlines()]
    else:
        app = app or settings.app
        async with open_session() as session:
            findings = [finding async for finding in _slack(settings, session)]
    try:
        url = load_database_settings().database_url
    except HalfConfigured as error:
        return findings or [_bad(str(error))]
    return [*findings, *[finding async for finding in _database(url, app)]]


async def _slack(settings: Settings, session: aiohttp.ClientSession) -> AsyncIterator[Finding]:
    base = settings.slack_api_url
    bot = settings.slack_bot_token.get_secret_value()
    client = AsyncWebClient(token=bot, base_url=base, session=session, retry_handlers=[])
    try:
        reply = await client.auth_test()
    except SlackApiError as error:
        yield _bad(f"Slack: auth.test says {_word(error)}. Check SLACK_BOT_TOKEN.")
        return
    except (aiohttp.ClientError, OSError) as error:
        yield _bad(f"Slack: {base} does not answer ({type(error).__name__}). Clicks still decide; cards wait for it.")
        return
    yield _well(f"Slack: {reply.get('user')} in {reply.get('team')}")
    for finding in _scopes({name.lower(): value for name, value in reply.headers.items()}.get("x-oauth-scopes")):
        yield finding
    app = settings.slack_app_token.get_secret_value()
    if app:
        try:
            await AsyncWebClient(base_url=base, session=session, retry_handlers=[]).apps_connections_open(app_token=app)
        except SlackApiError as error:
            yield _bad(f"Socket Mode: apps.connections.open says {_word(error)}. Check SLACK_APP_TOKEN.")
        else:
            yield _well("Socket Mode: Slack lets us connect")


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
        yield _bad(f"Scopes: {', '.join(missing)} missing. Update the app's manifest and reinstall the app.")
    else:
        yield _well("Scopes: all granted")


def _wanted() -> set[str]:
    """The bot scopes of our own manifest."""
    bot = template().partition("    bot:\n")[2]
    block = re.match(r"(?:      - [\w.:]+\n)+", bot)
    return set(re.findall(r"- ([\w.:]+)", block[0])) if block else set()


async def _database(url: str, app: str | None) -> AsyncIterator[Finding]:
    missing = missing_file(url)
    if missing is not None:
        yield _bad(f"Database: {not_there(missing)}.")
        return
    try:
        store = await open_store(url)
    except Exception as error:
        words = sentence(error)
        if words is None:
            raise
        yield _bad(f"Database: {words}")
        return
    try:
        async for finding in _rows(store):
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
        yield _bad("Database: not bound to a workspace yet. Start `signoff-bot serve` once.")
    else:
        yield _well(f"Database: bound to {installation.team_name} ({installation.team_id})")
    yield await _keys(store)
    stuck = [one async for one in _unfinished(store) if one.resumption.stuck_at is not None]
    for interaction in stuck:
        yield _bad(f"Stuck: {_name(interaction)} is {interaction.state}; {_what_to_do(interaction)}")
    if not stuck:
        yield _well("Runs: none is stuck")
    async for finding in _unposted(store):
        yield finding


async def _keys(store: Store) -> Finding:
    now = await store.now()
    live = [
        key
        for key in await store.list_keys(tenant=TENANT)
        if key.revoked_at is None and (key.expires_at is None or key.expires_at > now)
    ]
    if not live:
        return _bad(f"Keys: none in use. {MAKE_KEY} makes one.")
    return _well(f"Keys: {len(live)} in use")


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
        yield _bad(f"Handlers: {error}")
        return
    except Exception as error:  # noqa: BLE001  whatever the module raised when it was imported
        yield _bad(f"Handlers: --app {app}: {type(error).__name__}: {error}")
        return
    waiting = list(await store.list_pending(tenant=TENANT, limit=_LOOK_AT))
    waiting += [one async for one in _unfinished(store) if one.resumption.told_at is None]
    unknown = {
        one.resume.target: one
        for one in reversed(waiting)
        if one.resume.kind is ResumeKind.HANDLER and one.resume.target not in known
    }
    for name, one in unknown.items():
        yield _bad(
            f"Handlers: no worker here knows the handler {name!r}, which {_name(one)} waits for. Correct the ask, "
            "or start a worker whose --app has it"
        )
    if not unknown:
        yield _well(f"Handlers: {', '.join(sorted(theirs.names))}")


def _what_to_do(interaction: Interaction) -> str:
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
                yield _bad(f"Card not posted: {_name(interaction)} to {copy.channel or copy.address}: {copy.error}")


def _name(interaction: Interaction) -> str:
    return f"{interaction.short_code} {interaction.title!r} (run {interaction.run_id})"


def _well(text: str) -> Finding:
    return Finding(is_well=True, text=text)


def _bad(text: str) -> Finding:
    return Finding(is_well=False, text=text)
