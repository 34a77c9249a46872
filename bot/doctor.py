"""What an operator should know: does everything answer, is anything stuck, and what to do about it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from bot.settings import HalfConfigured, Settings, load_settings
from bot.slack.client import Done, SlackClient, open_session
from bot.wiring import TENANT
from store.open import open_store
from store.protocol import Store
from store.types import Interaction, PostingState, State

#: How many rows a look at what is stuck reads.
_LOOK_AT = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    is_well: bool
    text: str


async def examine() -> list[Finding]:
    """All findings, worst news included; reads only."""
    try:
        settings = load_settings()
    except HalfConfigured as error:
        return [Finding(is_well=False, text=str(error))]
    findings = [finding async for finding in _slack(settings)]
    try:
        store = await open_store(settings.database_url)
    except Exception as error:  # noqa: BLE001  whatever it is, the operator has to read it
        return [*findings, Finding(is_well=False, text=f"Database: {error}")]
    try:
        return [*findings, *[finding async for finding in _database(store)]]
    finally:
        await store.close()


async def _slack(settings: Settings) -> AsyncIterator[Finding]:
    async with open_session() as session:
        token = settings.slack_bot_token.get_secret_value()
        client = SlackClient(token=token, base_url=settings.slack_api_url, session=session)
        outcome = await client.call("auth.test")
        if isinstance(outcome, Done):
            yield Finding(is_well=True, text=f"Slack: {outcome.data.get('user')} in {outcome.data.get('team')}")
        else:
            yield Finding(is_well=False, text=f"Slack: auth.test says {outcome.error}. Check SLACK_BOT_TOKEN.")


async def _database(store: Store) -> AsyncIterator[Finding]:
    await store.ping()
    installation = await store.find_installation(tenant=TENANT)
    if installation is None:
        yield Finding(is_well=False, text="Database: not bound to a workspace yet. Start `signoff-bot serve` once.")
    else:
        yield Finding(is_well=True, text=f"Database: bound to {installation.team_name} ({installation.team_id})")
    keys = [key for key in await store.list_keys(tenant=TENANT) if key.revoked_at is None]
    yield Finding(
        is_well=bool(keys),
        text=f"Keys: {len(keys)} in use" if keys else "Keys: none. `signoff-bot keys create` makes one.",
    )
    async for finding in _waiting(store):
        yield finding


async def _waiting(store: Store) -> AsyncIterator[Finding]:
    page = await store.list_interactions(
        tenant=TENANT, states={State.APPROVED, State.DENIED}, claimed=False, limit=_LOOK_AT
    )
    stuck = [interaction for interaction in page.items if interaction.resumption.stuck_at is not None]
    for interaction in stuck:
        yield Finding(is_well=False, text=f"Stuck: {_name(interaction)}; `signoff-bot wake {interaction.short_code}`")
    if not stuck:
        yield Finding(is_well=True, text="Runs: none is stuck")
    pending = await store.list_pending(tenant=TENANT, limit=_LOOK_AT)
    copies = await store.find_postings(tenant=TENANT, interaction_ids=[interaction.id for interaction in pending])
    for interaction in pending:
        for copy in copies[interaction.id]:
            if copy.state is PostingState.FAILED:
                yield Finding(
                    is_well=False, text=f"Card not posted: {_name(interaction)} to {copy.address}: {copy.error}"
                )


def _name(interaction: Interaction) -> str:
    return f"{interaction.short_code} {interaction.title!r} (run {interaction.run_id})"
