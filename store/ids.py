"""Ids: a prefix, the time, then chance. They sort by age, are never secret, and end in the short code."""

import secrets
from datetime import datetime

#: Crockford's base 32: no I, L, O, U, so that people can read a code aloud.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME_DIGITS = 10
_CHANCE_DIGITS = 16


def _encode(number: int, digits: int) -> str:
    letters = []
    for _ in range(digits):
        number, rest = divmod(number, 32)
        letters.append(ALPHABET[rest])
    return "".join(reversed(letters))


def new_id(prefix: str, *, now: datetime) -> str:
    """`apr_` + 26 letters: 48 bits of milliseconds, 80 bits of chance (the layout of a ULID)."""
    milliseconds = int(now.timestamp() * 1000)
    return f"{prefix}_{_encode(milliseconds, _TIME_DIGITS)}{_encode(secrets.randbits(80), _CHANCE_DIGITS)}"


def new_token() -> str:
    """A fencing token for a lease; unguessable, but not a credential."""
    return secrets.token_hex(16)
