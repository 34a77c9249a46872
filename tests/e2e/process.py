"""The service as a process of its own, so that a test can kill it."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from sandbox.server import Sandbox
from tests.e2e.house import Reply

TOP = Path(__file__).parents[2]


def environment(slack: Sandbox, database: str, **more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "SIGNOFF_", "DATABASE"))
    }
    return {
        **kept,
        "DATABASE_URL": database,
        "PORT": "0",
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_API_URL": slack.api_url,
        **more,
    }


@dataclass(kw_only=True)
class Serving:
    """A running `signoff-bot serve`; `lines`: its log so far."""

    process: asyncio.subprocess.Process
    url: str
    lines: list[str]
    reading: asyncio.Task[None]

    def kill(self) -> None:
        """As the kernel would: at once, nothing is finished."""
        self.process.kill()

    async def gone(self) -> int:
        code = await self.process.wait()
        await self.reading
        return code

    async def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.gone(), 30)


@asynccontextmanager
async def serving(
    slack: Sandbox, database: str, *, arguments: tuple[str, ...] = (), module: str = "bot", **more: str
) -> AsyncIterator[Serving]:
    """Start it, point the sandbox at it, and make sure that it is gone at the end."""
    async with running(slack, database, "serve", *arguments, module=module, **more) as found:
        slack.bot_url = f"{found.url}/slack/events"
        yield found


@asynccontextmanager
async def running(
    slack: Sandbox, database: str, *arguments: str, module: str = "bot", **more: str
) -> AsyncIterator[Serving]:
    """Start `signoff-bot serve` or `work`, wait until it is ready, and make sure that it is gone at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        cwd=TOP,
        env=environment(slack, database, **more),
        stderr=asyncio.subprocess.PIPE,
    )
    lines: list[str] = []
    try:
        url = await asyncio.wait_for(_ready(process, lines), 30)
        reading = asyncio.create_task(_read(process, lines))
        yield Serving(process=process, url=url, lines=lines, reading=reading)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _ready(process: asyncio.subprocess.Process, lines: list[str]) -> str:
    assert process.stderr is not None
    async for raw in process.stderr:
        line = raw.decode()
        lines.append(line)
        found = json.loads(line) if line.startswith("{") else {}
        if found.get("event") == "ready":
            return str(found["url"])
    raise AssertionError(f"serve ended: {''.join(lines)}")


async def _read(process: asyncio.subprocess.Process, lines: list[str]) -> None:
    assert process.stderr is not None
    async for raw in process.stderr:
        line = raw.decode()
        lines.append(line)


async def command(slack: Sandbox, database: str, *arguments: str, **more: str) -> tuple[int, str, str]:
    """A `signoff-bot` command: exit code, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=TOP,
        env=environment(slack, database, **more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode(), err.decode()


async def make_key(slack: Sandbox, database: str) -> str:
    code, out, err = await command(
        slack, database, "keys", "create", "--scopes", "ask,read", "--name", "demo", "--any-approvers"
    )
    assert code == 0, err
    return out.strip()


async def call(method: str, url: str, token: str, body: Mapping[str, Any] | None = None) -> Reply:
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession() as session, session.request(method, url, json=body, headers=headers) as reply:
        return Reply(status=reply.status, json=await reply.json(content_type=None))
