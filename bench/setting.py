"""What all sections share: the databases, the sandbox Slack, how much to measure, where results go."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench.base import Bases
from bench.figures import Report
from bench.processes import Server
from sandbox import seed

_LEAST = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    report: Report
    bases: Bases
    slack: Server
    is_quick: bool

    def some(self, usual: int, quick: int) -> int:
        return quick if self.is_quick else usual

    def turns(self, usual: int, quick: int, *, seconds: float) -> Iterator[int]:
        """Rounds, counted from 0: no more than these, and on a busy machine none that begins after so long, but two."""
        began = time.perf_counter()
        for turn in range(self.some(usual, quick)):
            if turn >= _LEAST and time.perf_counter() - began > seconds:
                self.report.note(f"(stopped after {turn} rounds: {seconds:g} s are over)")
                return
            yield turn

    def environment(self, database_url: str, **more: str) -> dict[str, str]:
        """What `serve` needs on this database."""
        return {
            "DATABASE_URL": database_url,
            "PORT": "0",
            "SLACK_BOT_TOKEN": seed.BOT_TOKEN,
            "SLACK_SIGNING_SECRET": seed.SIGNING_SECRET,
            "SLACK_API_URL": f"{self.slack.url}/api/",
            **more,
        }
