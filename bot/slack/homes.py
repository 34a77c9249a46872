"""Home tabs that are looked at: each is published when somebody opens it, and again when what it shows changes."""

import asyncio
from datetime import datetime, timedelta

import structlog

from blocks import home, pending
from bot.clock import Clock
from bot.lookups import Lookups
from bot.people import Person
from bot.service import Service
from bot.slack.client import Failed, SlackClient, Trouble
from bot.slack.directory import SlackDirectory
from store.protocol import Store
from store.types import Interaction

log = structlog.get_logger("signoff.homes")

#: Who opened their Home is thought to look at it for so long.
LATELY = timedelta(hours=24)
_MOST = 10_000
#: Seconds, where Slack says "later" without saying when.
_PAUSE = 10.0

_Who = tuple[str, str]  # (tenant, user id)


class Homes:
    """One per process. What it remembers is a help only: who opens Home, or clicks in it, sees it as it is.

    One call at a time, so that no older view can overtake a newer one; what changes meanwhile is drawn together.
    """

    def __init__(
        self, *, store: Store, service: Service, lookups: Lookups, directory: SlackDirectory, client: SlackClient,
        clock: Clock,
    ) -> None:  # fmt: skip
        self._store = store
        self._service = service
        self._lookups = lookups
        self._directory = directory
        self._client = client
        self._clock = clock
        self._lately: dict[_Who, tuple[datetime, Person]] = {}
        self._due: dict[_Who, None] = {}
        self._changed: dict[str, None] = {}
        self._bell = asyncio.Event()

    def opened(self, tenant: str, person: Person) -> None:
        """This person looks at their Home now."""
        who = (tenant, person.user_id)
        self._lately.pop(who, None)
        if len(self._lately) >= _MOST:
            self._lately.pop(next(iter(self._lately)))
        self._lately[who] = (self._clock.now(), person)
        self._due[who] = None
        self._bell.set()

    def heard(self, interaction_id: str) -> None:
        """This interaction changed."""
        if self._lately:
            self._changed[interaction_id] = None
            self._bell.set()

    async def run(self) -> None:
        """Until cancelled: publish whatever is due."""
        while True:
            await self._bell.wait()
            self._bell.clear()
            try:
                await self._round()
            except Exception:
                log.exception("home_failed")

    async def _round(self) -> None:
        changed, self._changed = list(self._changed), {}
        for id in changed:
            await self._find_concerned(id)
        while self._due:
            who = next(iter(self._due))
            del self._due[who]
            await self._publish(who)

    async def _find_concerned(self, id: str) -> None:
        since = self._clock.now() - LATELY
        self._lately = {who: seen for who, seen in self._lately.items() if seen[0] > since}
        for tenant in {tenant for tenant, _ in self._lately}:
            found = await self._store.find_interaction(tenant=tenant, id=id)
            if found is not None:
                users = await self._concerned(found)
                self._due |= {who: None for who in self._lately if who[0] == tenant and who[1] in users}

    async def _concerned(self, one: Interaction) -> set[str]:
        users = {*one.approvers.users, one.requested_by or ""}
        for group in one.approvers.groups:
            members = await self._directory.members(tenant=one.tenant, group=group)
            users |= members if isinstance(members, frozenset) else set()
        return users

    async def _publish(self, who: _Who) -> None:
        seen = self._lately.get(who)
        if seen is None:
            return
        tenant, user = who
        installation = await self._service.installation(tenant)
        rows = await self._lookups.home_for(tenant=tenant, person=seen[1], installation=installation)
        shown = [*rows.waiting[: home.MOST_ROWS], *rows.asked[: home.MOST_ROWS]]
        asking = (row.interaction.requested_by for row in shown)
        names = await self._directory.names(person for person in asking if person is not None)
        view = home.home(
            [pending.Row(interaction=row.interaction, link=row.link, can_decide=True) for row in rows.waiting],
            [pending.Row(interaction=row.interaction, link=row.link) for row in rows.asked],
            names=names,
            is_cut=rows.is_cut,
        )
        outcome = await self._client.call("views.publish", user_id=user, view=view.payload())
        if isinstance(outcome, Failed):
            log.warning("home_lost", person=user, error=outcome.error)
            if outcome.trouble is Trouble.LIMITED:
                self._due[who] = None
                await asyncio.sleep(_PAUSE if outcome.retry_after is None else outcome.retry_after)
