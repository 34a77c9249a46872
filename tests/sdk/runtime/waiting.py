"""A worker process that says what its waiting runs cost: `python -m tests.sdk.runtime.waiting COUNT [--trace]`.

It hosts the code `wait`, which confirms once. On standard output, a line of JSON when so many runs wait:
`{"waiting", "rss_per_run", "traced_per_run"}` in bytes (traced: 0 without `--trace`, which slows it down), and one when
so many have finished: `{"finished", "seconds"}` since the first answer came.
Environment: SIGNOFF_URL, SIGNOFF_KEY.
"""

import asyncio
import gc
import json
import os
import sys
import time
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

from signoff.runtime import Limits, Runtime
from signoff.runtime.serve import host
from signoff.settings import read_settings

_PAGE = os.sysconf("SC_PAGESIZE")

runtime = Runtime()


@runtime.code("wait")
async def wait(input: Any, access: Any) -> Any:
    answer = await access.interaction.confirm("Go?")
    return {"is_confirmed": answer.is_confirmed}


@wait.recover
async def recover(saved: Any, access: Any) -> Any:
    return {"is_confirmed": saved.confirmation.is_confirmed}


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


class Scales:
    """Weighs the process when the last of `count` runs begins to wait, and times it until the last has finished."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._seen: Counter[str] = Counter()
        self._answered_at = 0.0
        self._resident, self._traced = 0, 0

    def begin(self) -> None:
        gc.collect()
        self._resident, self._traced = resident(), tracemalloc.get_traced_memory()[0]

    def __call__(self, step: str, _: str) -> None:
        self._seen[step] += 1
        if step == "waiting" and self._seen[step] == self._count:
            gc.collect()
            self._say(
                waiting=self._count,
                rss_per_run=(resident() - self._resident) // self._count,
                traced_per_run=(tracemalloc.get_traced_memory()[0] - self._traced) // self._count,
            )
        elif step == "answered" and self._seen[step] == 1:
            self._answered_at = time.monotonic()
        elif step == "finished" and self._seen[step] == self._count:
            self._say(finished=self._count, seconds=round(time.monotonic() - self._answered_at, 3))

    def _say(self, **facts: Any) -> None:
        sys.stdout.write(f"{json.dumps(facts)}\n")
        sys.stdout.flush()


def main() -> None:
    if "--trace" in sys.argv:
        tracemalloc.start()
    scales = Scales(int(sys.argv[1]))
    scales.begin()
    settings = read_settings(url=None, key=None, environment=os.environ)
    asyncio.run(host(runtime, settings, worker="waiting", limits=Limits(), on_step=scales))


if __name__ == "__main__":
    main()
