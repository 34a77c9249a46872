"""Home tabs that are looked at: each is published when somebody opens it, and again when what it shows changes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from blocks import home
from blocks.surface import View
from bot.clock import Clock
from bot.lookups import AtHome, Lookups
from bot.people import Person
from bot.service import Service
from bot.slack.client import Done, Failed, SlackClient, Trouble
from bot.slack.directory import SlackDirectory
from bot.slack.rows import drawn, people
from bot.tasks import TaskSet
from store.protocol import Store
from store.types import Approval, Interaction

log = structlog.get_logger("signoff.homes")

#: Who opened their Home is thought to look at it for so long.
LATELY = timedelta(hours=24)
#: Seconds before each further try of a Home that did not reach Slack; after the last it waits for the next change.
PAUSES = (1.0, 4.0, 15.0, 60.0)
#: People whose Homes are published at the same time.
AT_ONCE = 4
_MOST = 10_000
#: Seconds, where Slack says "later" without saying when.
_LIMITED_PAUSE = 10.0
_PASSING = frozenset({Trouble.DOWN, Trouble.RETRY})
#: Somebody else published in between: the same again is right.
_OVERTAKEN = "hash_conflict"
#: Slack's words for what only an administrator can mend.
_ADVICE = {"not_enabled": "switch on the Home tab: App Home, in the settings of the Slack app"}

_Who = tuple[str, str]  # (tenant, user id)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Due:
    """`at`: by the event loop's own time. `tries`: that failed since something changed.

    `shown`: what stands there without all links, as some card was on its way; `looks`: that found no more of them.
    """

    at: float = 0.0
    tries: int = 0
    looks: int = 0
    shown: View | None = None


class Homes:
    """One per process. What it remembers is a help only: who opens Home, or clicks in it, sees it as it is.

    One call at a time for each person, so that no older view can overtake a newer one; what changes meanwhile is drawn
    together. One person's trouble holds up nobody else. `pauses`: seconds.
    """

    def __init__(
        self, *, store: Store, service: Service, lookups: Lookups, directory: SlackDirectory, client: SlackClient,
        clock: Clock, pauses: Sequence[float] = PAUSES, operators: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self._store = store
        self._service = service
        self._lookups = lookups
        self._directory = directory
        self._client = client
        self._clock = clock
        self._pauses = pauses
        self._operators = operators
        self._lately: dict[_Who, tuple[datetime, Person]] = {}
        self._due: dict[_Who, _Due] = {}
        self._busy: set[_Who] = set()
        self._held_until = 0.0
        self._changed: dict[str, None] = {}
        self._bell = asyncio.Event()
        self._tasks = TaskSet(on_done=self._bell.set)

    def opened(self, tenant: str, person: Person) -> None:
        """This person looks at their Home now."""
        who = (tenant, person.user_id)
        self._lately.pop(who, None)
        if len(self._lately) >= _MOST:
            self._lately.pop(next(iter(self._lately)))
        self._lately[who] = (self._clock.now(), person)
        self._due[who] = _Due()
        self._bell.set()

    def heard(self, interaction_id: str) -> None:
        """This interaction changed."""
        if self._lately:
            self._changed[interaction_id] = None
            self._bell.set()

    async def run(self) -> None:
        """Until cancelled: publish whatever is due."""
        try:
            while True:
                await self._rung()
                await self._look_up_changed()
                self._start_due()
        finally:
            await self._tasks.cancel()

    async def _rung(self) -> None:
        """Until something happened, or a pause is over."""
        waiting = [max(due.at, self._held_until) for who, due in self._due.items() if who not in self._busy]
        now = _now()
        pause = max(min(waiting) - now, 0.0) if waiting and len(self._tasks) < AT_ONCE else None
        try:
            await asyncio.wait_for(self._bell.wait(), pause)
        except TimeoutError:
            return
        self._bell.clear()

    async def _look_up_changed(self) -> None:
        changed, self._changed = list(self._changed), {}
        for id in changed:
            try:
                await self._find_concerned(id)
            except Exception:
                log.exception("home_failed", interaction=id)

    async def _find_concerned(self, id: str) -> None:
        since = self._clock.now() - LATELY
        self._lately = {who: seen for who, seen in self._lately.items() if seen[0] > since}
        for tenant in {tenant for tenant, _ in self._lately}:
            found = await self._store.find_interaction(tenant=tenant, id=id)
            if found is not None:
                users = await self._concerned(found)
                self._due |= {who: _Due() for who in self._lately if who[0] == tenant and who[1] in users}

    async def _concerned(self, one: Interaction) -> set[str]:
        users = {*one.deciders.users, one.requested_by or ""}
        for group in one.deciders.groups:
            members = await self._directory.members(tenant=one.tenant, group=group)
            users |= members if isinstance(members, frozenset) else set()
        # Whatever was begun may have been silent a moment ago.
        has_begun = isinstance(one, Approval) and (one.claim is not None or one.course.settlement is not None)
        return users | self._operators if has_begun else users

    def _start_due(self) -> None:
        """Oldest first; who is being published stays due, and comes after that."""
        now = _now()
        if now < self._held_until:
            return
        ready = [who for who, due in self._due.items() if due.at <= now and who not in self._busy]
        for who in ready[: AT_ONCE - len(self._tasks)]:
            self._busy.add(who)
            self._tasks.start(f"home.{who[1]}", self._turn(who, self._due.pop(who)))

    async def _turn(self, who: _Who, due: _Due) -> None:
        outcome: Done | Failed | None = None
        try:
            outcome = await self._publish(who, due)
        except Exception:
            log.exception("home_failed", person=who[1])
            outcome = Failed(trouble=Trouble.RETRY, error="(internal)")
        finally:
            self._busy.discard(who)
        if isinstance(outcome, Failed):
            self._refused(who, due, outcome)

    def _refused(self, who: _Who, due: _Due, failed: Failed) -> None:
        again: float | None = None
        tries = due.tries
        if failed.trouble is Trouble.LIMITED:
            # Of the method, whoever is meant; it says nothing about this view.
            again = _LIMITED_PAUSE if failed.retry_after is None else failed.retry_after
            self._held_until = max(self._held_until, _now() + again)
        elif failed.trouble in _PASSING or failed.error == _OVERTAKEN:
            again = self._pauses[tries] if tries < len(self._pauses) else None
            tries += 1
        advice = _ADVICE.get(failed.error)
        told = {"advice": advice} if advice is not None else {}
        log.warning("home_lost", person=who[1], error=failed.error, again_in=again, tries=tries, **told)
        if again is not None:
            # What changed meanwhile is due at once, and as good as new.
            self._due.setdefault(who, _Due(at=_now() + again, tries=tries))

    async def _publish(self, who: _Who, due: _Due) -> Done | Failed | None:
        """None: nobody looks any more."""
        seen = self._lately.get(who)
        if seen is None:
            return None
        tenant, user = who
        installation = await self._service.installation(tenant)
        rows = await self._lookups.home_for(
            tenant=tenant, person=seen[1], installation=installation, is_operator=user in self._operators
        )
        view, is_linked = await self._drawn(rows)
        outcome: Done | Failed = Done(data={})
        if view != due.shown:
            outcome = await self._client.call("views.publish", user_id=user, view=view.payload())
        if isinstance(outcome, Done) and not is_linked and due.looks < len(self._pauses):
            # A card that is posted a moment later changes nothing that anybody hears of.
            at = _now() + self._pauses[due.looks]
            self._due.setdefault(who, _Due(at=at, looks=due.looks + 1, shown=view))
        return outcome

    async def _drawn(self, rows: AtHome) -> tuple[View, bool]:
        """The view, and whether every row leads to its card."""
        parts = (rows.unknown, rows.waiting, rows.asked)
        unknown, waiting, asked = [await drawn(part, store=self._store, most=home.MOST_ROWS) for part in parts]
        shown = home.shown(waiting, asked, unknown)
        names = await self._directory.names(people(shown))
        view = await asyncio.to_thread(home.home, waiting, asked, unknown=unknown, names=names, is_cut=rows.is_cut)
        return view, all(row.is_linked for row in shown)


def _now() -> float:
    return asyncio.get_running_loop().time()
