"""Code that a runtime hosts: an async function by name, and what continues it after a restart."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from signoff.runtime.access import Access
from signoff.runtime.saved import Saved

#: From the run's JSON input and its access to its JSON outcome.
CodeFunction = Callable[[Any, Access], Awaitable[Any]]
#: From what was saved at the newest action, and access, to the outcome.
RecoverFunction = Callable[[Saved, Access], Awaitable[Any]]


class Code:
    """Callable as the function itself, so that a test may call it."""

    def __init__(self, name: str, function: CodeFunction) -> None:
        _must_be_async(function, f"the code {name!r}")
        self.name = name
        self.recovery: RecoverFunction | None = None
        self._function = function
        self.__doc__ = function.__doc__

    def __call__(self, input: Any, access: Access) -> Awaitable[Any]:
        return self._function(input, access)

    def __repr__(self) -> str:
        return f"<code {self.name!r}>"

    def recover(self, function: RecoverFunction) -> RecoverFunction:
        """Register what goes on after a restart: it gets the saved action with its answer, and access.

        Without one, a run whose worker ended is RUN_INTERRUPTED. It is called once the action is answered, in place of
        the code, and must not repeat what the code did before it asked.
        """
        _must_be_async(function, f"recover of the code {self.name!r}")
        if self.recovery is not None:
            raise ValueError(f"the code {self.name!r} has a recover already")
        self.recovery = function
        return function


def _must_be_async(function: Any, what: str) -> None:
    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"{what} must be an async function")
