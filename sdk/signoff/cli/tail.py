"""The last lines of what a command wrote, bounded, as plain text."""

import threading
from collections import deque
from collections.abc import Iterable

from signoff.cli.plain import without_orders

#: Bytes that are kept of the output, however much there is.
_MOST_BYTES = 16_384
#: Characters that go into a report, well below what the API takes.
MOST_CHARACTERS = 2000
_MASK = "•••"


class Tail:
    """Fed by a thread for each stream."""

    def __init__(self, *, lines: int, secrets: Iterable[str] = ()) -> None:
        self._lines = lines
        self._secrets = [secret for secret in secrets if secret]
        self._kept: deque[bytes] = deque()
        self._size = 0
        self._lock = threading.Lock()

    def feed(self, chunk: bytes) -> None:
        if not self._lines:
            return
        with self._lock:
            self._kept.append(chunk)
            self._size += len(chunk)
            while self._size - len(self._kept[0]) >= _MOST_BYTES:
                self._size -= len(self._kept.popleft())

    def text(self) -> str:
        """At most so many lines and characters, without secrets; empty where nothing was written."""
        if not self._lines:
            return ""
        # A character or an order to the terminal may be cut at the start: only whole lines are shown there.
        with self._lock:
            raw = b"".join(self._kept)
        text = without_orders(raw[-_MOST_BYTES:].decode("utf-8", "replace"))
        for secret in self._secrets:
            text = text.replace(secret, _MASK)
        lines = [line.rstrip() for line in text.split("\n")]
        if len(raw) > _MOST_BYTES and len(lines) > 1:
            del lines[0]
        shown = "\n".join([line for line in lines if line][-self._lines :])
        return shown if len(shown) <= MOST_CHARACTERS else f"…{shown[1 - MOST_CHARACTERS :]}"
