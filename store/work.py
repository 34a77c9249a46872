"""What painting does to a posting's row: pure, and the same for every backend."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from store.ids import new_id
from store.types import About, Interaction, Lease, Posting, Role

#: A copy that was just learned of is painted so much later: a decision that began before it was known cannot mark it
#: behind, and is over by then (its statement has 1.5 s).
SETTLING = timedelta(seconds=2)


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingWork:
    """A posting as its queue sees it.

    `is_copy`: a message that we learned of, not one that was asked for. `given_up`: failed, and not tried again.
    """

    posting: Posting
    due_at: datetime
    lease: Lease | None = None
    is_copy: bool = False
    given_up: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Landed:
    """A message that is there."""

    channel: str
    ts: str
    role: Role = Role.CARD
    about: About | None = None
    turn: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The row after a report. `stray`: what was sent and the row cannot hold: to be adopted."""

    work: PostingWork
    was_ours: bool
    stray: Landed | None = None


def is_due(work: PostingWork, now: datetime) -> bool:
    posting = work.posting
    behind = posting.wanted > posting.painted and not work.given_up
    return behind and work.due_at <= now and (work.lease is None or work.lease.until <= now)


def want(work: PostingWork, at: datetime) -> PostingWork:
    """A transition happened. A copy that was up to date is due at once; one that is behind keeps its turn."""
    posting = work.posting
    due_at = work.due_at if posting.wanted > posting.painted else at
    return replace(work, posting=replace(posting, wanted=posting.wanted + 1), due_at=due_at)


def seen(work: PostingWork) -> PostingWork:
    """A person clicked on it: it is there, whatever Slack said before, and it shows what is no longer so."""
    alive = replace(work.posting, wanted=work.posting.wanted + 1, failed_at=None, error=None, attempts=0)
    return replace(work, posting=alive, given_up=False)


def finish(
    work: PostingWork,
    *,
    token: str,
    painted: int,
    now: datetime,
    channel: str | None,
    ts: str | None,
    permalink: str | None,
    replaces: bool = False,
) -> Finished:
    """The row after a painter's report, whose lease may be gone (`Postings.finish_posting`)."""
    posting = work.posting
    where = channel or posting.channel or posting.address
    is_other = ts is not None and posting.ts is not None and (where, ts) != (posting.channel, posting.ts)
    is_ours = work.lease is not None and work.lease.token == token
    is_stray = is_other and not (replaces and is_ours)
    stray = (
        Landed(channel=where, ts=ts, role=posting.role, about=posting.about, turn=posting.turn)
        if is_stray and ts
        else None
    )
    if not is_ours:
        late = want(work, now)
        if ts is not None and posting.ts is None:
            late = replace(late, posting=replace(late.posting, channel=where, ts=ts, permalink=permalink))
        return Finished(work=late, was_ours=False, stray=stray)
    free = replace(work, lease=None, due_at=now)
    if stray is not None:
        return Finished(work=free, was_ours=True, stray=stray)
    done = replace(
        posting,
        painted=min(painted, posting.wanted),
        channel=channel or posting.channel,
        ts=ts or posting.ts,
        permalink=permalink or posting.permalink,
        attempts=0,
        error=None,
        failed_at=None,
    )
    return Finished(work=replace(free, posting=done, given_up=False), was_ours=True)


def retry(
    work: PostingWork, *, token: str, error: str | None, due_at: datetime | None, counts: bool, failed: bool = False
) -> Finished:
    """The row after a failed call. The store is told no time here: what failed for good did so within its lease."""
    if work.lease is None or work.lease.token != token:
        return Finished(work=want(work, work.due_at), was_ours=False)
    tried = replace(
        work.posting,
        attempts=work.posting.attempts + counts,
        error=error,
        failed_at=(work.posting.failed_at or work.lease.until) if failed or due_at is None else None,
    )
    free = replace(work, posting=tried, lease=None, due_at=due_at or work.due_at, given_up=due_at is None)
    return Finished(work=free, was_ours=True)


def readdress(work: PostingWork, *, token: str, address: str, now: datetime) -> Finished:
    """The row of a message that was refused where it was to go, and goes to somebody instead.

    One that turned out to be there meanwhile (a late report said so) goes nowhere else.
    """
    if work.lease is None or work.lease.token != token:
        return Finished(work=want(work, work.due_at), was_ours=False)
    free = replace(work, lease=None, due_at=now)
    if work.posting.ts is not None:
        return Finished(work=free, was_ours=False)
    anew = replace(work.posting, address=address, channel=None, thread_ts=None, attempts=0, error=None, failed_at=None)
    return Finished(work=replace(free, posting=anew, given_up=False), was_ours=True)


