"""Slack's request signature, checked on the raw bytes before anything is parsed."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence

#: A request older or newer than this, in seconds, is refused: it may be a replay.
TOLERANCE = 300
_DIGITS = re.compile(r"[0-9]{1,12}", re.ASCII)


def sign(secret: str, *, timestamp: str, body: bytes) -> str:
    """`v0=` and the hex HMAC-SHA256 of `v0:timestamp:body`, as Slack documents it."""
    message = b"v0:" + timestamp.encode("ascii") + b":" + body
    return "v0=" + hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def is_genuine(secrets: Sequence[str], *, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether one of the secrets signed this body lately. `now`: Unix seconds. Never raises."""
    timestamp = headers.get("X-Slack-Request-Timestamp", "")
    given = headers.get("X-Slack-Signature", "")
    if _DIGITS.fullmatch(timestamp) is None or not given.isascii():
        return False
    if abs(now - int(timestamp)) > TOLERANCE:
        return False
    matches = [hmac.compare_digest(sign(secret, timestamp=timestamp, body=body), given) for secret in secrets]
    return any(matches)
