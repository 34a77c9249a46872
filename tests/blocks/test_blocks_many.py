"""Ten thousand asks of every kind, size and state, none of which Slack's rules refuse. `CI`: all; otherwise a sample."""

import json
import os
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from blocks import (
    approval,
    home,
    inputs,
    limits,
    modal,
    notices,
    notices_voting,
    outcome,
    phase,
    plain,
    question,
    reminder,
    silence,
)
from blocks.ids import Where
from blocks.outcome import Place
from blocks.pending import Row
from blocks.surface import Message, Paint
from sandbox.validate import check
from store.types import (
    About,
    Actor,
    ActorKind,
    Answer,
    Approval,
    Approvers,
    Claim,
    Course,
    Decision,
    Execution,
    ExecutionStatus,
    Extension,
    Hop,
    Interaction,
    Option,
    PolicyRef,
    Question,
    QuestionSet,
    Resume,
    ResumeKind,
    Resumption,
    Risk,
    Settlement,
    State,
    Stop,
    Terms,
    Vote,
)
from tests.blocks import cases
from tests.blocks.cases import ANA, BEN, CHIDI, DANA, DEADLINE, DECIDED, GROUP, KEY, NAMES
from tests.blocks.test_blocks_properties import FACTS, JSON, LINKS, WORDS

A_BATCH = 250
BATCHES = range(40 if os.environ.get("CI") else 2)
UNREACHED = [Place(address=f"C{place:08}", error="x" * 300) for place in range(6)]
WHERE = Where(channel="C07DEPLOYS1", ts="1764511320.000100")


def filled(words: str, most: int, times: int) -> str:
    """The words over and over, up to the most that the API takes; never blank."""
    return (words * times)[:most] if words.strip() else "x"


SIZES = st.sampled_from([*[1] * 12, *[3] * 4, *[40] * 2, 4000])
PEOPLE = st.lists(st.sampled_from([ANA, BEN, CHIDI, DANA, *(f"U{n:03}" for n in range(60))]), unique=True, max_size=40)
WHO = st.builds(
    lambda users, groups, quorum, denials, needs: Approvers(
        users=tuple(users) or (ANA,), groups=groups, quorum=quorum, denials=denials, require_reason=needs
    ),
    PEOPLE,
    st.sampled_from([(), (GROUP,)]),
    st.sampled_from([1, 1, 2, 5, 20]),
    st.sampled_from([1, 1, 2, 20]),
    st.booleans(),
)
ENDS: dict[State, dict[str, Any]] = {
    State.PENDING: {},
    State.APPROVED: {"decision": Decision.ALLOW_ONCE, "resolved_by": cases.person(ANA)},
    State.DENIED: {"decision": Decision.DENY, "resolved_by": KEY},
    State.ANSWERED: {"resolved_by": cases.person(BEN)},
    State.EXPIRED: {"resolved_by": None},
    State.WITHDRAWN: {"resolved_by": cases.person(DANA)},
    State.SUPERSEDED: {"superseded_by": "apr_newer"},
}
EXTENSIONS = st.sampled_from([None, timedelta(hours=4), timedelta(days=6, hours=23, minutes=59), timedelta(seconds=1)])


@st.composite
def courses(draw: Any) -> dict[str, Any]:
    """What time has brought, and under what terms: every part at once, too."""
    length = draw(EXTENSIONS)
    policy = PolicyRef(name=filled(draw(WORDS), 200, draw(SIZES)), revision=draw(st.sampled_from([1, 10**9])))
    hops = tuple(
        Hop(at=DEADLINE - timedelta(hours=hours), users=tuple(draw(PEOPLE)), groups=(GROUP,) * draw(st.integers(0, 1)))
        for hours in range(draw(st.sampled_from([0, 0, 1, 5, 7])))
    )
    given = Extension(actor=draw(st.sampled_from([cases.person(ANA), KEY])), at=DECIDED, until=DEADLINE)
    course = Course(
        reminded_at=(DECIDED,) * draw(st.sampled_from([0, 1, 10])),
        hops=hops,
        warned_at=draw(st.sampled_from([None, DECIDED])),
        extension=given if draw(st.booleans()) else None,
    )
    terms = Terms(policy=draw(st.sampled_from([None, policy])), extension=length)
    return {"terms": terms, "course": course}


SETTLEMENTS = st.builds(
    Settlement,
    actor=st.sampled_from([cases.person(CHIDI), KEY]),
    at=st.just(DEADLINE),
    happened=st.booleans(),
    silent_at=st.sampled_from([None, DECIDED]),
)
RESUMPTIONS = st.sampled_from([Resumption(), Resumption(attempts=8, told_at=DECIDED, stuck_at=DECIDED)])


