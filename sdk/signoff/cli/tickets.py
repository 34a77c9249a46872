"""Claims of this machine, on its disk: what lets a client that was killed come back for its own, and no other.

A claim's name is made of run, operation and attempt, and of a secret that was written down before it was used. Whoever
comes back finds the secret, and so the same name, and the service gives the same answer. Somewhere else the secret is
another one: there the claim is taken. While a client lives it holds a lock on the file; so of two here, one waits at
the door. Before anything is started that is written down, too, and from then on there is no coming back.
"""

import contextlib
import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SECRET_BYTES = 9
_MARK = 24


class InUse(Exception):
    """Another process of this machine holds this claim; `pid` where it is known."""

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        super().__init__("another process here holds this claim")


@dataclass(frozen=True, kw_only=True, slots=True)
class Effort:
    """One attempt of a run at one approval."""

    id: str
    run_id: str
    operation_id: str
    attempt: str

    @property
    def mark(self) -> str:
        parts = json.dumps([self.id, self.run_id, self.operation_id, self.attempt])
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]


class Ticket:
    """The name of a claim, and whether something was started under it."""

    def __init__(self, effort: Effort, file: int | None) -> None:
        self._effort = effort
        self._file = file
        kept = {} if file is None else _read(file)
        self._secret = str(kept.get("secret") or secrets.token_urlsafe(_SECRET_BYTES))
        self.is_spent = bool(kept.get("started"))
        self._write()

    @property
    def claim_id(self) -> str:
        return f"cli-{self._effort.mark}-{self._secret}"

    def spend(self) -> None:
        """From here on nobody comes back for it. Written before the command is started, never after."""
        self.is_spent = True
        self._write()

    def renew(self) -> None:
        """Another name: the old claim ran nothing, as a person has said, and the approval may be claimed anew."""
        self._secret = secrets.token_urlsafe(_SECRET_BYTES)
        self.is_spent = False
        self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        text = json.dumps({"secret": self._secret, "started": self.is_spent, "pid": os.getpid(), "id": self._effort.id})
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, text.encode().ljust(512))
        os.fsync(self._file)


@contextmanager
def held(effort: Effort, *, environment: Mapping[str, str]) -> Iterator[Ticket]:
    """The ticket of this effort, for this process alone. Where nothing can be written, one that nobody comes back for.

    Raises:
        InUse: another process has it.
    """
    folder = _folder(environment)
    file = None if folder is None else _opened(folder / f"{effort.mark}.json")
    try:
        yield Ticket(effort, file)
    finally:
        if file is not None:
            os.close(file)


def claim_of(effort: Effort, *, environment: Mapping[str, str]) -> str | None:
    """The name under which this effort was claimed here, without holding it."""
    folder = _folder(environment)
    if folder is None:
        return None
    try:
        kept = json.loads((folder / f"{effort.mark}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return f"cli-{effort.mark}-{kept['secret']}" if kept.get("started") else None


def _folder(environment: Mapping[str, str]) -> Path | None:
    """Where tickets are kept: one's own, closed to others; None where there is no such place."""
    home = environment.get("XDG_STATE_HOME") or (
        f"{environment['HOME']}/.local/state" if environment.get("HOME") else ""
    )
    places = [Path(home) / "signoff"] if home else []
    places.append(Path(tempfile.gettempdir()) / f"signoff-{_user()}")
    for place in places:
        with contextlib.suppress(OSError):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = place.stat()
            if found.st_uid == _user() and not found.st_mode & 0o022 and os.access(place, os.W_OK):
                return place
    return None


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _opened(path: Path) -> int | None:
    """Open and locked; None where this system has no such locks, or the disk is full."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pid = _read(file).get("pid")
        os.close(file)
        raise InUse(pid if isinstance(pid, int) else None) from None
    return file


def _read(file: int) -> dict[str, Any]:
    """What was written; nothing where a write was cut off."""
    os.lseek(file, 0, os.SEEK_SET)
    try:
        kept = json.loads(os.read(file, 4096))
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}
