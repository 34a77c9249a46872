"""What stopped a command, as one sentence for an operator. Faults of our own have none: their traceback is wanted."""

from bot.settings import HalfConfigured, load_database_settings, shown
from store.errors import Unconfirmed

_OURS = frozenset({"bot", "store"})
_DRIVERS = frozenset({"aiosqlite", "alembic", "asyncpg", "sqlalchemy", "sqlite3"})
_MOST = 300
#: How asyncio begins, of an address that it could not take.
_WHILE = "error while attempting to "


def sentence(error: Exception) -> str | None:
    """None: nothing that an operator could mend."""
    root = type(error).__module__.partition(".")[0]
    if root == "store" and (isinstance(error, Unconfirmed) or not str(error)):
        # A broken connection: what broke it says more.
        return _of_the_database(_first_cause(error))
    if root in _OURS:
        return str(error)
    if root in _DRIVERS:
        return _of_the_database(error)
    if isinstance(error, OSError):
        return _of_the_system(error)
    return None


def _of_the_system(error: OSError) -> str:
    """A file, a port, or the database: whatever else this program connects to has its own words."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    words = error.strerror or str(error) or "no answer in time"
    if "bind on address" in words or "could not bind" in words:
        return f"Could not {words.removeprefix(_WHILE)}. Set HOST and PORT to an address that is free."
    return _of_the_database(error)


def _of_the_database(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"The database {_database()} does not answer: {error.strerror or 'nothing came in time'}"
    return f"The database {_database()} says no: {_first_line(getattr(error, 'orig', None) or error)}"


def _first_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _database() -> str:
    try:
        return shown(load_database_settings().database_url)
    except HalfConfigured:
        return "(DATABASE_URL)"


def _first_line(error: BaseException) -> str:
    words = str(error).strip().partition("\n")[0] or type(error).__name__
    return words if len(words) <= _MOST else f"{words[:_MOST]}…"
