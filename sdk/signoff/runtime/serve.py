"""Hosting a runtime over HTTP: what `signoff work module:runtime` does."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from signoff.runtime.attempt import OnStep
from signoff.runtime.loading import load_runtime
from signoff.runtime.logs import LOG
from signoff.runtime.runtime import Runtime
from signoff.runtime.work import Call
from signoff.runtime.worker import Limits
from signoff.settings import Settings, read_settings

_STOPS = (signal.SIGTERM, signal.SIGINT)
_CONNECT = 5.0
#: Calls at once, beside those that wait for news.
_AT_ONCE = 16
_POLLS = frozenset({"/v1/work/lease", "/v1/work/renew"})
_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


def serve(
    app: str,
    *,
    url: str | None = None,
    key: str | None = None,
    worker: str | None = None,
    limits: Limits | None = None,
    level: str = "INFO",
) -> None:
    """Host the runtime at `module:attribute` until SIGTERM or SIGINT; a second signal ends it at once.

    `url` and `key` (scopes `work` and `ask`) else come from SIGNOFF_URL and SIGNOFF_KEY. It needs no inbound port.

    Raises:
        BadApp: no runtime there.
        NotConfigured: no key, or no address.
        Refused: the server does not let this key work.
    """
    settings = read_settings(url=url, key=key, environment=os.environ)
    runtime = load_runtime(app)
    logging.basicConfig(format=_FORMAT)
    LOG.setLevel(level)
    asyncio.run(host(runtime, settings, worker=worker, limits=limits))


async def host(
    runtime: Runtime,
    settings: Settings,
    *,
    worker: str | None = None,
    limits: Limits | None = None,
    on_step: OnStep | None = None,
) -> None:
    """The same, on a running loop of the main thread."""
    async with http_call(settings) as call:
        hosting = runtime.work(call=call, worker=worker, limits=limits, on_step=on_step)
        working = asyncio.create_task(hosting, name="working")
        _end_by_signal(working)
        try:
            await working
        except asyncio.CancelledError:
            if not working.cancelled():
                raise


@asynccontextmanager
async def http_call(settings: Settings) -> AsyncIterator[Call]:
    """The way to a server over HTTP. How long an answer may take is said by whoever calls."""
    async with _client(settings) as polls, _client(settings) as others:
        # The pool looks at all of its connections for each request: a few connections are faster than hundreds.
        turns = asyncio.Semaphore(_AT_ONCE)

        async def call(method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
            if path in _POLLS:
                return await _sent(polls, method, path, body)
            async with turns:
                return await _sent(others, method, path, body)

        yield call


def _client(settings: Settings) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=settings.url,
        headers=settings.headers,
        timeout=httpx.Timeout(None, connect=_CONNECT),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=_AT_ONCE),
    )


async def _sent(client: httpx.AsyncClient, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
    headers = None if body is None else {"Content-Type": "application/json"}
    try:
        response = await client.request(method, path, content=body, headers=headers)
    except httpx.RequestError as error:  # also an answer that cannot be decoded
        raise ConnectionError(f"{client.base_url}: {str(error) or type(error).__name__}") from error
    return response.status_code, response.content


def _end_by_signal(working: asyncio.Task[None]) -> None:
    """The first signal ends it with grace; a second one, the hard way."""
    loop = asyncio.get_running_loop()

    def stopping() -> None:
        working.cancel()
        for wanted in _STOPS:
            loop.remove_signal_handler(wanted)

    for wanted in _STOPS:
        loop.add_signal_handler(wanted, stopping)
