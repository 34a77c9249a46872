"""Private replies about votes and time: what stands, what changed, what is too late."""

from blocks import people, phase, richtext
from blocks.notices import note
from blocks.phase import Phase
from blocks.richtext import bold, date, text
from blocks.surface import Block, Note, Paint
from store.types import Actor, Approval, Interaction, State, Vote

_MENU = " To take yours back: ⋯ on the card."
_NOTHING = "Nothing changed."
_WORDS = {True: "approved", False: "denied"}


def vote_stands(approval: Approval, *, clicker: str, card: str | None = None) -> Note:
    """The same vote again, while more are needed. `card`: a link, for who does not stand in front of it."""
    mine = next((vote for vote in approval.votes if vote.actor.id == clicker), None)
    word = _WORDS[mine is None or mine.decision.allows]
    at = [] if mine is None else [date(mine.at)]
    line = [bold(f"You already {word} this "), *at, text(f". {_needs(approval, clicker)}{_MENU}"), *_way(card)]
    return note(f"You already {word} this.", *line)


def vote_changed(approval: Approval, *, before: Vote, clicker: str, card: str | None = None) -> Note:
    """Another vote of the same person, while more are needed."""
    was = _WORDS[before.decision.allows]
    line = [bold("Your vote is changed. "), text(f"You {was} this "), date(before.at)]
    now = _WORDS[not before.decision.allows]
    then = [text(f"; now you have {now} it. {_needs(approval, clicker)}"), *_way(card)]
    return note("Your vote is changed.", *line, *then)


def _needs(approval: Approval, clicker: str) -> str:
    """What is missing for it to be decided as this person wants."""
    if any(vote.actor.id == clicker for vote in phase.denials_so_far(approval)):
        missing, noun = approval.approvers.denials - len(phase.denials_so_far(approval)), "denial"
    else:
        missing, noun = approval.approvers.quorum - len(phase.approvals_so_far(approval)), "approval"
    return f"It needs one more {noun}." if missing <= 1 else f"It needs {missing} more {noun}s."


def no_vote() -> Note:
    """Nothing to take back: this person has not voted, or has taken it back already."""
    line = text(f"you have not approved or denied it, or took that back already. {_NOTHING}")
    return note("There is nothing to take back.", bold("There is nothing to take back: "), line)


def not_yours_to_take_back(approval: Approval) -> Note:
    """To somebody who did not approve it."""
    who = people.joined([people.actor(one) for one in _who_approved(approval)], last="or")
    line = [bold("You cannot take this back: "), text("only "), *who, text(f", who approved it, can. {_NOTHING}")]
    return note("You cannot take this back.", *line)


def take_back_too_late(approval: Approval) -> Note:
    """A run has it, or nobody needs it any more."""
    return note("Too late.", bold("Too late: "), *_since(approval), text("."))


def _since(approval: Approval) -> list[Block]:
    run, claim = approval.execution, approval.claim
    stands = phase.of(approval, Paint(lapsed=approval.lapsed_at is not None))
    if run is None or claim is None or stands is Phase.LAPSED:
        ended = [] if approval.runs_until is None else [text(" "), date(approval.runs_until)]
        return [text("the approval ended"), *ended, text(", and nothing ran")]
    match stands:
        case Phase.DONE:
            return [text("it is done since "), date(run.at)]
        case Phase.FAILED:
            return [text("it failed "), date(run.at)]
        case Phase.RUNNING:
            return [text("it is running since "), date(run.started_at)]
        case Phase.UNKNOWN:
            return [text("it started "), date(run.started_at), text(", and nobody knows what came of it")]
    return [text("its run has it since "), date(claim.at)]


def extended_before(interaction: Interaction) -> Note:
    given = interaction.course.extension
    until = [text("until "), date(given.until)] if given is not None else [text("and no more than once")]
    return note("Already extended once.", bold("Already extended once, "), *until, text("."))


def no_more_time() -> Note:
    """Its terms allow none (any more)."""
    return note("No more time.", bold("Nobody can give this more time. "), text(_NOTHING))


def _who_approved(approval: Approval) -> list[Actor]:
    return [vote.actor for vote in phase.approvals_so_far(approval)][:3] if approval.state is State.APPROVED else []


def _way(card: str | None) -> list[Block]:
    return [] if card is None else [text(" "), richtext.link(card, "Open the card"), text(".")]
