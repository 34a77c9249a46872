"""The code that the section `runs` hosts: confirms once, and says when it goes on, by a datagram to the benchmark."""

import os
import socket

from signoff.runtime import Access, Runtime
from signoff.types import Json

runtime = Runtime()
_SOCKET = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


@runtime.code("wait")
async def wait(number: Json, access: Access) -> Json:
    answer = await access.interaction.confirm("Go on?")
    assert answer.is_confirmed
    _SOCKET.sendto(str(number).encode(), os.environ["SIGNOFF_BENCH_SOCKET"])
    return None
