"""A worker process for tests: hosts `codes` over HTTP, and kills itself at one named step, as the kernel would.

Environment: SIGNOFF_URL, SIGNOFF_KEY, EFFECTS; KILL_AT (a step's name, with `:2` for its second time).
"""

import asyncio
import logging
import os
import signal
import sys
from collections import Counter

from signoff.runtime import Limits
from signoff.runtime.serve import host
from signoff.settings import read_settings
from tests.sdk.runtime.codes import runtime


def killer(at: str):
    """Kills this process when a step of that name is reached; every step is told on standard output."""
    name, _, number = at.partition(":")
    seen: Counter[str] = Counter()

    def on_step(step: str, run_id: str) -> None:
        seen[step] += 1
        sys.stdout.write(f"{step} {run_id}\n")
        sys.stdout.flush()
        if step == name and seen[step] == int(number or 1):
            os.kill(os.getpid(), signal.SIGKILL)

    return on_step


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    limits = Limits(report_within=int(os.environ.get("REPORT_WITHIN", "60")), lease_wait=1)
    settings = read_settings(url=None, key=None, environment=os.environ)
    asyncio.run(host(runtime, settings, worker="w", limits=limits, on_step=killer(os.environ.get("KILL_AT", ""))))


if __name__ == "__main__":
    main()
