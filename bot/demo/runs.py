"""Three runs that stop for a person, one for each way of being resumed: a handler, the API, a webhook."""

import asyncio
import uuid
from typing import Any, Self

import click
from aiohttp import web

from bot.clock import SystemClock
from bot.demo.client import Client
from bot.resume.signing import read_secret, verify
from bot.tasks import TaskSet

ANA, BEN, DANA = "U07ANA4K2QX", "U07BEN9D1MT", "U07DANA5WFD"
DEPLOYS, REPORTS, GENERAL = "C07DEPLOYS1", "C07REPORTS2", "C07GENERAL3"
#: Seconds between the end of a run and the next one of its kind, and how often.
REST = 20.0
ROUNDS = 50


def tell(run: str, words: str) -> None:
    click.echo(f"  {run:<8} {words}")


class Runs:
    """The example runs, and the receiver of the webhook."""

    def __init__(self, *, client: Client, secret: str) -> None:
        self._client = client
        self._secret = secret
        self._tasks = TaskSet()
        self._resolved: dict[str, asyncio.Event] = {}
        self._address = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/resumed", self._hear)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._address = f"http://127.0.0.1:{self._runner.addresses[0][1]}/resumed"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._tasks.cancel()
        await self._runner.cleanup()

    async def start(self) -> None:
        for name, run in (("deploy", self.deploy), ("report", self.report), ("mailing", self.mailing)):
            self._tasks.start(name, self._again(run))

    async def _again(self, run: Any) -> None:
        for number in range(1, ROUNDS + 1):
            await run(number)
            await asyncio.sleep(REST)

    async def deploy(self, number: int) -> None:
        """Resumed by `bot.demo.handlers`, inside the service's own process."""
        asked = await self._client.send(
            "/v1/approvals",
            {
                "run_id": _run_id("deploy"),
                "title": f"Deploy api 1.4.{number} to production",
                "body": "Rolls one zone at a time, five minutes apart. Error budget: **96 %** left.\n\n"
                f"Roll back with `make rollback V=1.4.{number - 1}`.",
                "tool_name": "deploy.release",
                "input": {
                    "service": "api",
                    "version": f"1.4.{number}",
                    "environment": "production",
                    "strategy": {"zones": 3, "pause_minutes": 5},
                },
                "requested_by": DANA,
                "channels": [DEPLOYS],
                "approvers": {"users": [ANA, BEN]},
                "resume": {"handler": "deploy"},
            },
        )
        tell("deploy", f"waits for a person to allow {asked['title']!r}")
        await self._client.resolved(asked["id"])

    async def report(self, _: int) -> None:
        """Waits through the API, and gets its answer as a list."""
        regions = ["Europe, Middle East and Africa", "United States and Canada", "Latin America", "India"]
        options = [{"id": f"r{place}", "label": label} for place, label in enumerate([*regions, "Japan and Korea"])]
        question = {
            "id": "regions",
            "prompt": "Which regions go into the report?",
            "description": "Two are chosen already: the ones of last week.",
            "options": options,
            "multiple": True,
            "is_skippable": True,
            "default": ["r0", "r1"],
        }
        asked = await self._client.send(
            "/v1/questions",
            {
                "run_id": _run_id("report"),
                "questions": [question],
                "channels": [REPORTS],
                "respondents": {"users": [ANA, BEN, DANA]},
            },
        )
        tell("report", "waits to be told which regions to include")
        found = await self._client.resolved(asked["id"])
        answer = (found.get("answers") or {}).get("regions") or {"is_skipped": True}
        said = "was skipped; it goes on with all regions" if answer["is_skipped"] else f"goes on with {answer['value']}"
        tell("report", said)

    async def mailing(self, number: int) -> None:
        """Is told by a signed webhook, claims, and does as the decision says."""
        asked = await self._client.send(
            "/v1/approvals",
            {
                "run_id": _run_id("mailing"),
                "title": "Send the renewal mail to 3,812 customers",
                "tool_name": "mail.send_bulk",
                "input": {
                    "list": f"renewal-2027-q{number}",
                    "count": 3812,
                    "subject": "Your plan renews on 15 January",
                    "body": "Hi {first_name},\nyour plan renews on 15 January. Nothing to do.\nReply to change it.",
                },
                "risk": "high",
                "requested_by": DANA,
                "channels": [GENERAL],
                "approvers": {"users": [ANA, BEN]},
                "resume": {"webhook": self._address},
            },
        )
        tell("mailing", "waits for a person to allow it")
        told = self._resolved.setdefault(asked["id"], asyncio.Event())
        await told.wait()
        claim = await self._client.send(f"/v1/approvals/{asked['id']}/claim", {"digest": asked["digest"]})
        approval = claim["approval"]
        if not claim["execute"]:
            reason = approval.get("feedback")
            tell("mailing", f"is {approval['state']}, nothing was sent" + (f": {reason!r}" if reason else ""))
            return
        tell("mailing", f"sends {claim['input']['count']} mails")
        report = {"claim_id": claim["claim_id"], "status": "succeeded", "detail": "3,812 mails sent"}
        await self._client.send(f"/v1/approvals/{asked['id']}/report", report)

    async def _hear(self, request: web.Request) -> web.Response:
        body = await request.read()
        verify([read_secret(self._secret)], headers=request.headers, body=body, now=SystemClock().now())
        id = (await request.json())["data"]["id"]
        self._resolved.setdefault(id, asyncio.Event()).set()
        return web.Response(status=204)


def _run_id(name: str) -> str:
    """A run knows its own id; these are made up at their start."""
    return f"{name}-{uuid.uuid4().hex[:6]}"
