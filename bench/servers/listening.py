"""How every server beside ours listens: a free port, its address printed, until it is told to stop."""

import asyncio
import signal

from aiohttp import web


async def serve(app: web.Application) -> None:
    runner = web.AppRunner(app, access_log=None, handle_signals=False)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"listening on http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    stop = asyncio.Event()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(wanted, stop.set)
    await stop.wait()
    await runner.cleanup()
