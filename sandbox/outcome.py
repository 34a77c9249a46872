"""What a person sees after doing something."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.logs import Delivery
from sandbox.model import Json

WORDS: Final = {
    "operation_timeout": "Signoff did not answer in time (operation_timeout). Try again?",
    "dispatch_failed": "Signoff could not be reached (dispatch_failed). Try again?",
    "http_error": "Signoff answered with an error (dispatch_failed). Try again?",
    "no_retry": "Signoff answered with an error (dispatch_failed). Try again?",
    "no_request_url": "No app is connected to this workspace.",
}
TROUBLE: Final = "We had some trouble connecting. Try again?"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """`ok`: the app answered 200 in time and the person saw no warning. `errors`: texts under inputs, by block_id.

    `status`: HTTP status (200 for a socket's ack), None without an answer or where nothing was sent. `delivery`: what was
    sent, None where the client itself refused. `options`: what a look-up returned.
    """

    ok: bool
    status: int | None = None
    body: str = ""
    elapsed: float = 0.0
    warning: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    options: list[Json] = field(default_factory=list)
    delivery: Delivery | None = None

    @property
    def json(self) -> Any:
        """The body as JSON, None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def payload(self) -> Json:
        """What the app was sent."""
        if self.delivery is None:
            raise LookupError("nothing was sent")
        return self.delivery.payload


def refused(*, warning: str | None = None, errors: dict[str, str] | None = None) -> Outcome:
    """The client did not even ask the app."""
    return Outcome(ok=warning is None and not errors, warning=warning, errors=errors or {})


def after(
    delivery: Delivery,
    *,
    warning: str | None = None,
    errors: dict[str, str] | None = None,
    options: list[Json] | None = None,
) -> Outcome:
    """The outcome of a delivery; its own failure comes before any other warning."""
    said = WORDS[delivery.failure] if delivery.failure else warning
    return Outcome(
        ok=said is None,
        status=delivery.status,
        body=delivery.body,
        elapsed=delivery.elapsed,
        warning=said,
        errors=errors or {},
        options=options or [],
        delivery=delivery,
    )
