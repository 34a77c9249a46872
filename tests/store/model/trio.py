"""Memory, SQLite and Postgres, driven by the same calls: each must answer, and stand afterwards, as the others do."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from store import errors
from store.memory import MemoryStore
from store.open import open_store
from store.types import Event, Interaction, Lease, Posting
from tests.store.model.life import Line
from tests.store.model.world import landed, landing

TABLES = ("policies", "stops", "timers", "postings", "events", "interactions")


class Trio:
    """The three, on an event loop of their own."""

    def __init__(self, runner: asyncio.Runner, sqlite_url: str, postgres_url: str) -> None:
        self._runner = runner
        self._databases = {
            "sqlite": runner.run(open_store(sqlite_url)),
            "postgres": runner.run(open_store(postgres_url)),
        }
        self._stores: dict[str, Any] = {"memory": MemoryStore(), **self._databases}
        self._leases: dict[tuple[str, int], Lease] = {}

    def close(self) -> None:
        for store in self._databases.values():
            self._runner.run(store.close())

    def empty(self) -> None:
        """Begin anew."""
        self._stores["memory"] = MemoryStore()
        self._leases.clear()
        self._runner.run(self._delete())

    async def _delete(self) -> None:
        for name, store in self._databases.items():
            async with store._database.write() as session:
                for table in TABLES:
                    await session.run(f"DELETE FROM {table}", *([[]] if name == "sqlite" else []))

    def call(self, name: str, **values: Any) -> Any:
        """What all of them answer, or the error that all of them raise."""

        async def one(store: Any) -> Any:
            found = await getattr(store, name)(**values)
            return sorted(found, key=lambda each: each.id) if name == "mark_stuck" else found

        return self._all(one)

    def _all(self, one: Callable[[Any], Awaitable[Any]]) -> Any:
        async def every() -> Mapping[str, Any]:
            told = await asyncio.gather(*(_said(one(store)) for store in self._stores.values()))
            return dict(zip(self._stores, told, strict=True))

        answers = self._runner.run(every())
        for name, answer in answers.items():
            assert answer == answers["memory"], f"{name}: {answer!r}\nmemory: {answers['memory']!r}"
        return answers["memory"]

    # --- what is asked of each with words of its own

    def lease(self, number: int, *, now: datetime, until: datetime, limit: int) -> list[str]:
        """Take runs to tell; each store gives a lease of its own."""

        async def every() -> list[list[str]]:
            taken = []
            for name, store in self._stores.items():
                leased = await store.lease_resumptions(
                    now=now, until=until, limit=limit, handlers={"deploy"}, webhooks=True
                )
                if leased:
                    # One token for all that a call took.
                    self._leases[name, number] = leased[0].lease
                taken.append([each.interaction.id for each in leased])
            return taken

        memory, *others = self._runner.run(every())
        assert others == [memory, memory]
        return memory

    def finish(self, number: int, interaction: Interaction, **values: Any) -> bool:
        """Report a telling that went well; with `error`, one that did not."""
        report = "retry_resumption" if "error" in values else "finish_resumption"

        async def every() -> list[bool]:
            leases = ((store, self._leases[name, number]) for name, store in self._stores.items())
            return [
                await getattr(store, report)(interaction=interaction, lease=lease, **values) for store, lease in leases
            ]

        memory, *others = self._runner.run(every())
        assert others == [memory, memory]
        return bool(memory)

    def paint(self, *, now: datetime, until: datetime, numbers: Mapping[str, int]) -> None:
        async def every() -> None:
            for store in self._stores.values():
                for each in await store.lease_postings(now=now, until=until, limit=1000):
                    posting = each.posting
                    line = Line(posting.role.value, posting.address, posting.turn)
                    place = {"channel": landing(posting.address), "ts": landed(numbers[posting.interaction_id], line)}
                    told = {"posting": posting, "lease": each.lease, "painted": posting.wanted, "now": now}
                    assert await store.finish_posting(**told, **place)

        self._runner.run(every())

    # --- how they stand

    def looks(self, tenant: str, ids: Sequence[str]) -> tuple[dict[str, Interaction], dict[str, list[Posting]]]:
        """All interactions of a tenant, and the postings of some, without the ids that each store makes."""

        async def one(store: Any) -> Any:
            page = await store.list_interactions(tenant=tenant, limit=100)
            found = await store.find_postings(tenant=tenant, interaction_ids=ids)
            lines = {id_: sorted((replace(each, id="") for each in found[id_]), key=_line) for id_ in ids}
            return {each.id: each for each in page.items}, lines

        shown: tuple[dict[str, Interaction], dict[str, list[Posting]]] = self._all(one)
        return shown

    def events(self, tenant: str, id: str) -> list[Event]:
        return list(self.call("list_events", tenant=tenant, interaction_id=id))


async def _said(answer: Awaitable[Any]) -> Any:
    """An answer; of an error its words, so that two can be compared."""
    try:
        found = await answer
    except errors.AlreadyResolved as error:
        return "AlreadyResolved", error.interaction
    except (errors.Conflict, errors.NotFound, errors.DigestMismatch, errors.NotClaimant) as error:
        return type(error).__name__, str(error)
    return list(found) if isinstance(found, (list, tuple)) else found


def _line(posting: Posting) -> tuple[str, int, str]:
    return posting.role, posting.turn, posting.address
