"""What an ask would come to, without asking it."""

from typing import Literal

from msgspec import Struct

from signoff.types import Approvers, Json, PolicyRef, Time


class Card(Struct, frozen=True):
    """As it would be posted: `text`, and the `blocks` of Slack."""

    text: str
    blocks: Json


class Place(Struct, frozen=True):
    """`kind`: channel or user. `reachable`: whether the app may post there; None where that is not known."""

    id: str
    kind: str
    reachable: bool | None = None


class Decider(Struct, frozen=True):
    """`groups`: those that make them one; none for who is named."""

    id: str
    name: str | None = None
    groups: tuple[str, ...] = ()


class LeftOut(Struct, frozen=True):
    """Named, and may not decide. `why`: requester, guest, bot, deactivated, unknown."""

    id: str
    why: str
    name: str | None = None


class CanDecide(Struct, frozen=True):
    """`complete`: all who can were found."""

    users: tuple[Decider, ...] = ()
    keys: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    complete: bool = False


class PreviewWarning(Struct, frozen=True):
    """An ask with warnings is taken all the same."""

    code: str
    message: str


class Preview(Struct, frozen=True):
    """`asked_before`: the id of the same ask, where it was made. `digest`: None for questions."""

    kind: Literal["approval", "question"]
    operation_id: str
    card: Card
    approvers: Approvers
    can_decide: CanDecide
    asked_before: str | None = None
    digest: str | None = None
    expires_at: Time | None = None
    policy: PolicyRef | None = None
    places: tuple[Place, ...] = ()
    warnings: tuple[PreviewWarning, ...] = ()
