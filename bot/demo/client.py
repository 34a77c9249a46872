"""What a run needs of the HTTP API, in thirty lines; any language could do the same."""

from typing import Any, Self

import aiohttp


class Client:
    """`url`: of the service; `token`: a key with the scopes `ask` and `read`."""

    def __init__(self, *, url: str, token: str) -> None:
        self._session = aiohttp.ClientSession(base_url=url, headers={"Authorization": f"Bearer {token}"})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def send(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """POST; the JSON of the answer. Raises for anything that is not 2xx."""
        async with self._session.post(path, json=body) as reply:
            reply.raise_for_status()
            return dict(await reply.json())

    async def resolved(self, id: str) -> dict[str, Any]:
        """Wait, as long as it takes, until a person or the deadline has resolved it."""
        while True:
            async with self._session.get(f"/v1/interactions/{id}", params={"wait": 60}) as reply:
                reply.raise_for_status()
                found = dict(await reply.json())
            if found["state"] != "pending":
                return found
