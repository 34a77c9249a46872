"""Which tenant a request of Slack's belongs to: the one whose workspace it came from, or none."""

from bot.slack.payloads import Origin
from store.protocol import Store
from store.types import Installation


class Tenants:
    """Reads our own rows; remembers what it found, never that it found nothing."""

    def __init__(self, *, store: Store) -> None:
        self._store = store
        self._known: dict[str, Installation] = {}

    async def of(self, origin: Origin) -> str | None:
        """None for another workspace. (Another app cannot sign for ours: the secret is the app's.)"""
        installation = await self.find(origin.team_id or origin.person.team_id)
        return None if installation is None else installation.tenant

    async def find(self, team_id: str | None) -> Installation | None:
        if team_id is None:
            return None
        if team_id not in self._known:
            found = await self._store.find_installation_of_team(team_id=team_id)
            if found is None:
                return None
            self._known[team_id] = found
        return self._known[team_id]
