"""A runtime: the codes that a worker hosts, by name."""

import os
import socket
from collections.abc import Callable, Mapping
from types import MappingProxyType

from signoff.runtime.attempt import OnStep
from signoff.runtime.code import Code, CodeFunction
from signoff.runtime.work import Call, Pace
from signoff.runtime.worker import Limits, Worker

_MOST_CODES = 200
_LONGEST_NAME = 200


class Runtime:
    """Codes by name, and the way to host them: `@runtime.code("deploy")`, then `signoff work module:runtime`."""

    def __init__(self) -> None:
        self._codes: dict[str, Code] = {}

    @property
    def codes(self) -> Mapping[str, Code]:
        return MappingProxyType(self._codes)

    def code(self, name: str) -> Callable[[CodeFunction], Code]:
        """Register an async function `(input, access) -> JSON outcome` under the name that runs are started with.

        Raises:
            TypeError: not an async function.
            ValueError: no name, one that is taken, or more codes than a worker leases.
        """
        if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
            raise ValueError(f'give the code a name of 1 to {_LONGEST_NAME} characters: @runtime.code("deploy")')
        if name in self._codes:
            raise ValueError(f"two codes are named {name!r}")
        if len(self._codes) == _MOST_CODES:
            raise ValueError(f"a runtime has at most {_MOST_CODES} codes; make another one")

        def register(function: CodeFunction) -> Code:
            return self._codes.setdefault(name, Code(name, function))

        return register

    async def work(
        self,
        *,
        call: Call,
        worker: str | None = None,
        limits: Limits | None = None,
        pace: Pace | None = None,
        on_step: OnStep | None = None,
    ) -> None:
        """Host these codes until cancelled: lease runs, run them, write how they ended.

        `call`: one request to the server, see `Call`. `worker`: a label for people, of this process. A first
        cancellation stops leasing and lets running code reach its next wait, for `limits.grace` seconds; a second one
        leaves everything where it stands.

        Raises:
            Refused: the server does not let this key work.
        """
        hosting = Worker(
            self._codes,
            call=call,
            worker=worker or default_worker(),
            limits=limits or Limits(),
            pace=pace or Pace(),
            on_step=on_step or _nobody,
        )
        await hosting.run()


def default_worker() -> str:
    return f"{socket.gethostname()}/{os.getpid()}"[:200]


def _nobody(_step: str, _run_id: str) -> None:
    """Nobody asked to be told."""
