"""What happened on the wire, for tests to look at."""

from dataclasses import dataclass
from typing import Any, Literal

from sandbox.model import Json

Via = Literal["http", "socket", "none"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiCall:
    """One call of the Web API. `acted` is false where a fault answered in place of the method."""

    method: str
    args: dict[str, Any]
    response: Json | None
    status: int
    at: float
    acted: bool = True

    @property
    def ok(self) -> bool:
        return self.response is not None and self.response.get("ok") is True


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """One payload sent to the app and what came back. `failure` is Slack's word for it, None when it was answered with 200."""

    kind: str
    payload: Json
    via: Via
    status: int | None
    body: str
    elapsed: float
    failure: str | None
    attempt: int = 0

    @property
    def ok(self) -> bool:
        return self.failure is None
