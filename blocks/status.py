"""The state line of an approval: one emoji, bold first words, who, until when. A tired person reads no further."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from blocks import fallback, limits, people, phase, richtext, silence, stopping, waiting
from blocks.phase import Phase
from blocks.richtext import bold, date, text
from blocks.surface import Block, Paint
from store.types import Actor, ActorKind, Approval, Interaction, Settlement


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """`says`: the start of the fallback text (mrkdwn, ours). `verb`: what stands above the action."""

    emoji: str
    line: Sequence[Block]
    says: str
    verb: str
    below: Sequence[Block] = ()

    def block(self, block_id: str) -> Block:
        top = richtext.section(richtext.emoji(self.emoji), text(" "), *self.line)
        return richtext.rich_text(block_id, top, *self.below)


_WAITS, _GOES, _DONE, _FAILED = "large_yellow_circle", "large_blue_circle", "white_check_mark", "x"
_OPERATOR, _REFUSED, _OVER = "warning", "no_entry", "white_circle"
_AHEAD, _NOT = "Will run", "Would have run"
_NOTHING_RAN = text(". Nothing ran.")


def of(approval: Approval, paint: Paint) -> Status:
    stands = phase.of(approval, paint)
    now = _BUILDERS[stands](approval, paint)
    if paint.stopped is not None and phase.is_held_up(approval, paint):
        now = replace(now, line=[*now.line, text("\n"), *stopping.line(paint.stopped)])
    if stands is Phase.STUCK or not shows_stuck(approval, paint):
        return now
    return replace(now, line=[*now.line, text("\n"), *unheard(approval)])


def shows_stuck(approval: Approval, paint: Paint) -> bool:
    """Not where its time is over: what lapsed can start nothing any more. Nor where it is stopped."""
    if phase.is_held_up(approval, paint):
        return False
    return phase.is_stuck(approval) and phase.of(approval, paint) is not Phase.LAPSED


def unheard(interaction: Interaction) -> list[Block]:
    """`⚠️ The run does not know this yet; tried 8 times.`"""
    words = bold(f"{unheard_words(interaction)[0].upper()}{unheard_words(interaction)[1:]}")
    return [richtext.emoji(_OPERATOR), text(" "), words, *told(interaction), text(".")]


def unheard_words(interaction: Interaction) -> str:
    """A decision is claimed by its run; anything else it only has to hear."""
    is_claimed = isinstance(interaction, Approval) and interaction.state.is_decided
    return "no run has picked this up" if is_claimed else "the run does not know this yet"


def told(interaction: Interaction) -> list[Block]:
    """`; told 4 times, last at 14:47` and what failed since; nothing where nobody could be told."""
    how = interaction.resumption
    line: list[Block] = []
    if how.told_at is not None:
        # The message that is being tried, or is still due, has not arrived.
        arrived = how.wakes if how.attempts or how.due_at is not None else how.wakes + 1
        line += [text(f"; told {_times(max(arrived, 1))}, last "), date(how.told_at)]
    if how.attempts:
        line.append(text(f"; tried {_times(how.attempts)}{' since' if line else ''}"))
    return line


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def quoted(words: str | None) -> list[Block]:
    """Somebody's words as a quote of at most 1,000; more is counted."""
    if not (words or "").strip():
        return []
    return [richtext.quote(text(limits.clip_counted((words or "").strip(), limits.QUOTE)))]


def deciders(approval: Approval) -> list[Actor]:
    """All whose approval counted; one for a single decision."""
    voters = [vote.actor for vote in phase.approvals_so_far(approval)]
    if len(voters) > 1:
        return voters
    return [approval.resolved_by] if approval.resolved_by is not None else voters


def _by(approval: Approval) -> list[Block]:
    return [text("by "), *people.actors(deciders(approval)), text(" "), *_at(approval.resolved_at)]


def _at(at: datetime | None) -> list[Block]:
    return [] if at is None else [date(at)]


def _approved_line(approval: Approval) -> list[Block]:
    changed = "" if approval.edited is None else "with changes "
    return [text(f"\nApproved {changed}"), *_by(approval), text(".")]


