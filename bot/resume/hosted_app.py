"""The module that `--app` names: handlers of what is resumed, runtimes of what is hosted, or both."""

import importlib
import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeGuard

from bot.resume.handlers import BadApp, Handlers, is_handler

#: The API without a socket: method, path, body → status, body.
Door = Callable[[str, str, bytes | None], Awaitable[tuple[int, bytes]]]


class Runtime(Protocol):
    """Code that is hosted here; told by this shape, wherever it comes from."""

    async def work(self, *, call: Door, worker: str) -> None:
        """Pull runs and work on them, until cancelled. `worker`: what people read of who works."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class App:
    handlers: Handlers = field(default_factory=Handlers)
    runtimes: tuple[Runtime, ...] = ()


def load_app(app: str | None, *, folder: Path | None = None) -> App:
    """All handlers and runtimes of `module`, or what `module:attribute` is: one of either, several, or a
    `Handlers`. Nothing for None.

    The module is also looked for in `folder` (the current one), as a console script would not do by itself.

    Raises:
        BadApp: no such module or attribute, or nothing of use in it. An error inside the module comes through.
    """
    if app is None:
        return App()
    name, _, attribute = app.partition(":")
    if not name or name.endswith(".py") or "/" in name:
        raise BadApp(f"--app {app}: give a module as Python imports it (shop.runs), not a file")
    module = _import(name, app, folder or Path.cwd())
    if not attribute:
        found = _found(vars(module).values())
    elif hasattr(module, attribute):
        found = _from(getattr(module, attribute))
    else:
        raise BadApp(f"--app {app}: the module {name} has no {attribute}")
    if not found.handlers.names and not found.runtimes:
        raise BadApp(
            f'--app {app}: no handler and no runtime there; mark a function with @on_resume("name"), '
            "or register code in a signoff.Runtime()"
        )
    return found


def load_handlers(app: str | None, *, folder: Path | None = None) -> Handlers:
    """Its handlers alone. Raises BadApp, as `load_app`."""
    return load_app(app, folder=folder).handlers


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


def _from(value: Any) -> App:
    if isinstance(value, Handlers):
        return App(handlers=value)
    several = list(value) if isinstance(value, Iterable) else [value]
    return _found(several)


def _found(values: Iterable[Any]) -> App:
    """Runtimes each once, under however many names they stand there."""
    seen = list(values)
    runtimes = {id(value): value for value in seen if _is_runtime(value)}
    return App(handlers=Handlers(filter(is_handler, seen)), runtimes=tuple(runtimes.values()))


def _is_runtime(value: Any) -> TypeGuard[Runtime]:
    """An object whose coroutine `work` takes `call` and `worker`. Looked at without asking it anything."""
    if isinstance(value, type | ModuleType):
        return False
    work = inspect.getattr_static(value, "work", None)
    return inspect.iscoroutinefunction(work) and {"call", "worker"} <= set(inspect.signature(work).parameters)
