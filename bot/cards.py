"""What a posting shows: the newest state of its interaction, with names and links that only we know."""

from blocks import approval, outcome, plain, question
from blocks.surface import Message, Paint
from bot.slack.directory import SlackDirectory
from store.protocol import Store
from store.types import Approval, Interaction, Posting, QuestionSet, Role

#: Seconds that a card may wait for the name of who asked: the id would stay on it.
_NAME_WITHIN = 5.0


class Cards:
    """Renders from the database only, never from what Slack sent."""

    def __init__(
        self, *, store: Store, directory: SlackDirectory, team_url: str | None, operators: tuple[str, ...]
    ) -> None:
        self._store = store
        self._directory = directory
        self._team_url = team_url
        self._operators = operators

    async def render(self, interaction: Interaction, posting: Posting) -> Message:
        paint = await self._paint(interaction, posting)
        if posting.role is Role.NOTICE:
            failed = await self._failed_copy(interaction)
            address, error = (failed.address, failed.error or "") if failed is not None else ("", "")
            return outcome.dm_card_failed(interaction, address=address, error=error)
        if isinstance(interaction, Approval):
            return approval.card(interaction, paint)
        assert isinstance(interaction, QuestionSet)
        return question.card(interaction, paint)

    def plain(self, interaction: Interaction) -> Message:
        """Title and state only: for what Slack would not take whole."""
        return plain.card(interaction)

    def permalink(self, channel: str, ts: str, thread_ts: str | None) -> str | None:
        """Slack's own link to a message; built here, for a call between posting and recording could be cut off."""
        if self._team_url is None:
            return None
        link = f"{self._team_url.rstrip('/')}/archives/{channel}/p{ts.replace('.', '')}"
        return link if thread_ts is None else f"{link}?thread_ts={thread_ts}&cid={channel}"

    async def _paint(self, interaction: Interaction, posting: Posting) -> Paint:
        if interaction.is_pending:
            for group in interaction.approvers.groups:
                await self._directory.members(tenant=interaction.tenant, group=group)
        # Those with a copy of their own are named in the channel without a second ping.
        people = {user for user in (interaction.requested_by, *interaction.destination.users) if user is not None}
        replaced = None
        if isinstance(interaction, Approval) and interaction.supersedes is not None:
            replaced = await self._store.find_approval(tenant=interaction.tenant, id=interaction.supersedes)
        return Paint(
            revision=posting.wanted,
            names=await self._directory.names(people, within=_NAME_WITHIN),
            dm_users=frozenset(interaction.destination.users) - {posting.address},
            replaces=replaced,
            replaces_link=await self._link(interaction.tenant, interaction.supersedes),
            replaced_by_link=await self._link(interaction.tenant, interaction.superseded_by),
            operators=self._operators,
        )

    async def _link(self, tenant: str, id: str | None) -> str | None:
        if id is None:
            return None
        copies = (await self._store.find_postings(tenant=tenant, interaction_ids=[id]))[id]
        return next((copy.permalink for copy in copies if copy.permalink is not None), None)

    async def _failed_copy(self, interaction: Interaction) -> Posting | None:
        copies = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        return next((copy for copy in copies[interaction.id] if copy.failed_at is not None), None)
