"""How big and how slow to start: `serve` on its two databases, `--help`, what is installed."""

import asyncio
import re
import subprocess
import sys
import time
import tomllib

from bench import machine
from bench.figures import Aim, Spread, ratios
from bench.processes import TOP, environment, server
from bench.setting import Setting

_HEAVY = ("slack_bolt", "sqlalchemy", "aiohttp", "asyncpg", "alembic")


async def measure(setting: Setting) -> None:
    setting.report.title("Footprint")
    _run("-m", "compileall", "-q", "bot", "store", "blocks")
    rows = []
    for kind in setting.bases.kinds:
        base = await setting.bases.make(kind, "footprint")
        ready, resident = [], []
        for _ in range(setting.some(5, 2)):
            async with server("bench.servers.installed", **setting.environment(base.url)) as running:
                ready.append(running.seconds)
                # A second of life: the loops have run once.
                await asyncio.sleep(1.0)
                resident.append(machine.resident_mib(running.pid))
        rows.append([f"serve on {kind}", Spread.of(ready).text(), Spread.of(resident).text(1)])
        setting.report.aim(Aim.most(f"ready after start, {kind}", Spread.of(ready), 1.5, unit=" s"))
        setting.report.aim(Aim.most(f"resident memory, {kind}", Spread.of(resident), 90, unit=" MiB", digits=1))
    setting.report.table(["", "ready after s", "resident MiB"], rows)
    _help(setting)
    _installed(setting)


def _help(setting: Setting) -> None:
    """Beside the smallest program that reads options."""
    ours, smallest = [], []
    for _ in range(setting.some(9, 4)):
        smallest.append(_milliseconds("-c", "import argparse"))
        ours.append(_milliseconds("-m", "bot", "--help"))
    setting.report.note(f"\n--help {Spread.of(ours).text(0)} ms, import argparse {Spread.of(smallest).text(0)} ms")
    setting.report.aim(Aim.most("--help by import argparse", ratios(ours, smallest), 3))
    look = f"import bot.cli, sys; print([name for name in {_HEAVY!r} if name in sys.modules])"
    setting.report.note(f"of {', '.join(_HEAVY)}, the command line loads: {_run('-c', look)}")


def _milliseconds(*arguments: str) -> float:
    began = time.perf_counter()
    _run(*arguments)
    return (time.perf_counter() - began) * 1000


def _run(*arguments: str) -> str:
    """What this Python prints."""
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=TOP, env=environment(), check=True, stdout=subprocess.PIPE, text=True
    )
    return ran.stdout.strip()


def _installed(setting: Setting) -> None:
    with (TOP / "pyproject.toml").open("rb") as file:
        direct = len(tomllib.load(file)["project"]["dependencies"])
    pinned = (TOP / "requirements" / "runtime.txt").read_text()
    installed = len(re.findall(r"^[A-Za-z0-9_.-]+==", pinned, re.MULTILINE))
    setting.report.aim(Aim.most("direct dependencies", Spread.of([direct]), 16, digits=0))
    setting.report.aim(Aim.most("installed packages", Spread.of([installed]), 36, digits=0))
