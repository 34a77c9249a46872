"""Policies: named, in revisions that are kept for ever."""

import asyncio
from dataclasses import replace
from datetime import time, timedelta

import pytest

from store.types import Approvers, Destination, Escalation, OnExpiry, PolicyRef, Reminders, Terms, WorkingHours
from tests.store.contract.makers import ANA, HOUR, NOW, OPS, OTHER, TENANT, a_policy, an_approval, asked, now_is

FULL = Terms(
    policy=PolicyRef(name="prod", revision=4),
    on_expiry=OnExpiry.DENY,
    reminders=Reminders(after=HOUR, most=5, hours=WorkingHours(start=time(8, 30), end=time(17), zone="Asia/Kolkata")),
    escalation=(Escalation(after=HOUR, users=("U0ANA",)), Escalation(after=2 * HOUR, groups=("S0OPS",))),
    extension=timedelta(minutes=90),
    may_edit=True,
)


async def find(store, name="prod", **fields):
    return await store.find_policy(**{"tenant": TENANT, "name": name, **fields})


async def test_a_policy_is_found_with_all_it_holds(store) -> None:
    full = a_policy(
        approvers=Approvers(
            users=("U0ANA", "U0BEN"),
            groups=("S0OPS",),
            keys=("key_cleo",),
            quorum=3,
            denials=2,
            allow_requester=True,
            require_reason=True,
        ),
        destination=Destination(channels=("C0DEPLOY",), users=("U0ANA",), thread_ts=None),
        tools=("deploy.*", "mail.send"),
        max_expires=timedelta(hours=4),
        terms=FULL,
    )

    stored = await store.set_policy(policy=full)

    assert stored == replace(full, revision=1)
    assert await find(store) == stored
    assert await store.list_policies(tenant=TENANT) == [stored]


async def test_each_change_is_the_next_revision_and_all_are_kept(store) -> None:
    first = await store.set_policy(policy=a_policy())
    second = await store.set_policy(policy=a_policy(tools=(), set_by=ANA, set_at=NOW + HOUR, revision=70))
    third = await store.set_policy(policy=a_policy(set_at=NOW + 2 * HOUR))

    assert [each.revision for each in (first, second, third)] == [1, 2, 3]
    assert await find(store) == third
    assert await find(store, revision=1) == first
    assert await find(store, revision=2) == second
    assert await find(store, revision=4) is None
    assert list(await store.list_revisions(tenant=TENANT, name="prod")) == [third, second, first]
    assert list(await store.list_policies(tenant=TENANT)) == [third]


async def test_the_same_content_again_stores_nothing(store) -> None:
    first = await store.set_policy(policy=a_policy())

    again = await store.set_policy(policy=a_policy(set_by=ANA, set_at=NOW + HOUR))

    assert again == first
    assert (again.set_by, again.set_at) == (OPS, NOW)
    assert len(await store.list_revisions(tenant=TENANT, name="prod")) == 1


async def test_a_removed_policy_is_found_only_by_its_revision(store) -> None:
    first = await store.set_policy(policy=a_policy())
    removed = await store.set_policy(policy=a_policy(removed=True))

    assert await find(store) is None
    assert await find(store, revision=1) == first
    assert await find(store, revision=2) == removed
    assert list(await store.list_policies(tenant=TENANT)) == []
    assert list(await store.list_revisions(tenant=TENANT, name="prod")) == [removed, first]

    back = await store.set_policy(policy=a_policy())
    assert back.revision == 3
    assert await find(store) == back


async def test_policies_are_listed_by_name(store) -> None:
    names = ["b", "a", "B", "ä", "a.b"]
    for name in names:
        await store.set_policy(policy=a_policy(name=name))
        await store.set_policy(policy=a_policy(name=name, tools=()))

    listed = await store.list_policies(tenant=TENANT)

    assert [(each.name, each.revision) for each in listed] == [(name, 2) for name in sorted(names)]


async def test_a_tenant_sees_its_own_policies(store) -> None:
    mine = await store.set_policy(policy=a_policy())
    theirs = await store.set_policy(policy=a_policy(tenant=OTHER, tools=()))

    assert theirs.revision == 1
    assert await find(store) == mine
    assert await find(store, tenant=OTHER) == theirs
    assert list(await store.list_policies(tenant=OTHER)) == [theirs]
    assert await find(store, "staging") is None
    assert list(await store.list_revisions(tenant="none", name="prod")) == []


async def test_changes_at_once_are_a_revision_each(store) -> None:
    set_ = await asyncio.gather(*(store.set_policy(policy=a_policy(tools=(f"tool-{n}",))) for n in range(8)))

    assert sorted(each.revision for each in set_) == list(range(1, 9))
    kept = await store.list_revisions(tenant=TENANT, name="prod")
    assert list(kept) == sorted(set_, key=lambda each: -each.revision)


async def test_the_same_change_at_once_is_one_revision(store) -> None:
    set_ = await asyncio.gather(*(store.set_policy(policy=a_policy()) for _ in range(8)))

    assert {each.revision for each in set_} == {1}


async def test_what_is_asked_keeps_its_terms(store) -> None:
    approval = await asked(store, an_approval(terms=FULL))

    assert await now_is(store, approval) == approval
    (event,) = await store.list_events(tenant=TENANT, interaction_id=approval.id)
    assert event.details == {"policy": "prod", "revision": 4}


@pytest.mark.parametrize(
    ("tools", "tool", "covered"),
    [
        ((), "deploy.api", True),
        ((), None, True),
        (("deploy.*",), "deploy.api", True),
        (("deploy.*",), "deploy", False),
        (("deploy.*",), None, False),
        (("mail", "deploy"), "deploy", True),
        (("deploy",), "deploy.api", False),
        (("*",), "mail", True),
    ],
)
def test_a_policy_covers_the_tools_that_it_names(tools, tool, covered) -> None:
    assert a_policy(tools=tools).covers(tool) is covered
