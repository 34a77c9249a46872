"""What `serve --app` hosts in its own process: `codes`, and KILL_AT ends that process as `hosted` does."""

import os
from typing import Any

from signoff.runtime import Call, Limits
from tests.sdk.runtime.codes import runtime as codes
from tests.sdk.runtime.hosted import killer


class Killed:
    async def work(self, *, call: Call, worker: str) -> Any:
        limits = Limits(report_within=int(os.environ.get("REPORT_WITHIN", "60")), lease_wait=1)
        await codes.work(call=call, worker=worker, limits=limits, on_step=killer(os.environ.get("KILL_AT", "")))


runtime = Killed()
