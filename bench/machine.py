"""The machine and what is installed on it; the CPU time and memory of a process."""

import os
import platform
import sqlite3
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

_PACKAGES = ("slack-bolt", "slack-sdk", "aiohttp", "sqlalchemy", "asyncpg", "aiosqlite", "pydantic")
_EACH_THREAD_OF_A_PROCESS = 2


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used so far, all threads, user and system: Linux's clock of that process."""
    return time.clock_gettime((~pid << 3) | _EACH_THREAD_OF_A_PROCESS)


def resident_mib(pid: int) -> float:
    """Resident memory of a process, as `ps` shows it."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)


def described() -> list[str]:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return [
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC · {os.cpu_count()} CPUs, load {load} · Python {platform.python_version()}",
        f"{packages}, SQLite {sqlite3.sqlite_version}",
    ]