def born(
    interaction: Interaction,
    *,
    role: Role,
    address: str,
    now: datetime,
    thread_ts: str | None = None,
    about: About | None = None,
    turn: int = 0,
    id: str | None = None,
) -> PostingWork:
    """A message that is to be sent."""
    posting = Posting(
        tenant=interaction.tenant,
        id=id or new_id("pst", now=now),
        interaction_id=interaction.id,
        role=role,
        address=address,
        about=about,
        turn=turn,
        thread_ts=thread_ts,
    )
    return PostingWork(posting=posting, due_at=now)


def cards(interaction: Interaction) -> Sequence[PostingWork]:
    """One card for each destination; the thread is one of the single channel."""
    to = interaction.destination
    at = interaction.created_at
    threads = dict.fromkeys(to.users) | dict.fromkeys(to.channels, to.thread_ts)
    addresses = dict.fromkeys([*to.channels, *to.users])
    # Postings are ordered by id: those of one ask are to stand in the order of the ask.
    ids = sorted(new_id("pst", now=at) for _ in addresses)
    return [
        born(interaction, role=Role.CARD, address=address, now=at, thread_ts=threads[address], id=id)
        for address, id in zip(addresses, ids, strict=True)
    ]


def rung(interaction: Interaction, rows: Sequence[PostingWork], *, says: About, now: datetime) -> Sequence[PostingWork]:
    """What is sent as a timer rings: a line in the thread of each card in a channel that was asked for and stands, and
    one beside the card of each person who has it for themselves. A card that does not stand yet pings by itself.

    An escalation concerns new people, not those who have a card already. Where no channel tells them, each gets a card;
    a group, whose members we do not know here, gets a line that is addressed to it.
    """
    turn = 1 + max((row.posting.turn for row in rows if row.posting.role is Role.REMINDER), default=0)
    cards = [row.posting for row in rows if row.posting.role is Role.CARD and not row.is_copy]
    if says is About.ESCALATED and not any(_tells(card) for card in cards):
        return _escalated(interaction, cards, now=now, turn=turn)
    places = {
        card.channel: card.thread_ts or card.ts
        for card in cards
        if card.channel is not None and card.ts is not None and card.failed_at is None
        if says is not About.ESCALATED or not is_personal(card)
    }
    return [
        born(interaction, role=Role.REMINDER, address=address, now=now, thread_ts=thread_ts, about=says, turn=turn)
        for address, thread_ts in places.items()
    ]


def _escalated(
    interaction: Interaction, cards: Sequence[Posting], *, now: datetime, turn: int
) -> Sequence[PostingWork]:
    """A card for each new person, a line for each new group."""
    hop = interaction.course.hops[-1]
    known = {card.address for card in cards}
    users = [born(interaction, role=Role.CARD, address=user, now=now) for user in hop.users if user not in known]
    groups = [
        born(interaction, role=Role.REMINDER, address=group, now=now, about=About.ESCALATED, turn=turn)
        for group in hop.groups
    ]
    return [*users, *groups]


def is_personal(card: Posting) -> bool:
    """Whether it goes to one person."""
    return card.address.startswith(("U", "W", "D"))


def _tells(card: Posting) -> bool:
    """Whether it stands in a channel, or is on its way there."""
    return not is_personal(card) and card.failed_at is None


def is_asked(work: PostingWork, *, role: Role, address: str, about: About | None, turn: int = 0) -> bool:
    """Whether this is the message that is asked for (`Postings.add_posting`)."""
    posting = work.posting
    if work.is_copy or (posting.role, posting.about) != (role, about):
        return False
    is_one_line = role is Role.OUTCOME and about is not None
    return is_one_line or (posting.address, posting.turn) == (address, turn)


@dataclass(frozen=True, kw_only=True, slots=True)
class Adopted:
    """What knowing a copy takes: nothing, to rewrite a row that was there, or to add one."""

    work: PostingWork
    is_changed: bool = False
    is_new: bool = False


def adopt(rows: Sequence[PostingWork], interaction: Interaction, *, landed: Landed, now: datetime) -> Adopted:
    """`rows`: all of this interaction, oldest first (`Postings.adopt`)."""
    channel, ts = landed.channel, landed.ts
    for work in rows:
        if (work.posting.channel, work.posting.ts) == (channel, ts):
            return Adopted(work=work)
    for work in rows:
        posting = work.posting
        is_same = (posting.role, posting.about, posting.turn) == (landed.role, landed.about, landed.turn)
        if is_same and posting.ts is None and channel in {posting.channel, posting.address}:
            found = replace(posting, channel=channel, ts=ts, failed_at=None, error=None)
            return Adopted(work=replace(work, posting=found, given_up=False), is_changed=True)
    new = born(interaction, role=landed.role, address=channel, now=now + SETTLING, about=landed.about, turn=landed.turn)
    known = replace(new.posting, channel=channel, ts=ts)
    return Adopted(work=replace(new, posting=known, is_copy=True), is_new=True)
