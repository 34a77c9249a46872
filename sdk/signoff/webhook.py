"""Messages that Signoff sends, checked as Standard Webhooks say: `v1`, HMAC-SHA256 over id, timestamp and body."""

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Mapping
from typing import ClassVar

import msgspec
from msgspec import Struct

from signoff.errors import SignoffError
from signoff.types import State, Time

#: Seconds that a message may be old, or the clock of its sender ahead.
TOLERANCE = 300
_PREFIX = "whsec_"
_SHORTEST, _LONGEST = 24, 64
_TIMESTAMP = re.compile(r"[0-9]{1,12}")
#: A header holds one signature for each secret in use; nobody needs more of them looked at.
_MOST_SIGNATURES = 16


class BadWebhook(SignoffError):
    """Not a message that Signoff sent, now and whole, whatever its headers and its body hold: answer 401."""


class BadSecret(SignoffError, ValueError):
    """Not `whsec_` and the base64 of 24 to 64 bytes. The message never shows the secret."""


class Resolved(Struct, frozen=True, kw_only=True):
    """What was resolved, not what to do: read the interaction, and claim it. `wake` counts how often it was told anew."""

    id: str
    kind: str
    run_id: str
    operation_id: str
    state: State
    digest: str | None = None
    wake: int = 0


class Event(Struct, frozen=True, kw_only=True):
    """One message. `message_id` is the same over its repeats: handle it once."""

    RESOLVED: ClassVar[str] = "interaction.resolved"

    message_id: str
    type: str
    timestamp: Time
    data: Resolved


class _Body(Struct, frozen=True):
    type: str
    timestamp: Time
    data: Resolved


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str] | Iterable[tuple[str, str]],
    secret: str | Iterable[str],
    *,
    now: float | None = None,
) -> Event:
    """The message, once it is known that Signoff sent it within the last five minutes.

    `body`: the bytes as they came, before anything parsed them. `secret`: SIGNOFF_WEBHOOK_SECRET, or, while it is being
    changed, both, also as one text with a comma. `now`: seconds since 1970, this machine's clock unless given.

    Raises:
        BadWebhook: for anything else, and nothing but that: whatever a stranger sends.
        BadSecret: your own secret is none.
    """
    secrets = _secrets(secret)
    id, timestamp, given = _headers(headers)
    at = time.time() if now is None else now
    if abs(at - int(timestamp)) > TOLERANCE:
        raise BadWebhook("The message is older than five minutes, or from the future. Is this machine's clock right?")
    signed = b".".join([id.encode(), timestamp.encode(), body])
    expected = [hmac.digest(key, signed, hashlib.sha256) for key in secrets]
    # Every pair is compared, so that the time it takes says nothing about which one failed.
    matches = [hmac.compare_digest(one, other) for one in given for other in expected]
    if not any(matches):
        raise BadWebhook("No signature fits this body and this secret.")
    try:
        read = msgspec.json.decode(body, type=_Body)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadWebhook(f"It is signed, and not a message of a kind that this version knows: {error}") from error
    return Event(message_id=id, type=read.type, timestamp=read.timestamp, data=read.data)


def _secrets(given: str | Iterable[str]) -> list[bytes]:
    texts = given.split(",") if isinstance(given, str) else list(given)
    if not texts:
        raise BadSecret("There is no webhook secret: without one, anybody's message would do.")
    return [_key(text.strip()) for text in texts]


def _key(text: str) -> bytes:
    try:
        key = base64.b64decode(text.removeprefix(_PREFIX).encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        key = b""
    if not text.startswith(_PREFIX) or not _SHORTEST <= len(key) <= _LONGEST:
        raise BadSecret(f"A webhook secret is {_PREFIX} and the base64 of {_SHORTEST} to {_LONGEST} random bytes.")
    return key


def _headers(headers: Mapping[str, str] | Iterable[tuple[str, str]]) -> tuple[str, str, list[bytes]]:
    """Id, timestamp and signatures. Raises BadWebhook: missing, twice, or not as they are written."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    found: dict[str, str] = {}
    for name, value in pairs:
        lower = str(name).lower()
        if lower.startswith("webhook-") and found.setdefault(lower, str(value)) != value:
            raise BadWebhook(f"The header {lower} came twice.")
    id, timestamp = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    if not id or not id.isascii() or not _TIMESTAMP.fullmatch(timestamp):
        raise BadWebhook("It has no webhook-id and webhook-timestamp as Standard Webhooks write them.")
    return id, timestamp, _signatures(found.get("webhook-signature", ""))


def _signatures(header: str) -> list[bytes]:
    found = []
    for part in header.split(" ")[:_MOST_SIGNATURES]:
        version, _, encoded = part.partition(",")
        if version == "v1" and encoded.isascii():
            try:
                found.append(base64.b64decode(encoded, validate=True))
            except binascii.Error:
                continue
    return found
