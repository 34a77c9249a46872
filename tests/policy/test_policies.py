"""What a policy makes of an ask: whatever an ask says, nothing that holds afterwards is looser than the policy."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import policies
from bot.asks import ApprovalAsk, QuestionAsk, Ruled
from store.terms import DEFAULT_EXTENSION
from store.types import Approvers, Destination, Escalation, OnExpiry, Policy, Question, Reminders, Terms
from tests.policies import policy

USERS, GROUPS, KEYS = ("U0A", "U0B", "U0C"), ("S0A", "S0B"), ("judge", "other")
CHANNELS = ("C0A", "C0B", "C0C")


def some(names: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(names), unique=True).map(tuple)


approvers = st.builds(
    Approvers,
    users=some(USERS),
    groups=some(GROUPS),
    keys=some(KEYS),
    quorum=st.integers(1, 4),
    denials=st.integers(1, 4),
    allow_requester=st.booleans(),
    require_reason=st.booleans(),
)
places = st.builds(Destination, channels=some(CHANNELS), users=some(USERS))
reminders = st.none() | st.builds(Reminders, after=st.integers(60, 9999).map(lambda n: timedelta(seconds=n)))
steps = st.lists(
    st.builds(Escalation, after=st.integers(1, 9999).map(lambda n: timedelta(seconds=n)), users=some(USERS)), max_size=2
).map(tuple)
terms = st.builds(
    Terms,
    on_expiry=st.sampled_from(OnExpiry),
    reminders=reminders,
    escalation=steps,
    extension=st.none() | st.integers(1, 9999).map(lambda n: timedelta(seconds=n)),
    may_edit=st.booleans(),
)
rules = st.builds(
    policy,
    approvers=approvers,
    destination=places,
    tools=st.sampled_from([(), ("deploy.*",), ("mail", "deploy.release")]),
    max_expires=st.none() | st.integers(1, 99999).map(lambda n: timedelta(seconds=n)),
    terms=terms,
)


def ask(**more: Any) -> ApprovalAsk:
    given: dict[str, Any] = {
        "run_id": "r",
        "title": "t",
        "tool_name": "deploy.release",
        "input_json": "{}",
        "approvers": None,
        "destination": Destination(),
        **more,
    }
    return ApprovalAsk(**given)


def part_of(names: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return some(names) if names else st.just(())


@st.composite
def cases(draw: st.DrawFn) -> tuple[Policy, ApprovalAsk]:
    """A policy, and an ask that it mostly lets through: refusals alone would show nothing."""
    rule: Policy = draw(rules)
    least = rule.approvers
    of_the_rule = st.builds(
        Approvers,
        users=part_of(least.users),
        groups=part_of(least.groups),
        keys=part_of(least.keys),
        quorum=st.integers(1, 4),
        denials=st.integers(1, 4),
        allow_requester=st.booleans(),
        require_reason=st.booleans(),
    )
    asked = ask(
        approvers=draw(st.one_of(of_the_rule, of_the_rule, st.none(), approvers)),
        destination=draw(places),
        tool_name=draw(st.sampled_from(["deploy.release", "deploy.release", None, "deploy.release.eu", "mailer"])),
        expires_in=draw(st.none() | st.integers(1, 99999)),
        input_schema=draw(st.sampled_from([None, "{}"])),
        terms=Terms(
            on_expiry=draw(st.sampled_from(OnExpiry)),
            reminders=draw(reminders),
            escalation=draw(st.one_of(st.just(()), st.just(()), steps)),
        ),
    )
    return rule, asked


@settings(max_examples=400)
@given(cases())
def test_what_holds_is_never_looser_than_the_policy(case: tuple[Policy, ApprovalAsk]) -> None:
    rule, asked = case
    ruled = policies.under(rule, asked)

    if isinstance(ruled, str):
        assert "prod" in ruled
        return
    least, holds = rule.approvers, ruled.approvers
    assert set(holds.users) <= set(least.users)
    assert set(holds.groups) <= set(least.groups)
    assert set(holds.keys) <= set(least.keys)
    assert holds.quorum >= least.quorum
    assert holds.denials <= least.denials
    assert holds.allow_requester <= least.allow_requester
    assert holds.require_reason >= least.require_reason
    assert rule.covers(asked.tool_name)
    assert_terms_hold(rule, ruled)


def test_each_thing_that_an_ask_says_looser_stays_as_the_policy_has_it() -> None:
    strict = Approvers(users=("U0A", "U0B", "U0C"), quorum=2, require_reason=True)
    rule = policy(approvers=strict, max_expires=timedelta(hours=1), terms=Terms(on_expiry=OnExpiry.DENY))
    loose = Approvers(users=("U0A", "U0B"), quorum=1, denials=2, allow_requester=True)
    ruled = policies.under(rule, ask(approvers=loose, expires_in=None))

    assert isinstance(ruled, Ruled)
    assert ruled.approvers == replace(strict, users=("U0A", "U0B"))
    assert (ruled.expires_in, ruled.terms.on_expiry) == (3600, OnExpiry.DENY)


def assert_terms_hold(rule: Policy, ruled: Ruled) -> None:
    assert set(rule.destination.channels) <= set(ruled.destination.channels)
    assert set(rule.destination.users) <= set(ruled.destination.users)
    if rule.max_expires is not None:
        assert ruled.expires_in is not None
        assert ruled.expires_in <= rule.max_expires.total_seconds()
    said, holds = rule.terms, ruled.terms
    assert holds.escalation == said.escalation
    assert said.on_expiry is OnExpiry.EXPIRE or holds.on_expiry is OnExpiry.DENY
    assert holds.may_edit <= said.may_edit
    assert not (holds.may_edit and ruled.approvers.quorum > 1)
    assert said.reminders is None or holds.reminders == said.reminders
    if holds.extension is not None:
        assert said.extension is not None
        assert holds.extension <= said.extension
    assert (holds.policy and (holds.policy.name, holds.policy.revision)) == (rule.name, rule.revision)


@given(cases())
def test_an_ask_that_says_nothing_of_it_gets_what_the_policy_says(case: tuple[Policy, ApprovalAsk]) -> None:
    rule, asked = case
    plain = replace(asked, approvers=None, destination=Destination(), terms=Terms(), tool_name="deploy.release")
    ruled = policies.under(rule, plain)

    assert isinstance(ruled, Ruled)
    assert ruled.approvers == rule.approvers
    assert ruled.destination == rule.destination
    assert ruled.terms.reminders == rule.terms.reminders


@given(rules, approvers)
def test_whoever_is_named_beside_the_policy_is_refused_by_name(rule: Policy, named: Approvers) -> None:
    others = [
        *(set(named.users) - set(rule.approvers.users)),
        *(set(named.groups) - set(rule.approvers.groups)),
        *(set(named.keys) - set(rule.approvers.keys)),
    ]
    ruled = policies.under(rule, ask(approvers=named))

    if others:
        assert isinstance(ruled, str)
        assert all(name in ruled for name in others)


@given(cases())
def test_what_holds_can_be_fulfilled_where_the_policy_could(case: tuple[Policy, ApprovalAsk]) -> None:
    """A quorum of two, of one person that the ask left, would wait for nobody."""
    rule, asked = case
    ruled = policies.under(rule, asked)

    if isinstance(ruled, Ruled) and asked.approvers is not None and not ruled.approvers.groups:
        assert ruled.approvers.quorum <= len(ruled.approvers.users) + len(ruled.approvers.keys)


@pytest.mark.parametrize(
    ("tools", "tool", "covers"),
    [
        ((), "deploy", True),
        ((), None, True),
        (("deploy",), "deploy", True),
        (("deploy",), "deploy.release", False),
        (("deploy.*",), "deploy.release", True),
        (("deploy.*",), "deploy.", True),
        (("deploy.*",), "deploy", False),
        (("deploy.*",), "Deploy.release", False),
        (("deploy.*",), "xdeploy.release", False),
        (("deploy.*",), None, False),
        (("*",), "anything", True),
        (("*",), None, False),
        (("a", "b*"), "bc", True),
    ],
)
def test_a_policy_is_for_its_tools(tools: tuple[str, ...], tool: str | None, covers: bool) -> None:
    rule = policy(tools=tools)
    ruled = policies.under(rule, ask(tool_name=tool))

    assert isinstance(ruled, Ruled) is covers
    if isinstance(ruled, str):
        assert f"is not for {tool or 'confirmations'}: it is for {', '.join(tools)}" in ruled


def test_a_question_is_no_permission_and_tools_do_not_concern_it() -> None:
    asked = QuestionAsk(
        run_id="r", questions=(Question(id="q", prompt="?"),), approvers=None, destination=Destination()
    )
    ruled = policies.under(policy(tools=("deploy.*",), max_expires=timedelta(hours=1)), asked)

    assert isinstance(ruled, Ruled)
    assert ruled.expires_in == 3600


def test_a_thread_goes_with_the_one_channel_that_the_policy_has_too() -> None:
    rule = policy(destination=Destination(channels=("C0PROD",)))
    same = policies.under(rule, ask(destination=Destination(channels=("C0PROD",), thread_ts="1.000001")))
    other = policies.under(rule, ask(destination=Destination(channels=("C0DEV",), thread_ts="1.000001")))

    assert isinstance(same, Ruled)
    assert same.destination.thread_ts == "1.000001"
    assert other == "Policy prod sends cards elsewhere, too: thread_ts goes with exactly one channel."


def test_without_a_policy_time_is_given_as_long_again_at_most_and_edits_take_a_schema_and_one_approver() -> None:
    one, two = Approvers(users=("U0A", "U0B")), Approvers(users=("U0A", "U0B"), quorum=2)

    assert policies.alone(ask(), one).terms.extension == DEFAULT_EXTENSION
    assert policies.alone(ask(expires_in=60), one).terms.extension == timedelta(seconds=60)
    assert policies.alone(ask(expires_in=None), one).terms.extension is None
    assert policies.alone(ask(input_schema="{}"), one).terms.may_edit is True
    assert policies.alone(ask(), one).terms.may_edit is False
    assert policies.alone(ask(input_schema="{}"), two).terms.may_edit is False
