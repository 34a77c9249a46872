"""The job: runs start and wait for a person; deciders decide; each run goes on once. Times it for any candidate."""

import asyncio
import gc
import json
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Protocol

STARTERS = 8
#: A candidate that takes longer than this for one phase has failed.
PATIENCE = 240.0


class Candidate(Protocol):
    """One way to do it. Each run calls `Effects.happened` once, in its own code, after its wait."""

    async def start(self, number: int) -> None:
        """Returns once the run's wait is durable."""
        ...

    async def decide(self, number: int) -> None:
        """Returns once the decision is durable."""
        ...


class Effects:
    """What the runs did. `seen`: how often each went on."""

    def __init__(self) -> None:
        self.seen: Counter[int] = Counter()
        self._awaited: dict[int, asyncio.Event] = {}
        self._loop = asyncio.get_running_loop()

    def happened(self, number: int) -> None:
        """From any thread."""
        self._loop.call_soon_threadsafe(self._note, number)

    def _note(self, number: int) -> None:
        self.seen[number] += 1
        self._event(number).set()

    async def of(self, number: int) -> None:
        await self._event(number).wait()

    def _event(self, number: int) -> asyncio.Event:
        return self._awaited.setdefault(number, asyncio.Event())


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """`waiting`: KiB of this process for each run that waits. `latency`: median ms from the call of `decide` to the
    run's own code, one at a time. `wrong`: runs that did not go on exactly once."""

    started: float
    waiting: float
    latency: float
    resumed: float
    wrong: int


Opened = Callable[[str, Effects], AbstractAsyncContextManager[Candidate]]


def resident_kib() -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1])


async def each(numbers: Iterable[int], act: Callable[[int], Awaitable[None]], *, at_once: int) -> float:
    """All of them, so many at a time; the seconds it took."""
    left = iter(numbers)

    async def one() -> None:
        for number in left:
            await act(number)

    began = time.perf_counter()
    await asyncio.wait_for(asyncio.gather(*(one() for _ in range(at_once))), PATIENCE)
    return time.perf_counter() - began


async def time_it(
    candidate: Candidate,
    effects: Effects,
    *,
    runs: int,
    alone: int,
    deciders: int,
    resident_kib: Callable[[], int] = resident_kib,
) -> Result:
    """`alone`: how many are decided one at a time, for the latency, before the others. `resident_kib`: of the process
    in which the runs wait.
    """
    await each(range(-alone, 0), candidate.start, at_once=STARTERS)
    latencies = [await _latency(candidate, effects, number) for number in range(-alone, 0)]
    gc.collect()
    before = resident_kib()
    starting = await each(range(runs), candidate.start, at_once=STARTERS)
    gc.collect()
    waiting = (resident_kib() - before) / runs
    began = time.perf_counter()
    await each(range(runs), candidate.decide, at_once=deciders)
    await each(range(runs), effects.of, at_once=1)
    resuming = time.perf_counter() - began
    repeated = sum(count != 1 for count in effects.seen.values())
    return Result(
        started=runs / starting,
        waiting=waiting,
        latency=median(latencies) * 1000,
        resumed=runs / resuming,
        wrong=repeated + runs + alone - len(effects.seen),
    )


async def _latency(candidate: Candidate, effects: Effects, number: int) -> float:
    began = time.perf_counter()
    deciding = asyncio.ensure_future(candidate.decide(number))
    await asyncio.wait_for(effects.of(number), PATIENCE)
    seconds = time.perf_counter() - began
    await deciding
    return seconds


def main(opened: Opened) -> None:
    """A candidate's process: its figures as one JSON line, the last of standard output."""
    parser = ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--alone", type=int, default=50)
    parser.add_argument("--deciders", type=int, default=16)
    options = parser.parse_args()

    async def run() -> Result:
        effects = Effects()
        async with opened(options.database, effects) as candidate:
            return await time_it(candidate, effects, runs=options.runs, alone=options.alone, deciders=options.deciders)

    print(json.dumps(asdict(asyncio.run(run()))), flush=True)
