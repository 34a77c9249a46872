"""Faults on demand: how the Web API misbehaves, for a number of calls or until cleared."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, Literal


@dataclass(kw_only=True, slots=True)
class Fault:
    """What goes wrong with calls whose method matches the pattern `method` ("chat.*").

    `status` 429 (with `retry_after`), 500, …; `html`: a page of HTML with 200; `error`: `ok: false` with this name;
    `delay`: seconds before anything happens; `drop_reply`: the call takes effect, its answer is lost;
    `down`: the connection is closed, nothing takes effect; `times`: how often, None for ever.
    """

    method: str = "*"
    status: int | None = None
    retry_after: int | None = None
    html: bool = False
    error: str | None = None
    delay: float = 0.0
    drop_reply: bool = False
    down: bool = False
    times: int | None = None


_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "method": (str,),
    "status": (int,),
    "retry_after": (int,),
    "html": (bool,),
    "error": (str,),
    "delay": (int, float),
    "drop_reply": (bool,),
    "down": (bool,),
    "times": (int,),
}


def from_json(body: dict[str, Any]) -> Fault:
    """A fault from a request. Raises ValueError with the name of what is wrong."""
    for name, value in body.items():
        if name not in _TYPES:
            raise ValueError(f"unknown field {name}")
        if value is not None and not (
            isinstance(value, _TYPES[name]) and (isinstance(value, bool) == (bool in _TYPES[name]))
        ):
            raise ValueError(f"{name} has the wrong type")
    return Fault(**{name: value for name, value in body.items() if value is not None})


@dataclass(slots=True)
class Faults:
    """The faults in force, oldest first; the first that matches is used."""

    _active: list[Fault] = field(default_factory=list, init=False)
    _revoked: set[str] = field(default_factory=set, init=False)

    def add(self, method: str = "*", **what: Any) -> Fault:
        """`faults.add("chat.*", status=429, retry_after=2, times=1)`; fields as in `Fault`."""
        fault = Fault(method=method, **what)
        self._active.append(fault)
        return fault

    def put(self, fault: Fault) -> None:
        self._active.append(fault)

    def remove(self, fault: Fault) -> None:
        """End one fault; nothing happens when it has ended already."""
        if fault in self._active:
            self._active.remove(fault)

    def revoke(self, *kinds: Literal["bot", "app"]) -> None:
        """Every call with this token is `token_revoked` until `restore`. Without a kind: the bot's."""
        self._revoked |= set(kinds or ("bot",))

    def restore(self) -> None:
        """Tokens are good again."""
        self._revoked.clear()

    def revoked(self, kind: str) -> bool:
        return kind in self._revoked

    def clear(self) -> None:
        self._active.clear()
        self._revoked.clear()

    def __len__(self) -> int:
        return len(self._active)

    def take(self, method: str) -> Fault | None:
        """The fault for this call; counts it down."""
        for fault in self._active:
            if fnmatchcase(method, fault.method):
                if fault.times is not None:
                    fault.times -= 1
                    if fault.times <= 0:
                        self._active.remove(fault)
                return fault
        return None