def ended(draw: Any, one: Interaction, states: list[State]) -> dict[str, Any]:
    state = draw(st.sampled_from(states))
    if state is State.PENDING:
        return {}
    words = filled(draw(WORDS), 3000, draw(SIZES))
    handled = Resume(kind=ResumeKind.HANDLER, target="h")
    how = {"resumption": draw(RESUMPTIONS), "resume": draw(st.sampled_from([Resume(), handled]))}
    return {"state": state, "resolved_at": DECIDED, "reason": words, **how, **ENDS[state]}


@st.composite
def approvals(draw: Any) -> Approval:
    times = draw(SIZES)
    has_tool = draw(st.booleans())
    body = filled(draw(WORDS), 20_000, draw(SIZES)) if draw(st.booleans()) or not has_tool else None
    given = json.dumps(draw(JSON))
    if times == 4000:
        given = json.dumps([filled(draw(WORDS), 2000, 400)] * 20)
    one = cases.approval(
        title=filled(draw(WORDS), 150, times),
        run_id=filled(draw(WORDS), 200, times),
        body=body,
        tool_name=filled(draw(WORDS), 200, times) if has_tool else None,
        input_json=given if has_tool else None,
        risk=draw(st.sampled_from(Risk)),
        requested_by=draw(st.sampled_from([DANA, None])),
        approvers=draw(WHO),
        expires_at=draw(st.sampled_from([DEADLINE, None])),
        supersedes=draw(st.sampled_from([None, None, "apr_old"])),
        **draw(courses()),
        facts=draw(FACTS),
        links=draw(LINKS),
        details=filled(draw(WORDS), 65_536, draw(SIZES)) if draw(st.booleans()) else None,
    )
    why = st.sampled_from([None, filled(draw(WORDS), 3000, draw(SIZES))])
    kinds = st.sampled_from([Decision.ALLOW_ONCE, Decision.DENY])
    votes = tuple(
        Vote(
            actor=draw(st.sampled_from([cases.person(who), KEY])), decision=draw(kinds), at=DECIDED, feedback=draw(why)
        )
        for who in draw(PEOPLE)[: draw(st.sampled_from([0, 1, 5, 20]))]
    )
    states = [State.PENDING, State.APPROVED, State.DENIED, State.EXPIRED, State.WITHDRAWN, State.SUPERSEDED]
    changes = ended(draw, one, states)
    one = replace(one, votes=votes, feedback=changes.get("reason"), **changes)
    if one.state is State.DENIED and draw(st.booleans()):
        one = replace(one, course=replace(one.course, taken_back_at=DECIDED))
    elif one.state is State.DENIED and draw(st.booleans()):
        one = replace(one, resolved_by=Actor(kind=ActorKind.DEADLINE))
    if one.state is not State.APPROVED or not draw(st.booleans()):
        return one
    status = draw(st.sampled_from(ExecutionStatus))
    claim = Claim(
        claim_id="c", at=DECIDED, execute=draw(st.booleans()), worker=draw(st.sampled_from([None, "w" * 200]))
    )
    at = DECIDED + timedelta(seconds=draw(st.integers(0, 10**6)))
    ran = Execution(status=status, at=at, started_at=DECIDED, detail=one.feedback)
    course = Course(settlement=draw(st.one_of(st.none(), SETTLEMENTS)))
    if course.settlement is not None and not course.settlement.happened and draw(st.booleans()):
        return replace(one, course=course)
    return replace(one, claim=claim, execution=ran if claim.execute else None, course=course)


@st.composite
def question_sets(draw: Any) -> QuestionSet:
    pool = draw(st.lists(WORDS, min_size=1, max_size=4))
    count = draw(st.sampled_from([1, 1, 1, 2, 3, 7, 20]))
    asked = tuple(_question(draw, place, pool) for place in range(count))
    one = cases.questions(
        *asked,
        title=filled(draw(WORDS), 150, draw(SIZES)),
        approvers=draw(WHO),
        expires_at=draw(st.sampled_from([DEADLINE, None])),
    )
    changes = ended(draw, one, [State.PENDING, State.ANSWERED, State.EXPIRED, State.WITHDRAWN, State.SUPERSEDED])
    if changes.get("state") is State.ANSWERED:
        changes["answers"] = {each.id: _answer(draw, each) for each in asked}
    return replace(one, **changes)


