"""The worker's calls of the API, typed. All of them may be repeated: the same call again gets the same answer."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

from signoff import reading
from signoff.errors import BadReply, Refused, SignoffError, Unreachable
from signoff.json_input import dump_json
from signoff.runtime.logs import warn
from signoff.runtime.wire import LeaseReply, News, Released, Run, RunReply
from signoff.wire import SLACK, Flow, Lost, Pause, Reply, Request, Wire

T = TypeVar("T")

#: One request: method, path, JSON body or None, to the status and the body of the answer. Raises OSError where no
#: answer came.
Call = Callable[[str, str, bytes | None], Awaitable[tuple[int, bytes]]]

#: Seconds after which a loop that hears nothing says so, and goes on.
_PATIENCE = 10.0
_TOO_MANY, _INCIDENT, _UNCONFIRMED = 429, 500, 503
_PROBLEM = {"content-type": "application/problem+json"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """Time and chance, as they are given. `clock` in seconds, from any start; `jitter` a number from 0 to below 1."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


def is_passing(error: SignoffError) -> bool:
    """Whether the same call may do better later: nothing was heard, or nothing that says whether it was done."""
    if isinstance(error, Refused):
        return error.status == _TOO_MANY or error.status >= _INCIDENT
    return isinstance(error, Unreachable | BadReply)


class Work:
    """What one worker asks of the server; `retry_for`: seconds for which a call that got no answer is repeated."""

    def __init__(self, call: Call, *, worker: str, pace: Pace, retry_for: float) -> None:
        self._call = call
        self._worker = worker
        self._pace = pace
        # Whether the address is right is seen by the log of whoever starts a worker: it goes on trying.
        self.wire = Wire(url="the server", clock=pace.clock, chance=pace.jitter, patience=retry_for, has_heard=True)

    async def lease(self, codes: Sequence[str], *, room: int, wait: int) -> LeaseReply:
        """Runs of these codes that nobody has, as soon as there are any. One try: see `Worker`. Raises SignoffError."""
        body = {"worker": self._worker, "codes": list(codes), "room": room, "wait": wait}
        return await self._post("/v1/work/lease", body, LeaseReply, patience=0, wait=wait)

    async def renew(self, tokens: Mapping[str, str], *, wait: int) -> News:
        """`tokens` by run_id. Raises SignoffError."""
        runs = [{"run_id": run_id, "token": token} for run_id, token in tokens.items()]
        body = {"worker": self._worker, "runs": runs, "wait": wait}
        return await self._post("/v1/work/renew", body, News, patience=_PATIENCE, wait=wait)

    async def release(self, tokens: Mapping[str, str]) -> None:
        """Give runs back. One try: what is not heard lapses. Raises SignoffError."""
        runs = [{"run_id": run_id, "token": token} for run_id, token in tokens.items()]
        await self._post("/v1/work/release", {"worker": self._worker, "runs": runs}, Released, patience=0)

    async def checkpoint(self, run_id: str, token: str, **one: Any) -> Run:
        """Exactly one of `state`, `action` {kind, request} and `delivered` (an action's id).

        Raises:
            Refused: lost, stopping, out of turn, too large.
            SignoffError (`is_passing`): not confirmed within `retry_for`; it may have been done.
        """
        body = {"run_id": run_id, "token": token, **one}
        return (await self._post("/v1/work/checkpoint", body, RunReply)).run

    async def finish(self, run_id: str, token: str, **one: Any) -> Run:
        """`outcome` or `error`. Repeated until it is answered. Raises Refused."""
        while True:
            try:
                body = {"run_id": run_id, "token": token, **one}
                return (await self._post("/v1/work/finish", body, RunReply, patience=_PATIENCE)).run
            except SignoffError as error:
                if not is_passing(error):
                    raise
                warn("finish_repeated", run_id=run_id, why=error)
                await self._pace.sleep(1)

    async def _post(
        self, path: str, body: dict[str, Any], type: type[T], *, patience: float | None = None, wait: int = 0
    ) -> T:
        request = Request(method="POST", path=path, body=dump_json(body), timeout=wait + SLACK)
        flow: Flow[T] = reading.call(self.wire, request, type, patience=patience)
        return await self.drive(flow)

    async def drive(self, flow: Flow[T]) -> T:
        """One of the client's flows, over `wire`. Raises SignoffError."""
        heard: Reply | Lost | None = None
        with closing(flow):
            while True:
                try:
                    step = flow.send(heard)
                except StopIteration as end:
                    result: T = end.value
                    return result
                if isinstance(step, Pause):
                    await self._pace.sleep(step.seconds)
                    heard = None
                else:
                    heard = await self._send(step)

    async def _send(self, request: Request) -> Reply | Lost:
        try:
            async with asyncio.timeout(request.timeout):
                status, body = await self._call(request.method, request.path, request.body)
        except OSError as error:  # TimeoutError is one
            return Lost(why=f"{type(error).__name__}: {error}", was_sent=True)
        # An incident may have come after the deed, as what is unconfirmed: it is asked again.
        status = _UNCONFIRMED if status >= _INCIDENT else status
        return Reply(status=status, headers=_PROBLEM if status >= 400 else {}, body=body)  # noqa: PLR2004 - HTTP's own
