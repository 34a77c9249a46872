"""The rows of the memory backend, and the one way in which a transition is written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from store import rules, work
from store.terms import holding
from store.types import Approval, Event, Interaction, Lease, Stop, Timer, TimerKind
from store.work import PostingWork

I = TypeVar("I", bound=Interaction)  # noqa: E741  # as in the rules
_Key = tuple[str, str]


@dataclass
class Rows:
    interactions: dict[_Key, Interaction] = field(default_factory=dict)
    operations: dict[tuple[str, str, str], str] = field(default_factory=dict)
    open: dict[_Key, None] = field(default_factory=dict)
    leases: dict[_Key, Lease] = field(default_factory=dict)
    postings: dict[_Key, dict[str, PostingWork]] = field(default_factory=dict)
    audit: dict[_Key, list[Event]] = field(default_factory=dict)
    timers: dict[_Key, dict[TimerKind, Timer]] = field(default_factory=dict)
    stops: dict[_Key, Stop] = field(default_factory=dict)

    def get(self, tenant: str, id: str) -> Interaction | None:
        return self.interactions.get((tenant, id))

    def all(self, tenant: str) -> Iterable[Interaction]:
        return (interaction for (owner, _), interaction in self.interactions.items() if owner == tenant)

    def pending(self) -> Iterable[Interaction]:
        return (self.interactions[key] for key in self.open)

    def of_operation(self, tenant: str, run_id: str, operation_id: str) -> Interaction | None:
        standing = self.operations.get((tenant, run_id, operation_id))
        return None if standing is None else self.interactions[tenant, standing]

    def create(self, interaction: Interaction) -> None:
        key = interaction.tenant, interaction.id
        self.operations[interaction.tenant, interaction.run_id, interaction.operation_id] = interaction.id
        self.postings[key] = {each.posting.id: each for each in work.cards(interaction)}
        self.audit[key] = []
        self.timers[key] = {timer.kind: timer for timer in rules.timers(interaction)}
        self._write(rules.create(interaction))

    def apply(self, change: rules.Change[I]) -> I:
        """The row, its event, and all its postings behind."""
        self.want(change.interaction, change.at)
        return self._write(change)

    def keep(self, interaction: I) -> I:
        """What is no transition: no event, and nothing to paint."""
        self.interactions[interaction.tenant, interaction.id] = interaction
        return interaction

    def want(self, interaction: Interaction, at: datetime) -> None:
        mine = self.postings[interaction.tenant, interaction.id]
        mine.update({posting_id: work.want(each, at) for posting_id, each in mine.items()})

    def holding(self, interaction: Interaction) -> Stop | None:
        """What keeps its tool from running."""
        mine = (stop for (tenant, _), stop in self.stops.items() if tenant == interaction.tenant)
        return holding(mine, interaction.tool_name if isinstance(interaction, Approval) else None)

    def events(self, tenant: str, id: str) -> Sequence[Event]:
        return tuple(self.audit.get((tenant, id), ()))

    def _write(self, change: rules.Change[I]) -> I:
        after = change.interaction
        key = after.tenant, after.id
        self.interactions[key] = after
        self.audit[key].append(change.event(len(self.audit[key]) + 1))
        if after.is_pending:
            self.open[key] = None
        else:
            self.open.pop(key, None)
        return after
