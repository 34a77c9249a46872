"""Ids that Slack would make: timestamps, views, hashes, blocks, triggers."""

import secrets
import string
from dataclasses import dataclass, field

from sandbox.clock import Clock

_LETTERS = string.ascii_uppercase + string.digits


def letters(count: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(count))


@dataclass(slots=True)
class Ids:
    """Makes ids; a message `ts` is unique in the workspace and never goes back."""

    clock: Clock
    _last_micros: int = field(default=0, init=False)

    def ts(self) -> str:
        micros = max(round(self.clock.now() * 1_000_000), self._last_micros + 1)
        self._last_micros = micros
        return f"{micros // 1_000_000}.{micros % 1_000_000:06d}"

    def view_id(self) -> str:
        return "V" + letters(10)

    def dm_id(self) -> str:
        return "D" + letters(10)

    def event_id(self) -> str:
        return "Ev" + letters(9)

    def block_id(self) -> str:
        return "b" + letters(4)

    def action_id(self) -> str:
        return "a" + letters(5)

    def notice_id(self) -> str:
        return "N" + letters(8)

    def view_hash(self) -> str:
        return f"{int(self.clock.now())}.{secrets.token_hex(4)}"

    def trigger_id(self) -> str:
        number = secrets.randbelow(10**12)
        return f"{number:012d}.{secrets.randbelow(10**12):012d}.{secrets.token_hex(16)}"

    def secret(self) -> str:
        return secrets.token_urlsafe(18)
