"""Cards, notes and lines about votes, taking back, and what time brings."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from blocks import notices, notices_voting, outcome, question, reminder
from blocks.surface import Message, Paint
from store.types import (
    About,
    Actor,
    ActorKind,
    Approval,
    Approvers,
    Course,
    Decision,
    Extension,
    Hop,
    PolicyRef,
    Question,
    State,
    Terms,
    Vote,
)
from tests.blocks.cases import (
    ANA,
    BEN,
    CHIDI,
    DANA,
    DEADLINE,
    DECIDED,
    GROUP,
    LINK,
    PAINT,
    approval,
    options,
    person,
    questions,
)

HALF_AN_HOUR = timedelta(minutes=30)
BY_DEADLINE = Actor(kind=ActorKind.DEADLINE)
APPROVAL = Vote(actor=person(ANA), decision=Decision.ALLOW_ONCE, at=DECIDED)
PARTLY = approval(approvers=Approvers(users=(ANA, BEN, CHIDI), quorum=2), votes=(APPROVAL,))
DENIED: dict[str, Any] = {
    "state": State.DENIED,
    "resolved_at": DECIDED,
    "resolved_by": person(BEN),
    "decision": Decision.DENY,
}
EXPIRING = approval(
    terms=Terms(extension=timedelta(hours=4)),
    course=Course(
        reminded_at=(DEADLINE - timedelta(hours=1),),
        hops=(Hop(at=DEADLINE - HALF_AN_HOUR, users=(CHIDI,)),),
        warned_at=DEADLINE - HALF_AN_HOUR,
    ),
)
MORE = Extension(actor=person(ANA), at=DEADLINE - timedelta(minutes=22), until=DEADLINE + timedelta(hours=4))
EXTENDED = replace(EXPIRING, course=replace(EXPIRING.course, warned_at=None, extension=MORE), expires_at=MORE.until)
TAKEN_BACK = approval(**DENIED | {"resolved_by": person(ANA)}, course=Course(taken_back_at=DECIDED))
IN_TIME = approval(**DENIED | {"resolved_by": BY_DEADLINE, "resolved_at": DEADLINE})


def denial(who: str, why: str | None) -> Vote:
    return Vote(actor=person(who), decision=Decision.DENY, at=DECIDED + timedelta(minutes=9), feedback=why)


TWO_DENY = Approvers(users=(ANA, BEN, CHIDI), quorum=2, denials=2)
PARTLY_DENIED = approval(approvers=TWO_DENY, votes=(denial(CHIDI, "The pager is red."),))


def approvals() -> dict[str, tuple[Approval, Paint]]:
    by_two = replace(PARTLY_DENIED, **DENIED, votes=(*PARTLY_DENIED.votes, denial(BEN, "Freeze until Monday.")))
    drawn = {
        "partly_denied": PARTLY_DENIED,
        "partly_both": replace(PARTLY_DENIED, votes=(APPROVAL, *PARTLY_DENIED.votes)),
        "expiring": EXPIRING,
        "expiring_partly": replace(EXPIRING, approvers=PARTLY.approvers, votes=PARTLY.votes),
        "escalated": replace(EXPIRING, course=Course(hops=EXPIRING.course.hops)),
        "extended": EXTENDED,
        "open_under_policy": approval(terms=Terms(policy=PolicyRef(name="prod", revision=3))),
        "taken_back": TAKEN_BACK,
        "denied_in_time": IN_TIME,
        "denied_by_two": by_two,
    }
    return {name: (one, PAINT) for name, one in drawn.items()}


def notes() -> dict[str, Message]:
    approved = replace(PARTLY, state=State.APPROVED, resolved_at=DECIDED, resolved_by=person(ANA))
    return {
        "vote_stands": notices_voting.vote_stands(PARTLY, clicker=ANA),
        "vote_stands_denied": notices_voting.vote_stands(PARTLY_DENIED, clicker=CHIDI, card=LINK),
        "vote_changed": notices_voting.vote_changed(PARTLY_DENIED, before=APPROVAL, clicker=CHIDI),
        "take_back_by_another": notices_voting.not_yours_to_take_back(approved),
        "take_back_nothing": notices_voting.no_vote(),
        "already_taken_back": notices.already(TAKEN_BACK, clicker=BEN),
        "already_taken_back_by_you": notices.already(TAKEN_BACK, clicker=ANA),
        "already_denied_in_time": notices.already(IN_TIME, clicker=BEN),
        "extended_before": notices_voting.extended_before(EXTENDED),
        "no_more_time": notices_voting.no_more_time(),
    }


def lines() -> dict[str, Message]:
    asked = questions(
        Question(id="q", prompt="Which region goes first?", options=options("eu-west", "us-east")),
        course=Course(reminded_at=(DECIDED,), hops=(Hop(at=DECIDED + HALF_AN_HOUR, users=(CHIDI,)),)),
    )
    return {
        "question_open_escalated": question.card(asked, PAINT),
        "thread_escalation_question": reminder.reminder(asked, mention=(CHIDI,), about=About.ESCALATED, link=LINK),
        "thread_reminder": reminder.reminder(approval(), mention=(ANA, BEN), about=About.REMINDED, link=LINK),
        "thread_escalation": reminder.reminder(approval(), mention=(CHIDI,), about=About.ESCALATED, link=LINK),
        "thread_warning": reminder.reminder(approval(), mention=(ANA, GROUP), about=About.WARNED, link=LINK),
        "thread_taken_back": outcome.thread_outcome(TAKEN_BACK, mention=DANA, about=About.TAKEN_BACK),
        "dm_taken_back": outcome.dm_requester(TAKEN_BACK, link=LINK, about=About.TAKEN_BACK),
        "thread_denied_in_time": outcome.thread_outcome(IN_TIME, mention=DANA, about=About.RESOLVED),
    }
