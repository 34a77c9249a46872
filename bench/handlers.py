"""The run's own code in the latency section: says when it began, by a datagram to the benchmark."""

import os
import socket
import time

from bot.resume import Resumed, on_resume

_SOCKET = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


@on_resume("bench")
async def began(resumed: Resumed) -> None:
    """The machine's monotonic clock is the same in every process."""
    now = time.monotonic_ns()
    _SOCKET.sendto(f"{resumed.interaction.id} {now}".encode(), os.environ["SIGNOFF_BENCH_SOCKET"])
    async with resumed.execution() as action:
        assert action.execute
