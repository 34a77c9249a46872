"""What the store raises.

StoreError
├── NotFound          no such row in this tenant (another tenant's row looks the same)
├── Conflict          the operation was asked before with other content
├── OtherStart        the run was started before with other content
├── AlreadyResolved   what is to be superseded was decided or replaced
├── DigestMismatch    the action is not the one the caller means
├── NotClaimant       a report by somebody who holds no open claim
├── LeaseLost         the run is not (any more) held by this token
├── RunStopping       the run is to stop: it takes no checkpoint
├── NotCurrent        the action is not the run's current unanswered one
├── StaleState        the run has saved another state meanwhile
├── BadCursor         a cursor that this list did not make
├── WorkspaceMismatch the tenant is bound to another Slack workspace
├── SchemaOutdated    the database is not at this version's schema
├── AlreadyServing    another process serves this SQLite file
└── Unconfirmed       the database did not say whether the write was committed
"""

from store.types import Interaction, State


class StoreError(Exception):
    """Root of everything that the store raises on purpose."""


class NotFound(StoreError):
    def __init__(self, *, id: str) -> None:
        super().__init__(f"{id}: not found")
        self.id = id


class Conflict(StoreError):
    """Same run and operation, other content: `id` is the interaction that stands."""

    def __init__(self, *, id: str) -> None:
        super().__init__(f"this operation was asked before with other content: {id}")
        self.id = id


class OtherStart(StoreError):
    """Same run, other content: `id` is the run that stands."""

    def __init__(self, *, id: str) -> None:
        super().__init__(f"this run was started before with other content: {id}")
        self.id = id


class AlreadyResolved(StoreError):
    def __init__(self, *, interaction: Interaction) -> None:
        super().__init__(f"{interaction.id} is already {interaction.state}")
        self.interaction = interaction

    @property
    def state(self) -> State:
        return self.interaction.state


class DigestMismatch(StoreError):
    def __init__(self, *, id: str, expected: str, given: str) -> None:
        super().__init__(f"{id}: the digest is {expected}, not {given}")
        self.id = id
        self.expected = expected
        self.given = given


class NotClaimant(StoreError):
    def __init__(self, *, id: str) -> None:
        super().__init__(f"{id}: this claim_id holds no open claim")
        self.id = id


class LeaseLost(StoreError):
    def __init__(self, *, run_id: str) -> None:
        super().__init__(f"{run_id}: this token holds no lease of the run")
        self.run_id = run_id


class RunStopping(StoreError):
    def __init__(self, *, run_id: str) -> None:
        super().__init__(f"{run_id}: the run is to stop")
        self.run_id = run_id


class NotCurrent(StoreError):
    """`id`: of the action that stands, if there is one."""

    def __init__(self, *, run_id: str, id: str | None) -> None:
        super().__init__(f"{run_id}: this is not the run's current unanswered action")
        self.run_id = run_id
        self.id = id


class StaleState(StoreError):
    """`saves`: how many states the run has saved."""

    def __init__(self, *, run_id: str, saves: int) -> None:
        super().__init__(f"{run_id}: this is not the state to be saved next")
        self.run_id = run_id
        self.saves = saves


class BadCursor(StoreError):
    pass


class WorkspaceMismatch(StoreError):
    def __init__(self, *, tenant: str, bound: str, given: str) -> None:
        super().__init__(f"tenant {tenant!r} belongs to Slack workspace {bound}, not to {given}")
        self.tenant = tenant
        self.bound = bound
        self.given = given


class SchemaOutdated(StoreError):
    pass


class AlreadyServing(StoreError):
    pass


class Unconfirmed(StoreError):
    """The write may or may not be committed; repeating the same call is safe."""
