"""The command line as an operator runs it: a process, an environment, a folder of its own."""

import asyncio
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).parents[2]
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass(frozen=True, kw_only=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@dataclass(kw_only=True)
class Shell:
    """`folder`: where commands run, and their home; the default database is a file in it."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def database(self) -> str:
        return f"sqlite:///{self.folder / 'signoff.db'}"

    async def start(self, *arguments: str, **more: str) -> asyncio.subprocess.Process:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            *arguments,
            cwd=self.folder,
            env={**kept, "HOME": str(self.folder), "PYTHONPATH": str(TOP), **self.environment, **more},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *arguments: str, **more: str) -> Said:
        process = await self.start(*arguments, **more)
        out, err = await asyncio.wait_for(process.communicate(), 60)
        return Said(code=process.returncode or 0, out=out.decode(), err=err.decode())

    async def refused(self, *arguments: str, **more: str) -> str:
        """What it says when it fails as it should: one message, no traceback, exit code 1."""
        said = await self.run(*arguments, **more)
        assert said.code == 1, said
        assert "Traceback" not in said.err
        assert said.err.startswith("Error: ")
        return said.err.removeprefix("Error: ")

    async def key(self, name: str = "ci-bot", *more: str, scopes: str = "ask,read") -> str:
        said = await self.run("keys", "create", "--scopes", scopes, "--name", name, *more)
        assert said.code == 0, said
        return said.out.strip()
