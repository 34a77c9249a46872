"""Handlers: functions of the run's own code that are called when its interaction is resolved."""

import importlib
import inspect
import sys
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

from bot.resume.resumed import Resumed

Handler = Callable[[Resumed], Coroutine[Any, Any, None]]

_MARK = "__signoff_resumes__"


class BadApp(Exception):
    """The module of handlers cannot be used; the message says why, and what to do."""


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


def load_handlers(app: str | None, *, folder: Path | None = None) -> Handlers:
    """The handlers of `module` or `module:attribute` (a `Handlers`, a marked function, or several); none for None.

    The module is also looked for in `folder` (the current one), as a console script would not do by itself.

    Raises:
        BadApp: no such module or attribute, or nothing marked in it. An error inside the module comes through.
    """
    if app is None:
        return Handlers()
    name, _, attribute = app.partition(":")
    if not name or name.endswith(".py") or "/" in name:
        raise BadApp(f"--app {app}: give a module as Python imports it (shop.runs), not a file")
    module = _import(name, app, folder or Path.cwd())
    if not attribute:
        found = Handlers(value for value in vars(module).values() if _is_marked(value))
    elif hasattr(module, attribute):
        found = _from(getattr(module, attribute))
    else:
        raise BadApp(f"--app {app}: the module {name} has no {attribute}")
    if not found.names:
        raise BadApp(f'--app {app}: no handler there; mark one with @on_resume("name")')
    return found


def _import(name: str, app: str, folder: Path) -> Any:
    here = str(folder)
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Only that module itself, or a package on the way to it: what it imports is its own affair.
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise BadApp(f"--app {app}: there is no module {error.name}") from error
        raise


def _from(value: Any) -> Handlers:
    if isinstance(value, Handlers):
        return value
    functions = [value] if callable(value) else list(value)
    return Handlers(function for function in functions if _is_marked(function))


def _is_marked(value: Any) -> bool:
    return inspect.iscoroutinefunction(value) and hasattr(value, _MARK)
