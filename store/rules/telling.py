"""Telling runs: when it is due, again, and when it counts as stuck."""

from dataclasses import replace
from datetime import datetime

from store.types import PATIENCE, WAKE_AFTER, Approval, Interaction, ResumeKind, Resumption, State


def told(interaction: Interaction, *, now: datetime) -> Resumption:
    """After a telling: an unclaimed approval is woken again until its wakes are used up, all else is done."""
    before = interaction.resumption
    done = replace(before, told_at=now, due_at=None, stuck_at=None, stuck_due_at=None, attempts=0, last_error=None)
    if not is_unclaimed(interaction):
        return done
    ours = before.wakes - before.woken_from
    if ours < len(WAKE_AFTER):
        return owed(replace(done, wakes=before.wakes + 1), at=now + WAKE_AFTER[ours])
    return replace(done, stuck_due_at=now + WAKE_AFTER[-1])


def owed(resumption: Resumption, *, at: datetime) -> Resumption:
    """Telling is due then; still owed after the patience with it, it is shown as stuck."""
    return replace(resumption, due_at=at, stuck_due_at=at + PATIENCE)


def not_told(interaction: Interaction, *, error: str, due_at: datetime | None, now: datetime) -> Resumption:
    """After a telling that failed. What was claimed meanwhile needs no telling any more."""
    before = replace(interaction.resumption, attempts=interaction.resumption.attempts + 1, last_error=error)
    if isinstance(interaction, Approval) and interaction.claim is not None:
        return replace(before, due_at=None, stuck_due_at=None)
    if due_at is None:
        return replace(before, due_at=None, stuck_at=now, stuck_due_at=None)
    return owed(replace(before, stuck_at=None), at=due_at)


def lapses_at(interaction: Interaction) -> datetime | None:
    """When the claim window of an approved approval ends, as long as nobody claimed and it is not noted yet."""
    if not isinstance(interaction, Approval) or interaction.state is not State.APPROVED:
        return None
    return interaction.runs_until if interaction.claim is None and interaction.lapsed_at is None else None


def is_open(approval: Approval, at: datetime) -> bool:
    """Whether its claim window is open then. Once it is noted that it is over it stays so, also for what was on its
    way before.
    """
    until = approval.runs_until
    return until is not None and at < until and approval.lapsed_at is None


def stuck(interaction: Interaction, *, now: datetime) -> Resumption:
    return replace(interaction.resumption, stuck_at=now, stuck_due_at=None)


def woken(interaction: Interaction, *, now: datetime) -> Resumption | None:
    """Telling starts anew; None where nothing is to be told."""
    if interaction.is_pending or interaction.resume.kind is ResumeKind.PULL:
        return None
    decided = isinstance(interaction, Approval) and interaction.state.is_decided
    if not (is_unclaimed(interaction) if decided else interaction.resumption.told_at is None):
        return None
    return owed(_anew(interaction.resumption), at=now)


def told_by_hand(interaction: Interaction, *, wake: int, now: datetime) -> Resumption | None:
    """After a person had a message sent and it was taken; None where it is not the one by which anything is owed."""
    before = interaction.resumption
    is_owed = any(at is not None for at in (before.due_at, before.stuck_at, before.stuck_due_at))
    return told(interaction, now=now) if is_owed and before.wakes == wake else None


def told_anew(interaction: Interaction, *, at: datetime, is_other: bool = False) -> Resumption:
    """It was told one thing and is another now: another message says so.

    `is_other`: what there is to tell is other than before, so that it is no retry, even of what seems never to have
    arrived: a message never says two things.
    """
    before = _anew(interaction.resumption)
    if is_other and interaction.resume.kind is not ResumeKind.PULL:
        wakes = interaction.resumption.wakes + 1
        before = replace(before, wakes=wakes, woken_from=wakes)
    if interaction.resume.kind is ResumeKind.PULL:
        return replace(before, stuck_due_at=at + PATIENCE)
    return owed(before, at=at)


def going_on(interaction: Interaction, *, at: datetime) -> Resumption | None:
    """After a stop ended: what could not be claimed meanwhile is owed anew; None where nothing is."""
    return told_anew(interaction, at=at) if is_unclaimed(interaction) else None


def _anew(before: Resumption) -> Resumption:
    """With fresh wakes. What was told is told by a new message; what never arrived is the same message still."""
    wakes = before.wakes if before.told_at is None or before.due_at is not None else before.wakes + 1
    return Resumption(told_at=before.told_at, wakes=wakes, woken_from=wakes)


def is_unclaimed(interaction: Interaction) -> bool:
    return isinstance(interaction, Approval) and interaction.state.is_decided and interaction.claim is None


def patience(interaction: Interaction, *, at: datetime) -> Resumption:
    """What telling is due after a resolution at `at`: at once; a pull run owes its claim within its patience."""
    if interaction.resume.kind is not ResumeKind.PULL:
        return owed(interaction.resumption, at=at)
    if is_unclaimed(interaction):
        return replace(interaction.resumption, stuck_due_at=at + PATIENCE)
    return interaction.resumption
