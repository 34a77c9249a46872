"""How a worker keeps very many leases over a server that is away, by a clock that is given."""

import asyncio
import json

from signoff.runtime import Pace, Runtime
from signoff.runtime.attempt import Attempt, Host
from signoff.runtime.leases import Leases
from signoff.runtime.slots import Slots
from signoff.runtime.wire import Leased
from signoff.runtime.work import Work

MANY = 3000


class Server:
    """Answers nothing of use, and once it is `up` holds every renewal open."""

    def __init__(self) -> None:
        self.up, self.renewed = asyncio.Event(), set[str]()
        self.all_renewed = asyncio.Event()

    async def call(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        if not self.up.is_set():
            return 200, b"a page of a proxy"
        self.renewed |= {run["run_id"] for run in json.loads(body or b"")["runs"]}
        if len(self.renewed) == MANY:
            self.all_renewed.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody ends this")


async def test_after_an_outage_all_leases_are_renewed_at_once_however_many_there_are() -> None:
    server, runtime, now = Server(), Runtime(), 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        if seconds >= 1:
            server.up.set()

    @runtime.code("wait")
    async def wait(input, access): ...

    pace = Pace(clock=lambda: now, sleep=sleep, jitter=lambda: 0.0)
    work = Work(server.call, worker="w", pace=pace, retry_for=10)
    host = Host(work=work, slots=Slots(1), worker="w", report_within=60, on_step=lambda step, run_id: None)
    leases = Leases(work, pace=pace, wait=20)
    for number in range(MANY):
        leased = Leased(run_id=f"run {number}", code="wait", token="t", is_new=True)
        leases.hold(Attempt(host, runtime.codes["wait"], leased, listen=leases.listen))

    keeping = asyncio.create_task(leases.keep())
    await asyncio.wait_for(server.all_renewed.wait(), 20)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)

    assert now < 5
