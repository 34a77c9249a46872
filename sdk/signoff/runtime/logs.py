"""The worker's log: fixed words with fields, by the standard library. Never answers, inputs or states."""

import logging
from typing import Any

LOG = logging.getLogger("signoff.runtime")


def say(event: str, *, level: int = logging.INFO, error: BaseException | None = None, **fields: Any) -> None:
    """One event; `fields` are in the record's `fields`, and behind the event in its message."""
    if LOG.isEnabledFor(level):
        words = " ".join(f"{name}={value}" for name, value in fields.items())
        LOG.log(level, "%s %s" if words else "%s%s", event, words, exc_info=error, extra={"fields": fields})


def warn(event: str, *, error: BaseException | None = None, **fields: Any) -> None:
    say(event, level=logging.WARNING, error=error, **fields)
