"""The wheel in an environment of its own: built once, installed without pins, run far from the checkout."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import venv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
#: What pip says where no index can be reached at all.
_OFFLINE = re.compile(
    r"name resolution|Connection refused|ConnectTimeoutError|ProxyError|unreachable|NewConnectionError"
)


@dataclass(frozen=True, kw_only=True)
class Said:
    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Serving:
    url: str
    pid: int


@dataclass(frozen=True, kw_only=True)
class Installed:
    """An environment with the package in it; `folder`: an empty place to run in, which is home as well."""

    root: Path
    folder: Path

    @property
    def python(self) -> Path:
        return self.root / "bin" / "python"

    def packages(self) -> set[str]:
        said = subprocess.run(
            [self.python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"],
            capture_output=True,
            check=True,
        )
        return {entry["name"].lower() for entry in json.loads(said.stdout)}

    async def start(self, program: str, *arguments: str, cwd: Path | None = None, **settings: str):
        return await asyncio.create_subprocess_exec(
            self.root / "bin" / program,
            *arguments,
            cwd=cwd or self.folder,
            env={"PATH": f"{self.root / 'bin'}:/usr/bin:/bin", "HOME": str(self.folder), **settings},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, program: str, *arguments: str, cwd: Path | None = None, **settings: str) -> Said:
        process = await self.start(program, *arguments, cwd=cwd, **settings)
        out, err = await asyncio.wait_for(process.communicate(), 120)
        return Said(code=process.returncode, out=out.decode(), err=err.decode())

    async def cli(self, *arguments: str, **settings: str) -> Said:
        return await self.run("signoff-bot", *arguments, **settings)

    @asynccontextmanager
    async def serving(self, **settings: str) -> AsyncIterator[Serving]:
        """`signoff-bot serve`, from its line "ready" to a clean end."""
        process = await self.start("signoff-bot", "serve", **settings)
        try:
            url = await asyncio.wait_for(_ready(process), 60)
            draining = asyncio.create_task(process.communicate())
            yield Serving(url=url, pid=process.pid)
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(draining, 30)
            assert process.returncode == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def _ready(process: asyncio.subprocess.Process) -> str:
    lines = []
    async for line in process.stderr:
        lines.append(line.decode())
        found = json.loads(line) if line.startswith(b"{") else {}
        if found.get("event") == "ready":
            return str(found["url"])
    raise AssertionError(f"serve ended: {''.join(lines)}")


def build(folder: Path, project: Path = TOP) -> Path:
    """The wheel of this checkout, or of another project in it."""
    _checked([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, project])
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(root: Path, *what: str | Path) -> None:
    """Make an environment, and let pip find whatever it finds."""
    venv.create(root, with_pip=True)
    _checked([root / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what])


def _checked(command: list[str | Path]) -> None:
    # A development environment must not lend its packages to the new one.
    given = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=given)
    if done.returncode != 0 and _OFFLINE.search(done.stderr) and not os.environ.get("CI"):
        pytest.skip("no package index can be reached from here")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
