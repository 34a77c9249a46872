"""Finding a `Runtime` by `module:attribute`, as a command line names it."""

import importlib
import sys
from pathlib import Path
from typing import Any

from signoff.errors import SignoffError
from signoff.runtime.runtime import Runtime


class BadApp(SignoffError):
    """The runtime cannot be loaded; the message says why, and what to do."""


def load_runtime(app: str, *, folder: Path | None = None) -> Runtime:
    """The runtime at `module:attribute` (`module` alone: its only one). Also looked for in `folder` (the current one).

    Raises:
        BadApp: no such module or attribute, no runtime there, or no code in it. An error inside the module comes
            through.
    """
    name, _, attribute = app.partition(":")
    if not name or name.endswith(".py") or "/" in name:
        raise BadApp(f"{app}: give a module as Python imports it (shop.runs:runtime), not a file")
    module = _import(name, app, folder or Path.cwd())
    runtime = _attribute(module, attribute, app) if attribute else _only_one(module, app)
    if not runtime.codes:
        raise BadApp(f'{app}: no code is registered there; decorate an async function with @runtime.code("name")')
    return runtime


def _attribute(module: Any, attribute: str, app: str) -> Runtime:
    found = getattr(module, attribute, None)
    if not isinstance(found, Runtime):
        what = "has no" if found is None else "has no Runtime named"
        raise BadApp(f"{app}: the module {module.__name__} {what} {attribute}")
    return found


def _only_one(module: Any, app: str) -> Runtime:
    found = {id(value): value for value in vars(module).values() if isinstance(value, Runtime)}
    if len(found) != 1:
        raise BadApp(f"{app}: {len(found)} runtimes there; name one as {module.__name__}:attribute")
    return next(iter(found.values()))


def _import(name: str, app: str, folder: Path) -> Any:
    here = str(folder)
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Only that module itself, or a package on the way to it: what it imports is its own affair.
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise BadApp(f"{app}: there is no module {error.name}; start where it can be imported") from error
        raise
