"""A client of either kind behind one way to call it, so that one test speaks for both."""

import asyncio
from collections.abc import Callable
from typing import Any

from signoff.asynchronous import AsyncCalls
from tests.e2e.house import ANA, DEPLOYS

#: An ask without its title, as tools make it.
DEPLOY = {
    "tool_name": "deploy.release",
    "input": {"service": "api", "version": "1.4.2"},
    "to": [DEPLOYS],
    "approvers": [ANA],
}
TITLE = "Deploy api 1.4.2 to production"


class Either:
    """Every method is awaited; those of a blocking client run in a thread."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.is_async = isinstance(client, AsyncCalls)

    def run(self, run_id: str, **more: Any) -> "Either":
        return Either(self.client.run(run_id, **more))

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        async def call(*args: Any, **more: Any) -> Any:
            if self.is_async:
                return await method(*args, **more)
            return await asyncio.to_thread(method, *args, **more)

        return call

    async def request(self, **more: Any) -> Any:
        return await self.request_approval(TITLE, **{"run_id": "run-1", **DEPLOY, **more})

    async def approved(self, work: Callable[[Any], Any], **terms: Any) -> Any:
        """What `work` makes of its action, inside of `with so.approved(…)`."""
        given = {"run_id": "run-1", **DEPLOY, **terms}
        return await self._within(lambda: self.client.approved(TITLE, **given), work)

    async def executed(self, approval: Any, work: Callable[[Any], Any], **how: Any) -> Any:
        return await self._within(lambda: approval.execution(**how), work)

    async def decorated(self, function: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """Call a tool that was decorated through this client."""
        return await function(*args, **more) if self.is_async else await asyncio.to_thread(function, *args, **more)

    async def _within(self, opened: Callable[[], Any], work: Callable[[Any], Any]) -> Any:
        if self.is_async:
            async with opened() as action:
                return work(action)

        def block() -> Any:
            with opened() as action:
                return work(action)

        return await asyncio.to_thread(block)


def inputs(action: Any) -> Any:
    return action.input
