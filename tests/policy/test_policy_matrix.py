"""Who may decide what: every kind of person, against every way to be named, on both kinds of interaction."""

import itertools
from datetime import UTC, datetime

import pytest

from bot.people import Person, Standing, Unreadable
from bot.policy import (
    Allowed,
    GroupUnreadable,
    Known,
    NoMember,
    NotAllowed,
    OtherWorkspace,
    OwnRequest,
    groups_to_read,
    judge_key,
    judge_person,
    judge_waker,
)
from store.types import (
    Actor,
    ActorKind,
    Approval,
    Approvers,
    Destination,
    Installation,
    Interaction,
    Key,
    Question,
    QuestionSet,
    Scope,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOME, ORG, ELSEWHERE = "T0HOME", "E0ORG", "T0ELSE"
ME, OTHER = "U0ME", "U0OTHER"
GROUP = "S0GROUP"
#: What each way of naming lets somebody be.
NAMED = {"by id": Approvers(users=(ME,)), "by group": Approvers(groups=(GROUP,)), "not": Approvers(users=(OTHER,))}
GROUPS = {
    "member": {GROUP: frozenset({ME})},
    "no member": {GROUP: frozenset({OTHER})},
    "unreadable now": {GROUP: Unreadable.NOW},
    "unreadable ever": {GROUP: Unreadable.EVER},
    "never looked up": {},
}
PEOPLE = {
    "of the team": Person(user_id=ME, team_id=HOME),
    "without a team": Person(user_id=ME),
    "of another team": Person(user_id=ME, team_id=ELSEWHERE),
    "of another team, same org": Person(user_id=ME, team_id=ELSEWHERE, enterprise_id=ORG),
    "of the org itself": Person(user_id=ME, team_id=ORG),
    "of another org": Person(user_id=ME, team_id=ELSEWHERE, enterprise_id="E0OTHER"),
}
TEAM, IN_ORG = None, ORG


def installation(enterprise_id: str | None) -> Installation:
    return Installation(
        tenant="default",
        team_id=HOME,
        enterprise_id=enterprise_id,
        app_id="A0",
        bot_user_id="U0BOT",
        bot_id="B0",
        team_name="Acme",
        team_url=None,
        bound_at=NOW,
    )


def ask(kind: str, approvers: Approvers, *, requested_by: str | None, asked_by: str = "key_1") -> Interaction:
    shared = {
        "tenant": "default",
        "run_id": "r",
        "operation_id": "o",
        "title": "t",
        "request_digest": "d",
        "created_at": NOW,
        "expires_at": None,
        "asked_by": Actor(kind=ActorKind.API_KEY, id=asked_by),
        "requested_by": requested_by,
        "approvers": approvers,
        "destination": Destination(channels=("C0",)),
    }
    if kind == "approval":
        return Approval(id="apr_1", digest="d", **shared)
    return QuestionSet(id="qst_1", questions=(Question(id="q", prompt="p"),), **shared)


def expected(kind: str, *, who: str, org: str | None, named: str, groups: str, asker: str, allowed: bool) -> type:
    """The verdict in words, written down apart from the code that gives it."""
    at_home = {"of the team", "without a team"} | ({"of another team, same org", "of the org itself"} if org else set())
    if who not in at_home:
        return OtherWorkspace
    if kind == "approval" and asker == ME and not allowed:
        return OwnRequest
    if named == "by id" or (named == "by group" and groups == "member"):
        return Allowed
    if named == "by group" and groups != "no member":
        return GroupUnreadable
    return NotAllowed


MATRIX = list(
    itertools.product(["approval", "question"], PEOPLE, [TEAM, IN_ORG], NAMED, GROUPS, [ME, OTHER, None], [False, True])
)


@pytest.mark.parametrize("kind", ["approval", "question"])
@pytest.mark.parametrize("who", PEOPLE)
def test_every_person_gets_the_verdict_of_the_rules(kind, who) -> None:
    wrong = []
    for case in MATRIX:
        of_kind, person, org, named, groups, asker, allowed = case
        if (of_kind, person) != (kind, who):
            continue
        approvers = NAMED[named]
        approvers = Approvers(users=approvers.users, groups=approvers.groups, allow_requester=allowed)
        verdict = judge_person(
            interaction=ask(kind, approvers, requested_by=asker),
            person=PEOPLE[person],
            installation=installation(org),
            known=Known(groups=GROUPS[groups]),
        )
        right = expected(kind, who=who, org=org, named=named, groups=groups, asker=asker or "", allowed=allowed)
        if type(verdict) is not right:
            wrong.append((case, type(verdict).__name__, right.__name__))

    assert wrong == []


def test_an_empty_list_names_nobody() -> None:
    for kind in ("approval", "question"):
        verdict = judge_person(
            interaction=ask(kind, Approvers(), requested_by=None),
            person=PEOPLE["of the team"],
            installation=installation(None),
            known=Known(groups={}),
        )

        assert isinstance(verdict, NotAllowed)


@pytest.mark.parametrize(
    ("person", "standing"),
    [(PEOPLE["of the team"], Standing.GUEST), (Person(user_id=ME, team_id=ELSEWHERE), Standing.MEMBER)],
)
def test_whose_account_may_not_is_not_told_that_they_could(person, standing) -> None:
    verdict = judge_person(
        interaction=ask("approval", Approvers(users=(ME, OTHER)), requested_by=None),
        person=person,
        installation=installation(None),
        known=Known(groups={}, standing=standing),
    )

    assert isinstance(verdict, NoMember | OtherWorkspace)
    assert verdict.approvers.users == (OTHER,)


def test_who_is_named_by_id_needs_no_group() -> None:
    both = ask("approval", Approvers(users=(ME,), groups=(GROUP,)), requested_by=None)

    assert groups_to_read(both, PEOPLE["of the team"]) == ()
    assert groups_to_read(both, Person(user_id=OTHER)) == (GROUP,)


def test_of_two_unreadable_groups_the_one_worth_another_click_is_named() -> None:
    verdict = judge_person(
        interaction=ask("approval", Approvers(groups=("S0GONE", "S0SLOW")), requested_by=OTHER),
        person=PEOPLE["of the team"],
        installation=installation(None),
        known=Known(groups={"S0GONE": Unreadable.EVER, "S0SLOW": Unreadable.NOW}),
    )

    assert verdict == GroupUnreadable(group="S0SLOW", why=Unreadable.NOW, requested_by=OTHER)


@pytest.mark.parametrize(
    ("who", "asker", "operator", "may"),
    [
        ("of the team", ME, False, True),
        ("of the team", OTHER, False, False),
        ("of the team", OTHER, True, True),
        ("of the team", None, False, False),
        ("of another team", ME, True, False),
    ],
)
def test_who_asked_and_operators_may_wake_a_run_from_their_own_workspace(who, asker, operator, may) -> None:
    found = judge_waker(
        interaction=ask("approval", Approvers(users=(OTHER,)), requested_by=asker),
        person=PEOPLE[who],
        installation=installation(None),
        is_operator=operator,
    )

    assert found is may


@pytest.mark.parametrize("kind", ["approval", "question"])
@pytest.mark.parametrize("scopes", [frozenset({Scope.DECIDE}), frozenset({Scope.ASK, Scope.READ})])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("own", [True, False])
def test_a_key_decides_only_where_it_is_named_with_the_scope_and_never_its_own_ask(kind, scopes, named, own) -> None:
    key = Key(tenant="default", id="key_2", name="ci-bot", scopes=scopes, created_at=NOW)
    approvers = Approvers(users=(ME,), keys=("ci-bot",) if named else ("other-bot",))

    verdict = judge_key(
        interaction=ask(kind, approvers, requested_by=None, asked_by="key_2" if own else "key_1"), key=key
    )

    assert isinstance(verdict, Allowed) is (named and not own and Scope.DECIDE in scopes)
