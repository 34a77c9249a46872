"""Processes that a benchmark starts: each prints where it listens, and is gone at the end."""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench import machine

TOP = Path(__file__).parents[1]
_READY_WITHIN = 30.0


class NotStarted(Exception):
    """A process ended, or said nothing, before it was ready; the message holds what it wrote."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """A listening process. `seconds`: from its start until it said so."""

    pid: int
    url: str
    seconds: float

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def cpu(self) -> float:
        return machine.cpu_seconds(self.pid)


@dataclass(frozen=True, kw_only=True, slots=True)
class Worker:
    """A process that takes one JSON line and answers with one."""

    process: asyncio.subprocess.Process

    async def ask(self, job: Mapping[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        await self.process.stdin.drain()
        line = await self.process.stdout.readline()
        if not line:
            raise NotStarted("the worker ended without an answer")
        return json.loads(line)


def environment(**more: str) -> dict[str, str]:
    """Ours without the settings of whoever runs this."""
    foreign = ("SLACK_", "SIGNOFF_", "DATABASE", "PYTHONDONTWRITEBYTECODE")
    return {**{name: value for name, value in os.environ.items() if not name.startswith(foreign)}, **more}


@asynccontextmanager
async def worker(module: str) -> AsyncIterator[Worker]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module),
        cwd=TOP,
        env=environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=16 * 1024 * 1024,
    )
    try:
        yield Worker(process=process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await _ended(process)


@asynccontextmanager
async def server(*arguments: str, **settings: str) -> AsyncIterator[Server]:
    """`python -m <arguments>`, once it says where it listens: our log's `ready`, or a line that ends in its address."""
    began = time.perf_counter()
    async with process(*arguments, **settings) as started:
        url = await _ready(started.running, started.log)
        yield Server(pid=started.running.pid, url=url, seconds=time.perf_counter() - began)


@dataclass(frozen=True, kw_only=True, slots=True)
class Started:
    """`log`: what it writes, on both channels."""

    running: asyncio.subprocess.Process
    log: Path


@asynccontextmanager
async def process(*arguments: str, **settings: str) -> AsyncIterator[Started]:
    """`python -m <arguments>`. Its output goes to a file: a pipe would have to be read while it is measured."""
    with tempfile.NamedTemporaryFile(prefix="bench-", suffix=".log") as log:
        running = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", *arguments), cwd=TOP, env=environment(**settings), stdout=log, stderr=log
        )
        try:
            yield Started(running=running, log=Path(log.name))
        finally:
            await _ended(running)


async def _ready(process: asyncio.subprocess.Process, log: Path) -> str:
    until = time.perf_counter() + _READY_WITHIN
    while time.perf_counter() < until and process.returncode is None:
        for line in _written(log):
            found = _address(line)
            if found is not None:
                return found
        await asyncio.sleep(0.005)
    raise NotStarted("\n".join(_written(log)))


def _written(log: Path) -> list[str]:
    return log.read_text().splitlines()


def _address(line: str) -> str | None:
    if line.startswith("{"):
        try:
            event = json.loads(line)
        except ValueError:
            return None
        return event["url"] if event.get("event") == "ready" else None
    last = line.rpartition(" ")[2]
    return last if last.startswith("http://127.0.0.1:") else None


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), 10)
    except TimeoutError:
        process.kill()
        await process.wait()
