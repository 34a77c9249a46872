"""A statement of SQLAlchemy Core, compiled once and run on the driver's own connection."""

from typing import Any, Protocol

from sqlalchemy import Dialect, Executable
from sqlalchemy.sql.compiler import SQLCompiler

from store.sql.times import time_text


class Row(Protocol):
    """What both drivers return: a value by the name of its column."""

    def __getitem__(self, name: str, /) -> Any: ...


class Statement:
    def __init__(self, core: Executable, dialect: Dialect) -> None:
        compiled = core.compile(dialect=dialect)  # type: ignore[attr-defined]  # every construct given here compiles
        if not isinstance(compiled, SQLCompiler) or compiled.positiontup is None:
            raise TypeError("only statements with positional parameters run on a driver")
        self.sql = str(compiled)
        self._names = compiled.positiontup
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}
        self._as_text = dialect.name == "sqlite"

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        """In the order of the driver; a name that is neither given nor a constant is a KeyError."""
        constants = self._constants
        ordered = [values[name] if name in values else constants[name] for name in self._names]
        return [time_text(value) for value in ordered] if self._as_text else ordered
