"""A serving process: settings, signals, and the house between them."""

import asyncio
import gc
import signal

import structlog

from bot.log import configure_logging
from bot.settings import Settings, load_settings

_STOPS = (signal.SIGTERM, signal.SIGINT)

log = structlog.get_logger("signoff")


def serve_until_told(*, web_side: bool, worker: bool, app: str | None) -> None:
    """Run until SIGTERM or SIGINT, then finish what is running.

    Raises:
        HalfConfigured, StoreError: as `wiring.running`.
    """
    settings = load_settings()
    if app is not None:
        settings = settings.model_copy(update={"app": app})
    configure_logging(settings.log_level)
    asyncio.run(_serve(settings, web_side=web_side, worker=worker))


async def _serve(settings: Settings, *, web_side: bool, worker: bool) -> None:
    # Before anything says that it runs: a signal right after that must end it cleanly.
    stop = stop_signal()
    if not web_side and settings.database_url.startswith(("sqlite", "memory")):
        log.info("work_idles", why="on SQLite, `serve` does this work; nothing is left to do here")
        await stop.wait()
        return
    from bot.wiring import running

    async with running(settings, web_side=web_side, worker=worker):
        # What lives until the end need not be looked at by every full collection.
        gc.collect()
        gc.freeze()
        await stop.wait()


def stop_signal() -> asyncio.Event:
    """Set at the first SIGTERM or SIGINT, from now on; a second one ends the process the hard way."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stopping() -> None:
        stop.set()
        for wanted in _STOPS:
            loop.remove_signal_handler(wanted)

    for wanted in _STOPS:
        loop.add_signal_handler(wanted, stopping)
    return stop