def _question(draw: Any, place: int, pool: list[str]) -> Question:
    times = draw(SIZES)
    # A body has 256 KiB: a thousand options in one of twenty questions, not in all.
    most = [0, 1, 3, 5, 6, 10, 11, 30] if place else [*[0, 2, 5, 6, 10, 11] * 4, 100, 101, 1000]
    count = draw(st.sampled_from(most))
    described = draw(st.booleans())
    options = tuple(
        Option(
            id=f"o{n}",
            label=f"{n} {filled(pool[n % len(pool)], 290, times)}",
            description=filled(pool[-1], 300, times) if described else None,
        )
        for n in range(count)
    )
    multiple = bool(count) and draw(st.booleans())
    chosen = tuple(option.id for option in options[: draw(st.sampled_from([0, 1, 100]))])
    typed = (filled(pool[0], 3000, times),) if draw(st.booleans()) else ()
    return Question(
        id=f"q{place}",
        prompt=filled(pool[0], 3000, times),
        description=filled(pool[-1], 3000, draw(SIZES)) if draw(st.booleans()) else None,
        options=options,
        multiple=multiple,
        allow_other=draw(st.booleans()),
        is_skippable=draw(st.booleans()),
        default=(chosen if multiple else chosen[:1]) if count else typed,
    )


def _answer(draw: Any, asked: Question) -> Answer:
    if draw(st.booleans()):
        return Answer(is_skipped=True)
    labels = tuple(option.label for option in asked.options)
    own = filled(asked.prompt, 3000, 1)
    return Answer(is_skipped=False, value=(labels or (own,)) if asked.multiple else own)


def accepted(message: Message) -> None:
    payload = message.payload()
    assert check.blocks(payload["blocks"], stored=True) == []
    assert check.total(payload["blocks"]) <= check.MESSAGE_TOTAL
    assert limits.total(message.blocks) <= limits.MESSAGE
    assert len(message.text) <= limits.FALLBACK


def accepted_view(payload: dict[str, Any]) -> None:
    assert check.view(payload) == []
    assert len(json.dumps(payload, ensure_ascii=False).encode(errors="surrogatepass")) <= 250_000


LINES = (About.REMINDED, About.ESCALATED, About.WARNED)


def drawn_notes(one: Approval) -> None:
    """What is told privately about votes and time."""
    accepted(notices.not_allowed(one.deciders))
    accepted(notices_voting.vote_stands(one, clicker=ANA))
    accepted(notices_voting.not_yours_to_take_back(one))
    accepted(notices_voting.take_back_too_late(one))
    accepted(notices_voting.extended_before(one))
    if one.votes:
        accepted(notices_voting.vote_changed(one, before=one.votes[0], clicker=ANA, card=cases.LINK))


def drawn(one: Interaction, paint: Paint) -> None:
    """Every surface that this one can be on."""
    if isinstance(one, Approval):
        accepted(approval.card(one, paint))
        accepted(silence.notice(one, link=cases.LINK, is_open=phase.is_unknown(one)))
        accepted(silence.settled_before(one, clicker=CHIDI, card=cases.LINK))
        for page in (0, 10**6):
            accepted_view(modal.review(one, WHERE, page=page, paint=paint).payload())
    else:
        assert isinstance(one, QuestionSet)
        accepted(question.card(one, paint))
        accepted_view(modal.form(one, WHERE).payload())
        found = inputs.search(one.questions[0], one.questions[0].prompt[:1])
        assert len(found.entries) <= limits.OPTIONS
    accepted(plain.card(one, paint))
    accepted(plain.words(one, paint))
    accepted_view(modal.show_all(one, WHERE).payload())
    may = {"can_decide": True, "can_settle": True, "is_compared": paint.is_compared, "precedent": paint.precedent}
    row = Row(interaction=one, link=cases.LINK, unreached=UNREACHED, **may)
    accepted_view(home.home([row], [row], unknown=[row], names=paint.names).payload())
    for about in (None, *LINES):
        accepted(reminder.reminder(one, mention=[*one.deciders.users, GROUP], about=about, link=cases.LINK))
    if isinstance(one, Approval):
        drawn_notes(one)
    if not one.is_pending:
        for about in (None, *About):
            accepted(outcome.thread_outcome(one, mention=DANA, about=about))
            accepted(outcome.dm_requester(one, link=cases.LINK, about=about))


@pytest.mark.parametrize("batch", BATCHES)
def test_slacks_rules_refuse_none_of_ten_thousand_asks(batch: int) -> None:
    @seed(batch)
    @settings(
        max_examples=A_BATCH,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        one=st.one_of(approvals(), question_sets()),
        mention=st.booleans(),
        stopped=st.sampled_from([None, cases.stop(), cases.stop(tool=None, reason="<why> & \u202e" * 30)]),
        precedent=st.one_of(st.none(), approvals()),
    )
    def asks(one: Interaction, mention: bool, stopped: Stop | None, precedent: Approval | None) -> None:
        paint = Paint(revision=3, names=NAMES, mention=mention, operators=(CHIDI,), stopped=stopped)
        drawn(one, replace(paint, is_compared=mention, precedent=precedent))

    asks()
