"""Practice requests: an approval for the person who wants to try one, decided by nobody else, that runs nothing."""

from datetime import datetime, timedelta

import structlog

from bot import policy
from bot.asks import canonical_input
from bot.clock import Clock
from bot.hub import Hub
from bot.people import Person
from bot.policy import OtherWorkspace
from store.digest import action_digest, content_digest
from store.ids import new_id
from store.protocol import Store
from store.types import (
    Actor,
    ActorKind,
    Approval,
    Approvers,
    Destination,
    Installation,
    Interaction,
    Resume,
    ResumeKind,
    Risk,
)

log = structlog.get_logger("signoff.practice")

#: The handler that every worker has.
HANDLER = "signoff.practice"
#: Who asks, as cards say it. The row names the person who wanted it.
ASKER = "Signoff"
DEADLINE = timedelta(hours=1)
#: What the run reports.
DETAIL = "Hello. That was the whole way: asked, approved, run, reported."
_TITLE = "Practice: say hello"
_TOOL = "practice.hello"
_INPUT = canonical_input({"greeting": "Hello"})
_BODY = "Try *Approve* or *Deny*: nothing happens beyond this card."
#: How many of the newest asks under the person's run are looked through for one of ours.
_LOOK_AT = 20


class Practice:
    """One per process. Any number of them share the rows: who presses twice, wherever, has one open request."""

    def __init__(self, *, store: Store, clock: Clock, hub: Hub) -> None:
        self._store = store
        self._clock = clock
        self._hub = hub

    async def ask(self, *, tenant: str, person: Person, installation: Installation) -> Approval | OtherWorkspace:
        """This person's open practice request: the one that waits for them, else a new one.

        Raises:
            Conflict: a run took the name of theirs.
            Unconfirmed: asking again is safe.
        """
        if policy.is_foreign(person, installation):
            return OtherWorkspace(approvers=Approvers(users=(person.user_id,)))
        last = await self._last(tenant, person.user_id)
        while last is None or not self._is_open(last):
            # Named by the one before it: of two presses at the same time, both name the same.
            new = approval(tenant=tenant, person=person.user_id, after=last, now=self._clock.now())
            made = await self._store.create_approval(approval=new)
            last = made.interaction
            if made.created:
                log.info("practice_asked", interaction=last.id)
                self._hub.poke(tenant, last.id)
        return last

    async def _last(self, tenant: str, person: str) -> Approval | None:
        page = await self._store.list_interactions(tenant=tenant, run_id=_run_of(person), limit=_LOOK_AT)
        return next((one for one in page.items if isinstance(one, Approval) and is_practice(one)), None)

    def _is_open(self, one: Approval) -> bool:
        return one.is_pending and (one.expires_at is None or one.expires_at > self._clock.now())


def is_practice(one: Interaction) -> bool:
    """Ours: no ask through the API is made by a person."""
    return one.asked_by.kind is ActorKind.SLACK_USER and one.resume.target == HANDLER


def approval(*, tenant: str, person: str, after: Approval | None, now: datetime) -> Approval:
    """The pending request. Asked again after the same one, it is the same ask, whatever its words."""
    operation = "first" if after is None else f"after-{after.id}"
    return Approval(
        tenant=tenant,
        id=new_id("apr", now=now),
        run_id=_run_of(person),
        operation_id=operation,
        title=_TITLE,
        request_digest=content_digest({"practice": person, "operation": operation}),
        created_at=now,
        expires_at=now + DEADLINE,
        asked_by=Actor(kind=ActorKind.SLACK_USER, id=person, name=ASKER),
        approvers=Approvers(users=(person,), allow_requester=True),
        destination=Destination(users=(person,)),
        resume=Resume(kind=ResumeKind.HANDLER, target=HANDLER),
        digest=action_digest(title=_TITLE, body=_BODY, tool_name=_TOOL, input_json=_INPUT),
        body=_BODY,
        tool_name=_TOOL,
        input_json=_INPUT,
        risk=Risk.LOW,
    )


def _run_of(person: str) -> str:
    return f"practice-{person}"