def _waiting(approval: Approval, paint: Paint) -> Status:
    now = waiting.of(approval, paint)
    return Status(emoji=_WAITS, line=now.line, says=now.says, verb=_AHEAD, below=now.below)


def _approved(approval: Approval, _paint: Paint) -> Status:
    ends = approval.runs_until
    waits = [text("\nNot started yet: the run has until "), date(ends), text(".")] if ends is not None else []
    lead = "Approved " if approval.edited is None else "Approved with changes "
    return Status(
        emoji=_GOES,
        line=[bold(lead), *_by(approval), text("."), *waits],
        says=f"Approved by {fallback.several(deciders(approval))}, waiting for the run: ",
        verb=_AHEAD,
        below=quoted(approval.feedback),
    )


def _granted(approval: Approval, _paint: Paint) -> Status:
    line = [bold("Allowed without asking "), *_at(approval.resolved_at), text(", by a standing permission.")]
    return Status(emoji=_GOES, line=line, says="Allowed by a standing permission: ", verb=_AHEAD)


def _stuck(approval: Approval, _paint: Paint) -> Status:
    since = [
        text("No run picked this up since "),
        *_at(approval.reopened_at or approval.resolved_at),
        *told(approval),
        text("."),
    ]
    return Status(
        emoji=_OPERATOR,
        line=[bold("Approved, but nothing has started. "), *since, *_approved_line(approval)],
        says="Approved, but no run picked it up: ",
        verb=_AHEAD,
    )


def _handed(approval: Approval, _paint: Paint) -> Status:
    at = _at(approval.claim.at if approval.claim is not None else None)
    line = [bold("Handed to "), people.worker(approval), text(" "), *at, text(". It has not reported yet.")]
    return Status(emoji=_GOES, line=[*line, *_approved_line(approval)], says="Handed to its run: ", verb=_AHEAD)


def _detail(approval: Approval) -> list[Block]:
    return quoted(approval.execution.detail if approval.execution is not None else None)


def _running(approval: Approval, _paint: Paint) -> Status:
    since = _at(approval.execution.started_at if approval.execution is not None else None)
    line = [bold("Running "), text("on "), people.worker(approval), text(" since "), *since, *_approved_line(approval)]
    return Status(emoji=_GOES, line=line, says="Running: ", verb="Runs", below=_detail(approval))


def _ended(approval: Approval, word: str) -> list[Block]:
    run = approval.execution
    if run is None:
        return [bold(word), *_approved_line(approval)]
    length = people.duration(run.at - run.started_at)
    return [bold(f"{word} "), date(run.at), text(f", after {length}"), *_approved_line(approval)]


def _done(approval: Approval, _paint: Paint) -> Status:
    line = _ended(approval, "Done")
    return Status(emoji=_DONE, line=line, says="Done: ", verb="Ran", below=_detail(approval))


def _failed(approval: Approval, _paint: Paint) -> Status:
    line = _ended(approval, "Failed")
    return Status(emoji=_FAILED, line=line, says="Failed: ", verb="Ran", below=_detail(approval))


def _unknown(approval: Approval, paint: Paint) -> Status:
    line = [*silence.asks(approval, paint.operators), *_approved_line(approval)]
    return Status(emoji=_OPERATOR, line=line, says="Did it happen? ", verb="May have run", below=_detail(approval))


def _happened(approval: Approval, _paint: Paint) -> Status:
    settled = _settled(approval)
    line = [*silence.happened(approval, settled), *_approved_line(approval)]
    return Status(emoji=_DONE, line=line, says=f"Done, as {fallback.who(settled.actor)} says: ", verb="Ran")


def _not_happened(approval: Approval, _paint: Paint) -> Status:
    line = [*silence.did_not_happen(approval, _settled(approval)), *_approved_line(approval)]
    return Status(emoji=_OVER, line=line, says="It did not happen, one new try is allowed: ", verb=_AHEAD)


