"""What keeps an approved action from running, and what answers did not come, each as the error that says so."""

from signoff.errors import (
    AlreadyRan,
    Changed,
    Denied,
    Expired,
    NoGo,
    NotStartedInTime,
    Replaced,
    StillWaiting,
    Stopped,
    Withdrawn,
)
from signoff.types import Approval, Claim, Interaction


def of_state(found: Interaction) -> NoGo | None:
    """Why this can neither run nor be read; None where a person allowed or answered it."""
    if found.state in {"approved", "answered"}:
        return None
    if isinstance(found, Approval) and found.state == "denied":
        return Denied(interaction=found, reason=found.feedback, by=found.resolved_by)
    if found.state == "withdrawn":
        return Withdrawn(f"{found.id} was withdrawn. Nothing ran.", interaction=found)
    if found.state == "superseded":
        instead = found.superseded_by
        return Replaced(f"{found.id} was replaced by {instead}. Nothing ran under the old one.", interaction=found)
    if found.state == "expired":
        return Expired(f"Nobody decided {found.id} in time. Nothing ran.", interaction=found)
    return StillWaiting(interaction=found)


def of_claim(claim: Claim) -> NoGo | None:
    """Why this claim executes nothing; None where it does."""
    found = claim.approval
    if claim.execute:
        return None
    if (ended := of_state(found)) is not None:
        return ended
    if claim.stopped is not None:
        return Stopped(interaction=found, stop=claim.stopped)
    if claim.changed:
        return Changed(
            "The world is not as it was when this was asked. Nothing ran; ask anew, with supersedes=.",
            interaction=found,
        )
    if found.progress is None and found.claimed_at is not None:
        return NotStartedInTime(f"{found.id} was approved, and not started in time. Nothing ran.", interaction=found)
    return AlreadyRan(interaction=found)
