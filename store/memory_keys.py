"""Keys and installations of the memory backend."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from store import errors
from store.types import Installation, Key


class MemoryKeys:
    def __init__(self) -> None:
        self._keys: dict[str, Key] = {}
        self._installations: dict[str, Installation] = {}

    async def create_key(self, *, key: Key, secret_sha256: str) -> None:
        for other in self._keys.values():
            if (other.tenant, other.name) == (key.tenant, key.name) and other.revoked_at is None:
                raise errors.Conflict(id=other.id)
        self._keys[secret_sha256] = key

    async def find_key(self, *, secret_sha256: str) -> Key | None:
        return self._keys.get(secret_sha256)

    async def list_keys(self, *, tenant: str) -> Sequence[Key]:
        mine = (key for key in self._keys.values() if key.tenant == tenant)
        return sorted(mine, key=lambda key: (key.created_at, key.id))

    async def revoke_key(self, *, tenant: str, name: str, at: datetime) -> bool:
        for secret, key in self._keys.items():
            if (key.tenant, key.name) == (tenant, name) and key.revoked_at is None:
                self._keys[secret] = replace(key, revoked_at=at)
                return True
        return False

    async def bind_installation(self, *, installation: Installation) -> Installation:
        bound = self._installations.get(installation.tenant)
        if bound is not None and bound.team_id != installation.team_id:
            raise errors.WorkspaceMismatch(tenant=installation.tenant, bound=bound.team_id, given=installation.team_id)
        kept = replace(installation, bound_at=bound.bound_at) if bound is not None else installation
        self._installations[kept.tenant] = kept
        return kept

    async def find_installation(self, *, tenant: str) -> Installation | None:
        return self._installations.get(tenant)

    async def find_installation_of_team(self, *, team_id: str) -> Installation | None:
        of_team = (each for each in self._installations.values() if each.team_id == team_id)
        return min(of_team, key=lambda each: (each.bound_at, each.tenant), default=None)
