"""`signoff` as a pipeline runs it: a process of its own, an environment without settings, a home that is empty."""

import asyncio
import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).parents[3]
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass(frozen=True, kw_only=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return [line.removeprefix("signoff: ") for line in self.err.splitlines()]


@dataclass(kw_only=True)
class Running:
    """A started `signoff`; `err`: what it said so far."""

    process: asyncio.subprocess.Process
    err: str = ""
    _out: asyncio.Task[bytes] | None = None
    _heard: asyncio.Condition = field(default_factory=asyncio.Condition)
    _reading: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._reading = asyncio.create_task(self._read())
        self._out = asyncio.create_task(self.process.stdout.read())

    async def _read(self) -> None:
        while chunk := await self.process.stderr.read(65_536):
            async with self._heard:
                self.err += chunk.decode("utf-8", "replace")
                self._heard.notify_all()

    async def says(self, words: str) -> None:
        async with asyncio.timeout(30), self._heard:
            await self._heard.wait_for(lambda: words in self.err or self._reading.done())
        assert words in self.err, self.err

    async def ended(self) -> Said:
        async with asyncio.timeout(60):
            code = await self.process.wait()
            await self._reading
            out = await self._out
        return Said(code=code, out=out.decode("utf-8", "replace"), err=self.err)

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    async def killed(self) -> None:
        """At once, nothing is finished; what it started may live on, and holds its pipes."""
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def close(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        # Whatever it left behind may hold its pipes.
        self._reading.cancel()
        self._out.cancel()
        await asyncio.gather(self._reading, self._out, return_exceptions=True)
        self.process._transport.close()


@dataclass(kw_only=True)
class Pipeline:
    """One machine: where its home is, and what every command there is given."""

    folder: Path
    url: str
    token: str
    environment: dict[str, str] = field(default_factory=dict)
    started: list[Running] = field(default_factory=list)

    def given(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        paths = os.pathsep.join([str(TOP / "sdk"), str(TOP)])
        ours = {"HOME": str(self.folder), "PYTHONPATH": paths, "SIGNOFF_URL": self.url, "SIGNOFF_KEY": self.token}
        return {**kept, **ours, **self.environment, **more}

    async def start(self, *arguments: str, **more: str) -> Running:
        return await self._start(
            sys.executable, "-m", "signoff.cli", *arguments, cwd=self.folder, env=self.given(**more)
        )

    async def shell(self, *command: str, cwd: Path, **more: str) -> Running:
        """A command of its own, with `signoff` on its path."""
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        program = programs / "signoff"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m signoff.cli "$@"\n')
        program.chmod(0o755)
        given = self.given(**more)
        return await self._start(*command, cwd=cwd, env={**given, "PATH": f"{programs}{os.pathsep}{given['PATH']}"})

    async def _start(self, *command: str, cwd: Path, env: dict[str, str]) -> Running:
        # No terminal of the machine that tests: signals come from the test alone.
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        running = Running(process=process)
        running.begin()
        self.started.append(running)
        return running

    async def run(self, *arguments: str, **more: str) -> Said:
        return await (await self.start(*arguments, **more)).ended()

    async def close(self) -> None:
        for running in self.started:
            await running.close()
