"""`python -m bench [SECTION…] [--quick] [--no-postgres]`."""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from typing import cast

from bench import machine
from bench.base import Bases
from bench.figures import Report
from bench.postgres import Cluster, NoPostgres, cluster
from bench.processes import server
from bench.setting import Setting

SECTIONS = ("clicks", "decide", "latency", "runs", "sweep", "footprint")
Measure = Callable[[Setting], Awaitable[None]]


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Ratios, measured side by side in one run, in interleaved rounds."
    )
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all if none is named"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and rows: under 90 seconds, not to be quoted"
    )
    parser.add_argument("--no-postgres", action="store_true", help="only SQLite")
    options = parser.parse_args(arguments)
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    return options


async def run(options: argparse.Namespace) -> Report:
    report = Report()
    for line in machine.described():
        report.note(line)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        running = None if options.no_postgres else await _postgres(report, stack)
        slack = await stack.enter_async_context(server("sandbox", "--port", "0"))
        setting = Setting(report=report, bases=Bases(folder, running), slack=slack, is_quick=options.quick)
        for name in options.sections or SECTIONS:
            began = time.perf_counter()
            await cast("Measure", import_module(f"bench.{name}").measure)(setting)
            report.note(f"({name}: {time.perf_counter() - began:.0f} s)")
    report.summary()
    return report


async def _postgres(report: Report, stack: AsyncExitStack) -> Cluster | None:
    try:
        found = stack.enter_context(cluster())
    except NoPostgres as error:
        report.note(f"without Postgres: {error}")
        return None
    report.note(await found.described())
    return found


def main() -> None:
    report = asyncio.run(run(parse()))
    sys.exit(1 if report.broken else 0)


if __name__ == "__main__":
    main()
