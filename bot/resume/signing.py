"""Standard Webhooks, version 1 of its signatures: HMAC-SHA256 over id, timestamp and body."""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

#: Seconds that a receiver lets a message be old, or its sender's clock be ahead.
TOLERANCE = 300
_PREFIX = "whsec_"
_SHORTEST, _LONGEST = 24, 64
_TIMESTAMP = re.compile(r"[0-9]{1,12}")
#: A header holds one signature for each secret in use; nobody needs more candidates looked at than these.
_MOST_SIGNATURES = 16


class BadSecret(ValueError):
    """Not `whsec_` and the base64 of 24 to 64 bytes. The message never holds the secret."""


class BadSignature(Exception):
    """The message is not ours, not now, or not whole; whatever its headers hold."""


def read_secret(text: str) -> bytes:
    """Raises BadSecret."""
    try:
        key = base64.b64decode(text.removeprefix(_PREFIX).encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        key = b""
    if not text.startswith(_PREFIX) or not _SHORTEST <= len(key) <= _LONGEST:
        raise BadSecret(f"a webhook secret is whsec_ and the base64 of {_SHORTEST} to {_LONGEST} random bytes")
    return key


def sign(secrets: Sequence[bytes], *, id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The three headers. All secrets sign, newest first, so that a receiver may know either."""
    timestamp = str(int(at.timestamp()))
    signatures = (_signature(secret, id=id, timestamp=timestamp, body=body) for secret in secrets)
    return {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{base64.b64encode(each).decode()}" for each in signatures),
    }


def verify(secrets: Sequence[bytes], *, headers: Mapping[str, str], body: bytes, now: datetime) -> str:
    """The id of a genuine message. Raises BadSignature for anything else, and nothing but that."""
    lower = {name.lower(): value for name, value in headers.items()}
    id, timestamp = lower.get("webhook-id", ""), lower.get("webhook-timestamp", "")
    if not id or not id.isascii() or not _TIMESTAMP.fullmatch(timestamp):
        raise BadSignature("headers are missing or malformed")
    if abs(now.timestamp() - int(timestamp)) > TOLERANCE:
        raise BadSignature("the message is too old, or from the future")
    given = _candidates(lower.get("webhook-signature", ""))
    expected = [_signature(secret, id=id, timestamp=timestamp, body=body) for secret in secrets]
    # Every pair is compared: how long it takes says nothing about which one failed.
    matches = [hmac.compare_digest(one, other) for one in given for other in expected]
    if not any(matches):
        raise BadSignature("no signature matches")
    return id


def _signature(secret: bytes, *, id: str, timestamp: str, body: bytes) -> bytes:
    return hmac.new(secret, b".".join([id.encode(), timestamp.encode(), body]), hashlib.sha256).digest()


def _candidates(header: str) -> list[bytes]:
    found = []
    for part in header.split(" ")[:_MOST_SIGNATURES]:
        version, _, encoded = part.partition(",")
        if version != "v1" or not encoded.isascii():
            continue
        try:
            found.append(base64.b64decode(encoded, validate=True))
        except binascii.Error:
            continue
    return found
