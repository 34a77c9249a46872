"""Keys, installations, and what every store can say of itself."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import UTC

import pytest

from store import errors
from store.open import open_store
from store.types import Installation, Scope
from tests.store.contract.makers import HOUR, MINUTE, NOW, OTHER, TENANT, a_key, asked

BOUND = Installation(
    tenant=TENANT,
    team_id="T1",
    enterprise_id=None,
    app_id="A1",
    bot_user_id="UBOT",
    bot_id="B1",
    team_name="Acme",
    team_url="https://acme.example/",
    bound_at=NOW,
)


async def test_a_key_is_found_by_the_hash_of_its_secret(store) -> None:
    key = a_key(
        scopes=frozenset(Scope),
        expires_at=NOW + HOUR,
        any_approvers=True,
        owner="U0ANA",
        policies=("prod", "data"),
    )

    await store.create_key(key=key, secret_sha256="aa")

    assert await store.find_key(secret_sha256="aa") == key
    assert await store.find_key(secret_sha256="bb") is None


async def test_a_name_is_one_unrevoked_key_of_its_tenant(store) -> None:
    key = a_key()
    await store.create_key(key=key, secret_sha256="aa")

    with pytest.raises(errors.Conflict) as raised:
        await store.create_key(key=a_key(), secret_sha256="bb")
    await store.create_key(key=a_key(tenant=OTHER), secret_sha256="cc")

    assert raised.value.id == key.id
    assert await store.find_key(secret_sha256="bb") is None
    assert await store.revoke_key(tenant=TENANT, name="ci-bot", at=NOW + MINUTE)
    await store.create_key(key=a_key(), secret_sha256="dd")


async def test_a_revoked_key_is_still_found_and_says_so(store) -> None:
    key = a_key()
    await store.create_key(key=key, secret_sha256="aa")

    assert await store.revoke_key(tenant=TENANT, name="ci-bot", at=NOW + MINUTE)
    assert not await store.revoke_key(tenant=TENANT, name="ci-bot", at=NOW + HOUR)
    assert not await store.revoke_key(tenant=OTHER, name="ci-bot", at=NOW)

    assert await store.find_key(secret_sha256="aa") == replace(key, revoked_at=NOW + MINUTE)


async def test_keys_are_listed_oldest_first(store) -> None:
    second, first = a_key(created_at=NOW + HOUR), a_key(name="old")
    await store.create_key(key=second, secret_sha256="bb")
    await store.create_key(key=first, secret_sha256="aa")
    await store.create_key(key=a_key(tenant=OTHER), secret_sha256="cc")

    assert list(await store.list_keys(tenant=TENANT)) == [first, second]


async def test_of_two_keys_of_one_name_at_once_one_is_made(store) -> None:
    made = await asyncio.gather(
        *(store.create_key(key=a_key(), secret_sha256=f"{n}") for n in range(8)), return_exceptions=True
    )

    assert sum(isinstance(each, errors.Conflict) for each in made) == 7
    assert len(await store.list_keys(tenant=TENANT)) == 1


async def test_a_tenant_is_bound_once_and_its_names_are_refreshed(store) -> None:
    assert await store.find_installation(tenant=TENANT) is None
    assert await store.bind_installation(installation=BOUND) == BOUND

    moved = replace(BOUND, enterprise_id="E1", team_name="Acme Inc", bot_user_id="U2", bound_at=NOW + HOUR)
    after = await store.bind_installation(installation=moved)

    assert after == replace(moved, bound_at=NOW)
    assert await store.find_installation(tenant=TENANT) == after
    assert await store.find_installation_of_team(team_id="T1") == after
    assert await store.find_installation_of_team(team_id="T2") is None


async def test_a_tenant_belongs_to_one_workspace(store) -> None:
    await store.bind_installation(installation=BOUND)

    with pytest.raises(errors.WorkspaceMismatch) as raised:
        await store.bind_installation(installation=replace(BOUND, team_id="T2"))

    assert (raised.value.tenant, raised.value.bound, raised.value.given) == (TENANT, "T1", "T2")
    assert await store.find_installation(tenant=TENANT) == BOUND
    other = replace(BOUND, tenant=OTHER, team_id="T2")
    assert await store.bind_installation(installation=other) == other


async def test_a_store_answers_and_knows_the_time(store) -> None:
    await store.ping()

    first, second = await store.now(), await store.now()

    assert first.utcoffset() == UTC.utcoffset(None)
    assert first <= second


async def test_a_clock_that_is_given_is_the_clock(store_url) -> None:
    opened = await open_store(store_url, now=lambda: NOW)

    assert await opened.now() == NOW
    await opened.close()


async def test_changes_can_be_listened_to_and_left(store) -> None:
    async with store.changes() as ids:
        listening = asyncio.ensure_future(anext(ids))
        approval = await asked(store)
        await asyncio.wait([listening], timeout=0.05)
        heard = listening.result() if listening.done() else None
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening

    assert heard in {None, approval.id}