def _settled(approval: Approval) -> Settlement:
    settled = approval.course.settlement
    assert settled is not None
    return settled


def _lapsed(approval: Approval, _paint: Paint) -> Status:
    ended = [text("The approval ended "), *_at(approval.runs_until), text(", nothing ran.")]
    line = [bold("Not started in time. "), *ended, *_approved_line(approval)]
    return Status(emoji=_OVER, line=line, says="Approved but not started in time, nothing ran: ", verb=_NOT)


def _denied(approval: Approval, _paint: Paint) -> Status:
    by = approval.resolved_by
    if approval.course.taken_back_at is not None:
        line = [bold("Denied: "), text("the approval was taken back by "), *people.actor(by), text(" ")]
        says = f"Approval taken back by {fallback.who(by)}, nothing ran: "
    elif by is not None and by.kind is ActorKind.DEADLINE:
        line = [
            bold("Denied "),
            *_at(approval.resolved_at),
            text(f": {_undecided(approval, 'nobody decided')} in time"),
        ]
        return Status(emoji=_REFUSED, line=[*line, _NOTHING_RAN], says="Denied, nobody decided in time: ", verb=_NOT)
    else:
        line = [bold("Denied "), text("by "), *people.actors(phase.deniers(approval)), text(" ")]
        says = f"Denied by {fallback.several(phase.deniers(approval))}: "
    line = [*line, *_at(approval.resolved_at), _NOTHING_RAN]
    # Where several had to deny, each has a reason of their own.
    several = len(phase.denials_so_far(approval)) > 1
    below = waiting.votes(approval) if several else quoted(approval.feedback)
    return Status(emoji=_REFUSED, line=line, says=says, verb=_NOT, below=below)


def _undecided(approval: Approval, nobody: str) -> str:
    """`only 1 of 2 approved`; `nobody` where there was no vote at all."""
    votes, quorum = len(phase.approvals_so_far(approval)), approval.approvers.quorum
    return f"only {votes} of {quorum} approved" if votes else nobody


def _expired(approval: Approval, _paint: Paint) -> Status:
    votes = len(phase.approvals_so_far(approval))
    quorum = approval.approvers.quorum
    so_far = f"{votes} of {quorum} approved, nothing ran." if votes else "Nobody decided, nothing ran."
    line = [bold("Expired "), *_at(approval.expires_at or approval.resolved_at), text(f". {so_far}")]
    return Status(emoji=_OVER, line=line, says="Expired, nothing ran: ", verb=_NOT)


def _withdrawn(approval: Approval, _paint: Paint) -> Status:
    by = [text("by "), *people.actor(approval.resolved_by), text(" "), *_at(approval.resolved_at)]
    line = [bold("Withdrawn "), *by, text(". Nothing ran.")]
    return Status(emoji=_OVER, line=line, says="Withdrawn, nothing ran: ", verb=_NOT, below=quoted(approval.reason))


def _superseded(approval: Approval, paint: Paint) -> Status:
    newer = richtext.link(paint.replaced_by_link, "a newer request")
    line = [bold("Replaced "), *_at(approval.resolved_at), text(" by "), newer, text(". Nothing ran.")]
    return Status(emoji=_OVER, line=line, says="Replaced by a newer request: ", verb=_NOT)


_BUILDERS: dict[Phase, Callable[[Approval, Paint], Status]] = {
    Phase.WAITING: _waiting,
    Phase.PARTLY: _waiting,
    Phase.APPROVED: _approved,
    Phase.GRANTED: _granted,
    Phase.STUCK: _stuck,
    Phase.LAPSED: _lapsed,
    Phase.HANDED: _handed,
    Phase.RUNNING: _running,
    Phase.DONE: _done,
    Phase.FAILED: _failed,
    Phase.UNKNOWN: _unknown,
    Phase.HAPPENED: _happened,
    Phase.NOT_HAPPENED: _not_happened,
    Phase.DENIED: _denied,
    Phase.EXPIRED: _expired,
    Phase.WITHDRAWN: _withdrawn,
    Phase.SUPERSEDED: _superseded,
}
