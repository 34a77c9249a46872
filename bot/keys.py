"""API keys: how one is made, read back and recognised. Only the hash of its secret is ever stored."""

import hashlib
import re
import secrets
import string
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from store.protocol import Keys
from store.types import Key, Scope

#: The id of the key of the service's own code; those that are made are longer.
IN_HOUSE = "key_in_house"
_ID_LETTERS = string.ascii_letters + string.digits
_ID_LENGTH = 22
_SECRET_BYTES = 32
_TOKEN = re.compile(r"so_([0-9A-Za-z]{22})_([0-9A-Za-z_-]{43})")


class BothScopes(ValueError):
    """A key that asks and decides could approve what it asked for; its maker has to say that this is meant."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewKey:
    """A key and its token. The token is shown once and stored nowhere."""

    key: Key
    token: str = field(repr=False)


def make_key(
    *,
    tenant: str,
    name: str,
    scopes: Collection[Scope],
    now: datetime,
    expires_at: datetime | None = None,
    any_approvers: bool = False,
    owner: str | None = None,
    policies: Collection[str] = (),
    both: bool = False,
) -> NewKey:
    """A fresh key (256 bits of chance) that is not stored yet: `await store.create_key(key=…, secret_sha256=…)`.

    Raises:
        BothScopes: `ask` and `decide` without `both`.
    """
    if {Scope.ASK, Scope.DECIDE} <= set(scopes) and not both:
        raise BothScopes("a key with both ask and decide could approve its own asks")
    public = "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
    key = Key(
        tenant=tenant,
        id=f"key_{public}",
        name=name,
        scopes=frozenset(scopes),
        created_at=now,
        expires_at=expires_at,
        any_approvers=any_approvers,
        owner=owner,
        policies=tuple(policies),
    )
    return NewKey(key=key, token=f"so_{public}_{secrets.token_urlsafe(_SECRET_BYTES)}")


def token_sha256(token: str) -> str:
    """What is stored in place of the token. A plain hash is enough for 256 bits of chance."""
    return hashlib.sha256(token.encode()).hexdigest()


async def authenticate(*, keys: Keys, token: str, now: datetime) -> Key | None:
    """The live key of this token; None for anything else: malformed, unknown, expired and revoked look the same."""
    if not _TOKEN.fullmatch(token):
        return None
    key = await keys.find_key(secret_sha256=token_sha256(token))
    return key if key is not None and is_live(key, now=now) else None


def is_live(key: Key, *, now: datetime) -> bool:
    """Neither revoked nor expired."""
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def in_house(*, tenant: str, now: datetime, policy: str | None = None) -> Key:
    """What code that the service itself hosts asks and works with; no token of it exists.

    Its operator named the code, so that it may ask whom it likes, or under any policy that it names.
    """
    return Key(
        tenant=tenant,
        id=IN_HOUSE,
        name="signoff-bot",
        scopes=frozenset({Scope.ASK, Scope.READ, Scope.WORK}),
        created_at=now,
        any_approvers=True,
        policies=() if policy is None else (policy,),
    )
