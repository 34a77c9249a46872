"""A policy as the command line says it: what is read, and what is refused with what to write."""

from datetime import timedelta
from typing import Any

import pytest

from bot.policy_options import Said, read
from bot.settings import HalfConfigured
from bot.spans import in_words
from store.types import Approvers, Destination
from tests.clock import START
from tests.policies import OPERATOR


def said(**more: Any) -> Said:
    return Said(**{"tenant": "default", "name": "prod", "approvers": "U0ANA", **more})


def policy(**more: Any) -> Any:
    return read(said(**more), by=OPERATOR, at=START)


def test_people_groups_and_keys_are_told_apart_and_named_once() -> None:
    found = policy(approvers=" U0ANA, S0ONCALL,key:judge,W0BEN,U0ANA ,").approvers

    assert found == Approvers(users=("U0ANA", "W0BEN"), groups=("S0ONCALL",), keys=("judge",))


def test_cards_go_to_channels_and_people() -> None:
    assert policy(to="C0A,G0B,U0ANA").destination == Destination(channels=("C0A", "G0B"), users=("U0ANA",))
    assert policy().destination == Destination()


def test_escalation_goes_from_the_sooner_to_the_later_however_it_is_said() -> None:
    found = policy(escalate=("after=1d,U0CEO", "after=30m,S0LEADS")).terms.escalation

    assert [step.after for step in found] == [timedelta(minutes=30), timedelta(days=1)]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (None, (0, 1, 2, 3, 4)),
        ("mon-fri", (0, 1, 2, 3, 4)),
        ("Mon,wed", (0, 2)),
        ("fri-mon", (0, 4, 5, 6)),
        ("sun", (6,)),
        ("mon-tue,sat-sun", (0, 1, 5, 6)),
    ],
)
def test_days_are_names_and_spans_of_them(days: str | None, found: tuple[int, ...]) -> None:
    hours = policy(remind_after="30m", hours="09:00-18:00", zone="Europe/Berlin", days=days).terms.reminders.hours

    assert hours.days == found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": ""}, "a policy's name: 1 to 80 letters"),
        ({"name": "a,b"}, "a policy's name"),
        ({"name": "x" * 81}, "a policy's name"),
        ({"name": "prod\n"}, "a policy's name"),
        ({"approvers": ""}, "--approvers: name people (@name, U…), groups (@handle, S…) or keys"),
        ({"approvers": " , "}, "--approvers: name people"),
        ({"approvers": "key:"}, "--approvers: name people"),
        (
            {"approvers": "@oncall"},
            "--approvers: '@oncall' is no id; write @name, U… or S…, or key:NAME (copy it in Slack",
        ),
        ({"approvers": "C0A"}, "--approvers: 'C0A' is no id"),
        ({"approvers": ",".join(f"U{n:03}" for n in range(101))}, "--approvers: at most 100 people and 20 groups"),
        ({"approvers": ",".join(f"key:{n}" for n in range(21))}, "--approvers: at most 20 keys"),
        ({"quorum": 2}, "--quorum: 2 of 1 approvers never come together"),
        ({"denials": 2}, "--denials: 2 of 1 approvers never come together"),
        ({"approvers": "S0A", "quorum": 2, "edit": True}, "--edit: one person decides on an input that they changed"),
        ({"to": "#deploys"}, "--to: '#deploys' is no id; write #name or C… for a channel"),
        ({"to": ",".join(f"C{n:03}" for n in range(21))}, "--to: at most 20"),
        ({"tools": "*.deploy"}, "--tools: '*.deploy': write names"),
        ({"tools": "x" * 201}, "--tools: "),
        ({"max_expires": "soon"}, "--max-expires: 'soon' is no span; write 90d, 12h or 30m"),
        ({"max_expires": "31d"}, "--max-expires: at most 30d"),
        ({"extension": "0m"}, "--extension: '0m' is no span"),
        ({"remind_most": 2}, "--remind-most goes with --remind-after"),
        ({"hours": "09:00-18:00"}, "--hours goes with --remind-after"),
        ({"remind_after": "30m", "zone": "Europe/Berlin"}, "--zone and --days go with --hours"),
        ({"remind_after": "30m", "hours": "09:00-18:00"}, "--hours goes with --zone, as Europe/Berlin"),
        ({"remind_after": "30m", "hours": "18:00-09:00", "zone": "UTC"}, "--hours: '18:00-09:00'; write the earlier"),
        ({"remind_after": "30m", "hours": "9-18", "zone": "UTC"}, "--hours: '9-18'"),
        ({"remind_after": "30m", "hours": "09:00-24:00", "zone": "UTC"}, "--hours: '09:00-24:00'"),
        ({"remind_after": "30m", "hours": "09:00-18:00", "zone": "Mars"}, "--zone: 'Mars' is no time zone"),
        ({"remind_after": "30m", "hours": "09:00-18:00", "zone": "../x"}, "--zone: '../x' is no time zone"),
        (
            {"remind_after": "30m", "hours": "09:00-18:00", "zone": "UTC", "days": "mon-"},
            "--days: 'mon-'; write days and spans of them",
        ),
        ({"remind_after": "30m", "hours": "09:00-18:00", "zone": "UTC", "days": ","}, "--days: name at least one"),
        ({"escalate": ("1h,U0A",)}, "--escalate: '1h,U0A'; write when and whom"),
        ({"escalate": ("after=1h",)}, "--escalate: 'after=1h'; write when and whom"),
        ({"escalate": ("",)}, "--escalate: ''; write when and whom"),
        ({"escalate": ("after=1h,ana",)}, "--escalate: 'ana' is no id; write @name, U… or S…"),
        ({"escalate": ("after=1h,U0A", "after=60m,U0B")}, "--escalate: each at a time of its own"),
        ({"escalate": tuple(f"after={n}h,U0A" for n in range(1, 7))}, "--escalate: at most 5 times"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_option(change: dict[str, Any], words: str) -> None:
    with pytest.raises(HalfConfigured) as refused:
        policy(**change)

    assert str(refused.value).startswith(words)


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(minutes=30), "30m"),
        (timedelta(minutes=90), "1h 30m"),
        (timedelta(days=2), "2d"),
        (timedelta(days=1, seconds=5), "1d 5s"),
        (timedelta(), "0m"),
    ],
)
def test_spans_are_worded_as_they_are_written(span: timedelta, words: str) -> None:
    assert in_words(span) == words
