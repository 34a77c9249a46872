"""What contract tests ask, with defaults: only the telling field stands in a test."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from store.ids import new_id
from store.protocol import Store
from store.types import (
    Actor,
    ActorKind,
    Answer,
    Approval,
    Approvers,
    Decision,
    Destination,
    ExecutionStatus,
    Interaction,
    Key,
    Option,
    Policy,
    Posting,
    Question,
    QuestionSet,
    Resume,
    ResumeKind,
    Scope,
    Stop,
    Surface,
)

NOW = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
MOMENT = timedelta(microseconds=1)
MILLISECOND = timedelta(milliseconds=1)
TENANT = "default"
OTHER = "other"
ANA = Actor(kind=ActorKind.SLACK_USER, id="U0ANA")
BEN = Actor(kind=ActorKind.SLACK_USER, id="U0BEN")
CLEO = Actor(kind=ActorKind.API_KEY, id="key_cleo", name="cleo-bot")
ASKER = Actor(kind=ActorKind.API_KEY, id="key_ci", name="ci-bot")
OPS = Actor(kind=ActorKind.SLACK_USER, id="U0OPS")
DEADLINE = Actor(kind=ActorKind.DEADLINE)
HANDLER = Resume(kind=ResumeKind.HANDLER, target="deploy")
WEBHOOK = Resume(kind=ResumeKind.WEBHOOK, target="https://runs.example/hook")
YES = {"colour": Answer(is_skipped=False, value="Blue", option_ids=("b",))}


def an_approval(**fields: Any) -> Approval:
    id_ = fields.pop("id", None) or new_id("apr", now=fields.get("created_at", NOW))
    defaults: dict[str, Any] = {
        "tenant": TENANT,
        "id": id_,
        "run_id": f"run-{id_}",
        "operation_id": "op",
        "title": "Deploy",
        "request_digest": "request",
        "created_at": NOW,
        "expires_at": NOW + HOUR,
        "asked_by": ASKER,
        "digest": "digest",
        "approvers": Approvers(users=("U0ANA", "U0BEN"), groups=("S0OPS",)),
        "destination": Destination(channels=("C0DEPLOY",), users=("U0ANA",)),
    }
    return Approval(**{**defaults, **fields})


def a_question(**fields: Any) -> QuestionSet:
    id_ = fields.pop("id", None) or new_id("qst", now=fields.get("created_at", NOW))
    colours = (Option(id="r", label="Red"), Option(id="b", label="Blue", description="like the sky"))
    defaults: dict[str, Any] = {
        "tenant": TENANT,
        "id": id_,
        "run_id": f"run-{id_}",
        "operation_id": "op",
        "title": "Colour",
        "request_digest": "request",
        "created_at": NOW,
        "expires_at": None,
        "asked_by": ASKER,
        "questions": (Question(id="colour", prompt="Which?", options=colours, multiple=True, default=("r",)),),
        "destination": Destination(channels=("C0DEPLOY",)),
    }
    return QuestionSet(**{**defaults, **fields})


async def asked(store: Store, interaction: Interaction | None = None, **fields: Any) -> Interaction:
    """Ask it, and give back what was asked."""
    interaction = interaction or an_approval(**fields)
    if isinstance(interaction, Approval):
        await store.create_approval(approval=interaction)
    else:
        await store.create_question(question=interaction)
    return interaction


async def decide(store: Store, approval: Interaction, **fields: Any) -> Any:
    """Ana allows it in the minute after it was asked."""
    defaults: dict[str, Any] = {
        "tenant": approval.tenant,
        "id": approval.id,
        "actor": ANA,
        "decision": Decision.ALLOW_ONCE,
        "at": NOW + MINUTE,
        "surface": Surface.CARD,
    }
    return await store.decide_approval(**{**defaults, **fields})


async def decided(store: Store, **fields: Any) -> Approval:
    """An approval that Ana allowed."""
    return (await decide(store, await asked(store, **fields))).approval


async def answer(store: Store, question: Interaction, **fields: Any) -> Any:
    defaults: dict[str, Any] = {
        "tenant": question.tenant,
        "id": question.id,
        "actor": ANA,
        "answers": YES,
        "at": NOW + MINUTE,
        "surface": Surface.CARD,
    }
    return await store.answer_question(**{**defaults, **fields})


async def claim(store: Store, approval: Interaction, **fields: Any) -> Any:
    defaults: dict[str, Any] = {
        "tenant": approval.tenant,
        "id": approval.id,
        "claim_id": "claim-1",
        "digest": "digest",
        "at": NOW + 2 * MINUTE,
    }
    return await store.claim_approval(**{**defaults, **fields})


async def report(store: Store, approval: Interaction, status: ExecutionStatus, **fields: Any) -> Approval:
    defaults: dict[str, Any] = {"tenant": approval.tenant, "id": approval.id, "claim_id": "claim-1"}
    return await store.report_execution(**{**defaults, "status": status, "at": NOW + 3 * MINUTE, **fields})


async def take_back(store: Store, approval: Interaction, **fields: Any) -> Any:
    return await store.take_back(**_by_ana(approval, **{"at": NOW + 2 * MINUTE, **fields}))


async def extend(store: Store, interaction: Interaction, **fields: Any) -> Any:
    return await store.extend(**_by_ana(interaction, **fields))


async def settle(store: Store, approval: Interaction, *, happened: bool, **fields: Any) -> Any:
    by = {"actor": OPS, "at": NOW + 10 * MINUTE, "surface": Surface.LIST}
    return await store.settle(**_by_ana(approval, **{**by, "happened": happened, **fields}))


def _by_ana(interaction: Interaction, **fields: Any) -> dict[str, Any]:
    of = {"tenant": interaction.tenant, "id": interaction.id}
    return {**of, "actor": ANA, "at": NOW + MINUTE, "surface": Surface.CARD, **fields}


async def went_silent(store: Store, **fields: Any) -> Approval:
    """An approval whose claimant promised to report within a minute, and did not."""
    approval = await decided(store, **fields)
    await claim(store, approval, report_within=60)
    (silent,) = await store.mark_unknown(now=NOW + 3 * MINUTE)
    return silent


async def withdraw(store: Store, interaction: Interaction, **fields: Any) -> Any:
    defaults: dict[str, Any] = {
        "tenant": interaction.tenant,
        "id": interaction.id,
        "actor": ASKER,
        "at": NOW + MINUTE,
        "surface": Surface.API,
    }
    return await store.withdraw(**{**defaults, **fields})


async def now_is(store: Store, interaction: Interaction) -> Interaction:
    """As the store holds it."""
    found = await store.find_interaction(tenant=interaction.tenant, id=interaction.id)
    assert found is not None
    return found


async def cards(store: Store, interaction: Interaction) -> list[Posting]:
    found = await store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
    return list(found[interaction.id])


async def said(store: Store, interaction: Interaction) -> list[str]:
    """What its events say happened."""
    return [event.action for event in await store.list_events(tenant=interaction.tenant, interaction_id=interaction.id)]


def a_key(**fields: Any) -> Key:
    defaults: dict[str, Any] = {
        "tenant": TENANT,
        "id": new_id("key", now=NOW),
        "name": "ci-bot",
        "scopes": frozenset({Scope.ASK, Scope.READ}),
        "created_at": NOW,
    }
    return Key(**{**defaults, **fields})


def a_policy(**fields: Any) -> Policy:
    defaults: dict[str, Any] = {
        "tenant": TENANT,
        "name": "prod",
        "revision": 0,
        "set_at": NOW,
        "set_by": OPS,
        "approvers": Approvers(users=("U0ANA",), groups=("S0OPS",), quorum=2),
        "tools": ("deploy.*",),
    }
    return Policy(**{**defaults, **fields})


def a_stop(**fields: Any) -> Stop:
    defaults: dict[str, Any] = {"tenant": TENANT, "id": new_id("stp", now=NOW), "tool": None, "actor": OPS, "at": NOW}
    return Stop(**{**defaults, **fields})


async def go(store: Store, tool: str | None = None, **fields: Any) -> Any:
    """End stops."""
    return await store.end_stops(**{"tenant": TENANT, "tool": tool, "actor": ANA, "at": NOW + HOUR, **fields})


async def paint(store: Store, *, now: datetime = NOW) -> None:
    """All messages stand, and show what is so; a direct message in a channel of its own."""
    for leased in await store.lease_postings(now=now, until=now + MINUTE, limit=100):
        posting = leased.posting
        channel = f"D{posting.address}" if posting.address.startswith("U") else posting.address
        ts = posting.ts or f"{posting.id}.1"
        painted = {"painted": posting.wanted, "now": now, "channel": channel, "ts": ts}
        assert await store.finish_posting(posting=posting, lease=leased.lease, **painted)


async def behind(store: Store, interaction: Interaction) -> list[bool]:
    """Of each of its messages, whether it does not show yet what is so."""
    return [each.wanted > each.painted for each in await cards(store, interaction)]


def again(interaction: Interaction, **fields: Any) -> Any:
    """The same ask, as a new call makes it: under another id."""
    return replace(interaction, id=new_id("apr", now=NOW), **fields)
