"""Handlers: functions of the run's own code that are called when its interaction is resolved."""

import inspect
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from bot.resume.resumed import Resumed

Handler = Callable[[Resumed], Coroutine[Any, Any, None]]

_MARK = "__signoff_resumes__"


class BadApp(Exception):
    """The module that `--app` names cannot be used; the message says why, and what to do."""


def on_resume(name: str) -> Callable[[Handler], Handler]:
    """Mark an async function as the handler of asks with `resume: {"handler": name}`.

    It is called with a `Resumed` whenever such an interaction is resolved, in any way, and again until it returns:
    an exception before it claims is retried. It is registered by being found in the module that `--app` names.

    Raises:
        TypeError: not an async function, or no name.
    """
    if not isinstance(name, str) or not name.strip():
        raise TypeError('give the handler a name: @on_resume("deploy")')

    def mark(function: Handler) -> Handler:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"the handler {name!r} must be an async function")
        setattr(function, _MARK, (*getattr(function, _MARK, ()), name))
        return function

    return mark


class Handlers:
    """Marked functions by name."""

    def __init__(self, functions: Iterable[Handler] = ()) -> None:
        """Raises BadApp: two functions with one name."""
        self._by_name: dict[str, Handler] = {}
        for function in functions:
            for name in getattr(function, _MARK, ()):
                if self._by_name.setdefault(name, function) is not function:
                    raise BadApp(f"two handlers are named {name!r}")

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._by_name)

    def with_ours(self, *functions: Handler) -> "Handlers":
        """These and those of the house. Raises BadApp: the app took a name of ours."""
        return Handlers([*self._by_name.values(), *functions])

    def __getitem__(self, name: str) -> Handler:
        return self._by_name[name]


def is_handler(value: Any) -> bool:
    """Whether it was marked by `on_resume`."""
    return inspect.iscoroutinefunction(value) and hasattr(value, _MARK)
