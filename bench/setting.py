"""What all sections share: the databases, the sandbox Slack, how much to measure, where results go."""

from dataclasses import dataclass

from bench.base import Bases
from bench.figures import Report
from bench.processes import Server
from sandbox import seed


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    report: Report
    bases: Bases
    slack: Server
    is_quick: bool

    def some(self, usual: int, quick: int) -> int:
        return quick if self.is_quick else usual

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
