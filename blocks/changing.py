"""Controls of a card that change what was said or how long it waits, and decide nothing."""

from blocks import elements, ids, people, phase, waiting
from blocks.phase import Phase
from blocks.richtext import is_user
from blocks.surface import Block
from store.types import Approval

#: Approved, and no run has it: it can still be taken back.
_FREE = frozenset({Phase.APPROVED, Phase.STUCK})


def more_time(approval: Approval) -> list[Block]:
    """*Give me 4 more hours*, once, as the deadline comes near."""
    length = approval.terms.extension
    if length is None or approval.course.extension is not None or not waiting.is_expiring(approval):
        return []
    words = f"Give me {people.more(length)}"
    return [elements.button(ids.EXTEND, words, approval.id, says=f"{words}: {approval.title}")]


def take_back(approval: Approval, stands: Phase) -> list[Block]:
    """*Take back* of a card that is approved, for those who approved it: a run may take it at any moment, and this
    cannot be undone, so that a slip is asked about.
    """
    people_who_did = [vote for vote in phase.approvals_so_far(approval) if is_user(vote.actor.id)]
    if stands not in _FREE or not people_who_did:
        return []
    plain = elements.button(ids.TAKE_BACK, "Take back", approval.id, says=f"Take back the approval: {approval.title}")
    explains = "Then it is denied: nothing runs, and its run is told so. This cannot be undone."
    return [elements.confirmed(plain, asks="Take back the approval?", explains=explains, yes="Take back", no="Keep it")]


def take_back_words(approval: Approval) -> str:
    """Of the menu's entry, while it waits: one card is for all, so it names what votes there are."""
    kinds = {vote.decision.allows for vote in approval.votes}
    return {True: "Take back my approval", False: "Take back my denial"}[kinds.pop()] if len(kinds) == 1 else _VOTE


_VOTE = "Take back my vote"
