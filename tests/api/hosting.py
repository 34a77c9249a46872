"""A worker of hosted runs over HTTP, and what it works on."""

from dataclasses import dataclass
from typing import Any

from tests.api.site import Reply, Site

AUDIENCE = {"channels": ["C0DEPLOY"], "approvers": {"users": ["U0ANA"]}}
CONFIRMATION = {"title": "Ship 1.4?", "body": "To *everybody*."}
QUESTIONS = {
    "questions": [{"id": "region", "prompt": "Which region?", "options": [{"id": "eu", "label": "Europe"}]}],
}


def start(**more: Any) -> dict[str, Any]:
    return {"code": "ship", "run_id": "run-1", "input": {"b": 1, "a": 2}, "audience": AUDIENCE, **more}


@dataclass
class Worker:
    """Holds what it leased: tokens by run id."""

    site: Site
    name: str = "w-1"

    async def lease(self, **more: Any) -> list[Any]:
        reply = await self.site.call(
            "POST", "/v1/work/lease", {"worker": self.name, "codes": ["ship"], "room": 10, **more}
        )
        assert reply.status == 200, reply.json
        return list(reply.json["runs"])

    async def renew(self, *runs: Any, **more: Any) -> Any:
        held = [{"run_id": run["run_id"], "token": run["token"]} for run in runs]
        reply = await self.site.call("POST", "/v1/work/renew", {"worker": self.name, "runs": held, **more})
        assert reply.status == 200, reply.json
        return reply.json

    async def checkpoint(self, run: Any, **what: Any) -> Reply:
        sent = {"run_id": run["run_id"], "token": run["token"], **what}
        return await self.site.call("POST", "/v1/work/checkpoint", sent)

    async def confirm(self, run: Any, **request: Any) -> Reply:
        action = {"kind": "user_ask_confirmation", "request": {**CONFIRMATION, **request}}
        return await self.checkpoint(run, action=action)

    async def ask(self, run: Any) -> Reply:
        return await self.checkpoint(run, action={"kind": "user_ask_questions", "request": QUESTIONS})

    async def finish(self, run: Any, **what: Any) -> Reply:
        sent = {"run_id": run["run_id"], "token": run["token"], **what}
        return await self.site.call("POST", "/v1/work/finish", sent)


def failed(code: str = "RUN_FAILED", message: str = "it raised") -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "retryable": False}}


async def leased(site: Site, worker: Worker | None = None, **more: Any) -> Any:
    """A run that was started and leased."""
    assert (await site.call("POST", "/v1/runs", start(**more))).status == 201
    (run,) = await (worker or Worker(site)).lease()
    return run


async def run_now(site: Site, run_id: str = "run-1") -> Any:
    return (await site.call("GET", f"/v1/runs/{run_id}")).json


async def interaction_now(site: Site, run: Any) -> Any:
    return (await site.call("GET", f"/v1/interactions/{run['action']['interaction_id']}")).json
