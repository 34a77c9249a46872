"""The I/O: flows driven by httpx, in a thread or on a loop. The only place that knows either."""

from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx

from signoff.wire import Flow, Lost, Pause, Reply, Request, Step

T = TypeVar("T")

#: Errors before a byte of the request was on its way.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_CONNECT = 5.0


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    result: T


class Threaded:
    """Flows in the thread of the caller; any number of threads may drive at once."""

    def __init__(self, *, url: str, headers: dict[str, str], sleep: Callable[[float], None]) -> None:
        self._http = httpx.Client(base_url=url, headers=headers)
        self._sleep = sleep

    def drive(self, flow: Flow[T]) -> T:
        with closing(flow):
            step = _next(flow, None)
            while not isinstance(step, _Done):
                if isinstance(step, Pause):
                    self._sleep(step.seconds)
                    step = _next(flow, None)
                else:
                    step = _next(flow, self._exchange(step))
        return step.result

    def close(self) -> None:
        self._http.close()

    def _exchange(self, request: Request) -> Reply | Lost:
        try:
            return _reply(self._http.send(_built(self._http, request)))
        except httpx.RequestError as error:
            return _lost(error)


class Looped:
    """Flows on the running event loop."""

    def __init__(self, *, url: str, headers: dict[str, str], sleep: Callable[[float], Awaitable[None]]) -> None:
        self._http = httpx.AsyncClient(base_url=url, headers=headers)
        self._sleep = sleep

    async def drive(self, flow: Flow[T]) -> T:
        with closing(flow):
            step = _next(flow, None)
            while not isinstance(step, _Done):
                if isinstance(step, Pause):
                    await self._sleep(step.seconds)
                    step = _next(flow, None)
                else:
                    step = _next(flow, await self._exchange(step))
        return step.result

    async def close(self) -> None:
        await self._http.aclose()

    async def _exchange(self, request: Request) -> Reply | Lost:
        try:
            return _reply(await self._http.send(_built(self._http, request)))
        except httpx.RequestError as error:
            return _lost(error)


def _next(flow: Flow[T], heard: Reply | Lost | None) -> Step | _Done[T]:
    try:
        return flow.send(heard)
    except StopIteration as ended:
        return _Done(ended.value)


def _built(http: httpx.Client | httpx.AsyncClient, request: Request) -> httpx.Request:
    return http.build_request(
        request.method,
        request.path,
        params=list(request.query) or None,
        content=request.body,
        headers=None if request.body is None else {"Content-Type": "application/json"},
        timeout=httpx.Timeout(request.timeout, connect=_CONNECT),
    )


def _reply(response: httpx.Response) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(status=response.status_code, headers=headers, body=response.content)


def _lost(error: httpx.RequestError) -> Lost:
    return Lost(why=str(error) or type(error).__name__, was_sent=not isinstance(error, _NOT_SENT))
