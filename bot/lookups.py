"""The reading side of the use cases: one interaction, a list, a wait, and what waits for a person."""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot import policy
from bot.hub import Hub
from bot.people import Directory, Person, members_of
from bot.policy import Allowed
from store import errors
from store.outcomes import Page
from store.protocol import Store
from store.terms import holding
from store.types import SHORT_CODE, Approval, Installation, Interaction, Kind, Posting, Role, State, Stop

#: Pending interactions that a list looks at; it says so where there are more.
MOST_PENDING = 1000
#: How many stuck ones a list shows, and how many of what a person asked is looked at.
_MOST_STUCK = 200
_MOST_ASKED = 200
#: Seconds between two looks for a page that is waited for.
_GAP = 0.05
IsOver = Callable[[Interaction], bool]
_CODE = re.compile(rf"[0-9A-Za-z]{{{SHORT_CODE}}}|(?:apr|qst)_[0-9A-Za-z]{{1,60}}")


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """An interaction and where it stands in Slack."""

    interaction: Interaction
    postings: tuple[Posting, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Views:
    items: tuple[View, ...]
    next_cursor: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line of a list for one person. `may_decide`, `may_settle`: whether it has buttons for them.

    `link`: to its card; `newer_link`: to the card of what replaced it. `unreached`: cards that failed, for operators.
    `stopped`: the stop that concerns its tool.
    """

    interaction: Interaction
    may_decide: bool
    link: str | None
    newer_link: str | None = None
    may_settle: bool = False
    unreached: tuple[Posting, ...] = ()
    stopped: Stop | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """All that waits, oldest deadline first. `mine`: what the person may decide or asked for.

    For operators only, `unknown`: runs that went silent, oldest first; `stuck`: what waits for its run, longest first.
    Of what waits, theirs of failed cards come first. `is_cut`: more than `MOST_PENDING` wait, and those beyond are in
    neither.
    """

    mine: tuple[Row, ...]
    everything: tuple[Row, ...]
    unknown: tuple[Row, ...] = ()
    stuck: tuple[Row, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class AtHome:
    """What one person's Home shows: what they may decide, and what they asked for.

    `asked`: open ones first, by deadline; then the others, by what became of them last. `unknown`: as in `Waiting`.
    """

    waiting: tuple[Row, ...]
    asked: tuple[Row, ...]
    unknown: tuple[Row, ...] = ()
    is_cut: bool = False


class Lookups:
    """Changes nothing. One per process."""

    def __init__(self, *, store: Store, hub: Hub, directory: Directory) -> None:
        self._store = store
        self._hub = hub
        self._directory = directory

    async def read(self, *, tenant: str, id: str) -> View:
        """Raises NotFound."""
        interaction = await self._store.find_interaction(tenant=tenant, id=id)
        if interaction is None:
            raise errors.NotFound(id=id)
        return await self.view(interaction)

    async def view(self, interaction: Interaction) -> View:
        postings = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        return View(interaction=interaction, postings=tuple(postings[interaction.id]))

    async def views_of(self, *, tenant: str, ids: Collection[str]) -> Mapping[str, View]:
        """By id, those that there are: in two queries, however many."""
        return (
            await self.views(tenant=tenant, found=await self._store.find_interactions(tenant=tenant, ids=ids))
            if ids
            else {}
        )

    async def views(self, *, tenant: str, found: Sequence[Interaction]) -> Mapping[str, View]:
        """By id, in one query."""
        return {view.interaction.id: view for view in await self._views(tenant, found)} if found else {}

    async def wait(self, *, tenant: str, id: str, seconds: float, is_over: IsOver | None = None) -> View:
        """Return as soon as it is resolved, on whatever replica, or as it is after `seconds`. Raises NotFound.

        `is_over`: what is waited for instead.
        """
        is_over = is_over or is_resolved
        with self._hub.subscribe(tenant, id) as news:
            view = await self.read(tenant=tenant, id=id)
            loop = asyncio.get_running_loop()
            end = loop.time() + seconds
            while not is_over(view.interaction) and (left := end - loop.time()) > 0:
                await news.changed(within=left)
                view = await self.read(tenant=tenant, id=id)
        return view

    async def wait_for_page(self, read: Callable[[], Awaitable[Views]], *, seconds: float) -> Views:
        """What `read` finds, as soon as that is not empty; or an empty page after `seconds`."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        with self._hub.listening() as bell:
            while True:
                bell.clear()
                found = await read()
                again = loop.time() + _GAP
                if found.items or loop.time() >= end:
                    return found
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(end):
                        await bell.wait()
                        # News of others come thick where much happens: they are looked at together.
                        await asyncio.sleep(again - loop.time())

    async def list(
        self,
        *,
        tenant: str,
        states: Collection[State] = (),
        kind: Kind | None = None,
        claimed: bool | None = None,
        run_id: str | None = None,
        operation_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Views:
        """As `Interactions.list_interactions`, with the postings of each."""
        page: Page = await self._store.list_interactions(
            tenant=tenant,
            states=states,
            kind=kind,
            claimed=claimed,
            run_id=run_id,
            operation_id=operation_id,
            cursor=cursor,
            limit=limit,
        )
        return Views(items=await self._views(tenant, page.items), next_cursor=page.next_cursor)

    async def stuck(self, *, tenant: str, limit: int) -> Views:
        """What waits for its run too long, longest first. One page: there is no next one."""
        found = await self._store.list_stuck(tenant=tenant, limit=limit)
        return Views(items=await self._views(tenant, found), next_cursor=None)

    async def by_code(self, *, tenant: str, code: str) -> Sequence[Interaction]:
        """By a whole id, or by exactly the last letters of one: fewer would hit whatever happens to end in them."""
        return await self._store.find_by_code(tenant=tenant, code=code) if _CODE.fullmatch(code) else ()

    async def link(self, *, tenant: str, id: str) -> str | None:
        """To the first copy of its card that Slack has a link to."""
        copies = await self._store.find_postings(tenant=tenant, interaction_ids=[id])
        return link_to(copies[id])

    async def pending_for(
        self, *, tenant: str, person: Person, channel: str | None, is_operator: bool, installation: Installation
    ) -> Waiting:
        """What this person may decide or asked for, and what else stands in the channel they are in.

        Operators see everything under `everything`, what went silent, and what is stuck.
        """
        is_operator = is_operator and not policy.is_foreign(person, installation)
        found = await self._store.list_pending(tenant=tenant, limit=MOST_PENDING + 1)
        pending = found[:MOST_PENDING]
        postings = await self._store.find_postings(tenant=tenant, interaction_ids=[i.id for i in pending])
        known = await self._known(tenant, pending, person)
        stops = await self._store.list_stops(tenant=tenant)
        mine: list[Row] = []
        everything: list[Row] = []
        for interaction in pending:
            verdict = policy.judge_person(
                interaction=interaction, person=person, installation=installation, known=known
            )
            copies = postings[interaction.id]
            link = link_to(copies, channel)
            unreached = _unreached(copies) if is_operator else ()
            may = isinstance(verdict, Allowed)
            stopped = _stop_of(interaction, stops)
            row = Row(interaction=interaction, may_decide=may, link=link, unreached=unreached, stopped=stopped)
            if row.may_decide or interaction.requested_by == person.user_id:
                mine.append(row)
                everything.append(row)
            elif is_operator or _stands_in(interaction, copies, channel):
                everything.append(row)
        return Waiting(
            mine=tuple(mine),
            everything=tuple(sorted(everything, key=lambda row: not row.unreached)),
            unknown=await self._unknown(tenant, channel) if is_operator else (),
            stuck=await self._stuck(tenant, channel) if is_operator else (),
            is_cut=len(found) > len(pending),
        )

    async def home_for(
        self, *, tenant: str, person: Person, installation: Installation, is_operator: bool = False
    ) -> AtHome:
        """Of what is over, the newest that the person asked for, among the newest of all."""
        pending = await self.pending_for(
            tenant=tenant, person=person, channel=None, is_operator=False, installation=installation
        )
        asked = await self._store.list_requested(tenant=tenant, user=person.user_id, limit=_MOST_ASKED)
        settles = is_operator and not policy.is_foreign(person, installation)
        mine = sorted((i for i in asked if not i.is_pending), key=_moved_at, reverse=True)
        return AtHome(
            waiting=tuple(row for row in pending.mine if row.may_decide),
            asked=(
                *(row for row in pending.mine if row.interaction.requested_by == person.user_id),
                *await self._ended(tenant, mine),
            ),
            unknown=await self._unknown(tenant, None) if settles else (),
            is_cut=pending.is_cut,
        )

    async def _ended(self, tenant: str, over: Sequence[Interaction]) -> tuple[Row, ...]:
        named = {id for i in over for id in (i.id, i.superseded_by) if id is not None}
        postings = await self._store.find_postings(tenant=tenant, interaction_ids=sorted(named))
        stops = await self._store.list_stops(tenant=tenant) if over else ()
        return tuple(
            Row(
                interaction=i,
                may_decide=False,
                link=link_to(postings[i.id]),
                newer_link=None if i.superseded_by is None else link_to(postings[i.superseded_by]),
                stopped=_stop_of(i, stops),
            )
            for i in over
        )

    async def _unknown(self, tenant: str, channel: str | None) -> tuple[Row, ...]:
        """Runs that went silent, of which nobody has said what happened."""
        found = await self._store.list_unknown(tenant=tenant, limit=_MOST_STUCK)
        postings = await self._store.find_postings(tenant=tenant, interaction_ids=[i.id for i in found])
        return tuple(
            Row(interaction=i, may_decide=False, may_settle=True, link=link_to(postings[i.id], channel)) for i in found
        )

    async def _stuck(self, tenant: str, channel: str | None) -> tuple[Row, ...]:
        """Decisions that no run claimed, and other outcomes that reached none. Not what a stop keeps from starting."""
        found = await self._store.list_stuck(tenant=tenant, limit=_MOST_STUCK)
        stops = await self._store.list_stops(tenant=tenant) if found else ()
        stuck = [i for i in found if not _has_lapsed(i) and not _is_stopped(i, stops)]
        postings = await self._store.find_postings(tenant=tenant, interaction_ids=[i.id for i in stuck])
        return tuple(Row(interaction=i, may_decide=False, link=link_to(postings[i.id], channel)) for i in stuck)

    async def _known(self, tenant: str, pending: Sequence[Interaction], person: Person) -> policy.Known:
        names = {group for interaction in pending for group in policy.groups_to_read(interaction, person)}
        groups, standing = await asyncio.gather(
            members_of(self._directory, names, tenant=tenant),
            self._directory.standing(tenant=tenant, user=person.user_id),
        )
        return policy.Known(groups=groups, standing=standing)

    async def _views(self, tenant: str, interactions: Sequence[Interaction]) -> tuple[View, ...]:
        postings = await self._store.find_postings(tenant=tenant, interaction_ids=[i.id for i in interactions])
        return tuple(View(interaction=i, postings=tuple(postings[i.id])) for i in interactions)


def is_resolved(interaction: Interaction) -> bool:
    return not interaction.is_pending


def is_finished(interaction: Interaction) -> bool:
    """Resolved, and nothing runs of it any more: what was approved has run, or came too late to."""
    if interaction.is_pending or not isinstance(interaction, Approval) or interaction.state is not State.APPROVED:
        return is_resolved(interaction)
    if interaction.claim is None:
        return interaction.lapsed_at is not None
    run = interaction.execution
    return not interaction.claim.execute or (run is not None and run.status.is_final)


def _moved_at(interaction: Interaction) -> datetime:
    """When its card last changed: its end, or what its run reported since."""
    ended = interaction.resolved_at or interaction.created_at
    run = interaction.execution if isinstance(interaction, Approval) else None
    return ended if run is None else max(ended, run.at)


def _has_lapsed(interaction: Interaction) -> bool:
    """Its time to run is over: nobody needs to wake anything."""
    return isinstance(interaction, Approval) and interaction.lapsed_at is not None


def _is_stopped(interaction: Interaction, stops: Sequence[Stop]) -> bool:
    return interaction.state is State.APPROVED and _stop_of(interaction, stops) is not None


def _stop_of(interaction: Interaction, stops: Sequence[Stop]) -> Stop | None:
    return holding(stops, interaction.tool_name) if isinstance(interaction, Approval) else None


def _unreached(copies: Sequence[Posting]) -> tuple[Posting, ...]:
    return tuple(copy for copy in copies if copy.role is Role.CARD and copy.failed_at is not None)


def _stands_in(interaction: Interaction, copies: Sequence[Posting], channel: str | None) -> bool:
    return channel is not None and (
        channel in interaction.destination.channels or any(copy.channel == channel for copy in copies)
    )


def link_to(copies: Sequence[Posting], channel: str | None = None) -> str | None:
    """To the copy in this channel where there is one, else to the first that was posted."""
    links = [copy for copy in copies if copy.permalink is not None]
    here = [copy for copy in links if copy.channel == channel]
    return (here or links)[0].permalink if links else None
