"""One approval and one question set as the reference shows them, to be varied by a test."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from blocks import outcome
from blocks.outcome import Place
from blocks.surface import Message, Paint
from store.types import Actor, ActorKind, Approval, Approvers, Link, Option, Question, QuestionSet, Stop

ANA, BEN, CHIDI, DANA = "U07ANA4K2QX", "U07BEN9D1MT", "U07CHI3F8WZ", "U07DAN5R6NP"
GROUP = "S07ONCALL01"
NAMES = {ANA: "Ana Ruiz", BEN: "Ben Okafor", CHIDI: "Chidi Eze", DANA: "Dana Whitfield", GROUP: "oncall-leads"}
KEY = Actor(kind=ActorKind.API_KEY, id="key_01", name="report-bot")
ASKED = datetime(2026, 11, 30, 13, 58, tzinfo=UTC)
DECIDED = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)
DEADLINE = datetime(2026, 11, 30, 18, 2, tzinfo=UTC)
LINK = "https://acme.slack.com/archives/C07DEPLOYS1/p1764514200000200"
INPUT = (
    '{"service": "api", "version": "1.4.2", "environment": "production", "strategy": {"zones": 3, "pause_minutes": 5}}'
)
BODY = (
    "Rolls one zone at a time, five minutes apart. Error budget: 96 % left.\n"
    "Roll back with `make rollback V=1.4.1`. [What changed](https://github.com/acme/api/compare/v1.4.1...v1.4.2)"
)
PAINT = Paint(revision=1, names=NAMES)


def person(id: str) -> Actor:
    return Actor(kind=ActorKind.SLACK_USER, id=id)


def approval(**changes: Any) -> Approval:
    plain = Approval(
        tenant="default",
        id="apr_01KB9Q4V7M2T8R5XW3C6",
        run_id="deploy-api-812",
        operation_id="release",
        title="Deploy api 1.4.2 to production",
        request_digest="0" * 64,
        created_at=ASKED,
        expires_at=DEADLINE,
        asked_by=KEY,
        requested_by=DANA,
        approvers=Approvers(users=(ANA, BEN)),
        digest="9f3a61c2" + "0" * 56,
        body=BODY,
        tool_name="deploy.release",
        input_json=INPUT,
    )
    return replace(plain, **changes)


def stop(**changes: Any) -> Stop:
    plain = Stop(
        tenant="default", id="stp_1", tool="deploy.*", actor=person(CHIDI), at=DECIDED, reason="error rate doubled."
    )
    return replace(plain, **changes)


def link(label: str, url: str) -> Link:
    return Link(label=label, url=url)


def options(*labels: str) -> tuple[Option, ...]:
    return tuple(Option(id=f"o{place}", label=label) for place, label in enumerate(labels))


def questions(*asked: Question, **changes: Any) -> QuestionSet:
    plain = QuestionSet(
        tenant="default",
        id="qst_01KB9R2N5D8K3P6VH4E7",
        run_id="weekly-report-48",
        operation_id="ask",
        title=asked[0].prompt,
        request_digest="0" * 64,
        created_at=ASKED,
        expires_at=None,
        asked_by=KEY,
        approvers=Approvers(users=(ANA,)),
        questions=asked,
    )
    return replace(plain, **changes)


def failed_card(error: str) -> Message:
    return outcome.dm_card_failed(approval(), places=[Place(address="C07DEPLOYS1", error=error, has_card=False)])
