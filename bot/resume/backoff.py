"""When a telling that failed is tried again, and when it is given up. Pure; the chance is given."""

from collections.abc import Callable, Sequence
from datetime import timedelta

#: A handler that raised before it claimed; the last one repeats.
HANDLER = (
    timedelta(seconds=1),
    timedelta(seconds=5),
    timedelta(seconds=30),
    timedelta(minutes=2),
    *[timedelta(minutes=10)] * 5,
)
#: A receiver that did not take the message: the schedule of Standard Webhooks.
WEBHOOK = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
#: The longest that a receiver may ask us to wait.
LONGEST = timedelta(hours=24)
#: Up to so much of a delay is added by chance, so that what failed together is not tried together.
_SPREAD = 0.2

#: A number from 0 to 1.
Jitter = Callable[[], float]


def delay(schedule: Sequence[timedelta], *, failures: int, jitter: Jitter) -> timedelta | None:
    """How long to wait after so many failures (1 or more) in a row; None: no more."""
    if failures > len(schedule):
        return None
    return schedule[failures - 1] * (1 + _SPREAD * jitter())
