"""A decorated function: it runs with what people approved, once, and never before."""

import asyncio
import os
import sys

import pytest

import signoff
from blocks import ids
from signoff.tools import Tool
from tests.e2e.house import ANA, DEPLOYS, plain
from tests.e2e.test_edit import VERSION, edit
from tests.sdk.either import Either

WHERE = {"to": [DEPLOYS], "approvers": [ANA]}
SCHEMA = {
    "type": "object",
    "properties": {"service": {"enum": ["api", "web"]}, "version": {"type": "string"}, "zones": {"type": "integer"}},
}


def tool(so, ran, **terms):
    """`deploy`, decorated through this client, which notes what it was called with."""
    decorate = so.client.requires_approval(**{**WHERE, **terms})
    if so.is_async:

        @decorate
        async def deploy(service: str, version: str = "1.4.2", *, zones: int = 3) -> str:
            ran.append((service, version, zones))
            return f"{service} {version} is live"
    else:

        @decorate
        def deploy(service: str, version: str = "1.4.2", *, zones: int = 3) -> str:
            ran.append((service, version, zones))
            return f"{service} {version} is live"

    return deploy


async def click(here, action=ids.APPROVE):
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, action)
    return card


async def test_it_runs_with_its_arguments_after_people_saw_all_of_them(here, so) -> None:
    ran = []
    deploy = tool(so, ran, title="Deploy {service} {version}")
    with so.client.run("agent-1"):
        calling = asyncio.create_task(so.decorated(deploy, "api"))
    card = await click(here)

    assert await calling == "api 1.4.2 is live"
    assert ran == [("api", "1.4.2", 3)]
    assert plain(card).startswith("Deploy api 1.4.2")
    (found,) = (await so.list(run_id="agent-1")).items
    assert (found.tool_name, found.input) == ("deploy", {"service": "api", "version": "1.4.2", "zones": 3})


async def test_it_runs_with_what_the_approver_made_of_them(here, so) -> None:
    ran = []
    deploy = tool(so, ran, input_schema=SCHEMA, run_id="agent-1")
    calling = asyncio.create_task(so.decorated(deploy, "api"))
    card = await here.card(DEPLOYS)
    (asked,) = (await so.list(run_id="agent-1")).items
    ana = here.slack.person(ANA)
    await edit(here, ana, {"id": asked.id}, card)
    ana.fill_view(ids.TEXT, "1.4.3", block_id=VERSION)
    await ana.submit()
    await ana.submit()

    assert await calling == "api 1.4.3 is live"
    assert ran == [("api", "1.4.3", 3)]


async def test_the_same_call_again_in_a_run_does_not_run_again(here, so) -> None:
    ran = []
    deploy = tool(so, ran, run_id="agent-1", on_denial="text")
    calling = asyncio.create_task(so.decorated(deploy, "api"))
    await click(here)
    await calling

    assert "already ran" in await so.decorated(deploy, "api")
    assert len(ran) == 1


async def test_what_is_meant_twice_is_named_twice(here, so) -> None:
    ran = []
    deploy = tool(so, ran)
    for count, operation in enumerate(("call-1", "call-2"), 1):
        with so.client.run("agent-1", operation_id=operation):
            calling = asyncio.create_task(so.decorated(deploy, "api"))
        card = await here.card(DEPLOYS, count=count)
        await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
        await calling

    assert len(ran) == 2
    with pytest.raises(signoff.NoRun):
        await so.decorated(deploy, "api")


async def test_a_model_reads_why_its_tool_did_not_run(here, so) -> None:
    ran = []
    deploy = tool(so, ran, run_id="agent-1", on_denial="text")
    calling = asyncio.create_task(so.decorated(deploy, "api"))
    await click(here, ids.DENY)

    assert await calling == "Denied by @ana. No reason was given."
    assert ran == []


async def test_a_model_reads_that_people_still_think(here, so) -> None:
    ran = []
    deploy = tool(so, ran, run_id="agent-1", on_denial="text", timeout=0)

    said = await so.decorated(deploy, "api")

    assert "is not decided yet. The ask stays open" in said
    assert ran == []


async def test_a_denial_is_raised_otherwise(here, so) -> None:
    ran = []
    calling = asyncio.create_task(so.decorated(tool(so, ran, run_id="agent-1"), "api"))
    await click(here, ids.DENY)

    with pytest.raises(signoff.Denied):
        await calling
    assert ran == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((object(),), r"deploy\(\)\['service'\] is of the type object, which is not JSON"),
        ((("api", "web"),), "is of the type tuple"),
        (({"zones": {1, 2}},), r"\['service'\]\['zones'\] is of the type set"),
        (({1: "one"},), "has the key 1: keys in JSON are text"),
        ((float("nan"),), "is nan"),
        ((2**53,), "give it as text"),
        (("a\ud800",), "half a character"),
        (("api", "1", "2"), "too many positional arguments"),
        ((), "missing a required argument: 'service'"),
    ],
)
async def test_arguments_that_are_not_json_are_refused_before_anything_is_asked(here, so, arguments, words) -> None:
    ran = []

    with pytest.raises(TypeError, match=words):
        await so.decorated(tool(so, ran, run_id="agent-1"), *arguments)

    assert (ran, (await so.list()).items) == ([], ())


async def test_an_argument_that_is_left_out_is_passed_on_and_not_shown(here) -> None:
    context = object()
    async with signoff.AsyncSignoff(url=here.house.url, key=here.token) as so:

        class Mail:
            @so.requires_approval(leave_out=["self", "context"], **WHERE)
            async def send(self, context, *to: str, **more: str):
                return type(self), context, to, more

        with so.run("agent-1"):
            calling = asyncio.create_task(Mail().send(context, "ana", "ben", subject="Hi"))
        await click(here)

        assert await calling == (Mail, context, ("ana", "ben"), {"subject": "Hi"})
        (found,) = (await so.list(run_id="agent-1")).items
    assert found.input == {"to": ["ana", "ben"], "more": {"subject": "Hi"}}


@pytest.mark.parametrize(
    ("approved", "words"),
    [
        ({"version": "1.4.3"}, "'service' is missing"),
        ({"service": "api", "colour": "blue"}, "'colour' is unknown"),
        (["api"], "no object of arguments"),
    ],
)
def test_what_was_approved_and_does_not_fit_the_function_is_no_call_of_it(approved, words) -> None:
    def deploy(service: str, version: str = "1.4.2") -> None: ...

    deploying = Tool(deploy, title=None, tool_name=None, leave_out=(), on_denial="raise", terms={})

    with pytest.raises(TypeError, match=words):
        deploying.call(("api",), {}).arguments(approved)


def test_a_client_decorates_functions_of_its_own_kind() -> None:
    async def later(): ...

    def now(): ...

    with pytest.raises(TypeError, match="is async: decorate it through an AsyncSignoff"):
        signoff.Signoff(key="so_x").requires_approval()(later)
    with pytest.raises(TypeError, match="is not async"):
        signoff.AsyncSignoff(key="so_x").requires_approval()(now)
    with pytest.raises(TypeError, match="no argument 'self'"):
        signoff.requires_approval(leave_out=["self"])(now)


async def test_without_a_client_it_takes_the_one_of_the_environment(here) -> None:
    program = (
        "import asyncio, sys, signoff\n"
        f"where = {WHERE!r}\n"
        "@signoff.requires_approval(title='Add {a}', **where)\n"
        "def add(a: int, b: int) -> int:\n"
        "    return a + b\n"
        "@signoff.requires_approval(title='Add {a}', **where)\n"
        "async def add_later(a: int, b: int) -> int:\n"
        "    return a + b\n"
        "print(add(1, 2), asyncio.run(add_later(3, 4)))\n"
    )
    given = {"SIGNOFF_URL": here.house.url, "SIGNOFF_KEY": here.token, "SIGNOFF_RUN_ID": "agent-1"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env={**os.environ, **given, "PYTHONPATH": "sdk"}, stdout=asyncio.subprocess.PIPE
    )
    for count in (1, 2):
        card = await here.card(DEPLOYS, count=count)
        await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    out, _ = await process.communicate()

    assert out.split() == [b"3", b"7"]


def test_a_bound_client_is_the_run_of_what_is_called_inside() -> None:
    so = Either(signoff.Signoff(key="so_x", environment={}))
    outer, inner = so.client.run("outer"), so.client.run("inner", operation_id="op")

    def now():
        return so.client._asker.run_of({})

    with outer:
        assert now() == ("outer", None)
        with inner:
            assert now() == ("inner", "op")
            assert outer._asker.run_of({}) == ("outer", None)
            assert so.client._asker.run_of({"run_id": "mine"}) == ("mine", "op")
        assert now() == ("outer", None)
    with pytest.raises(signoff.NoRun, match="Name it"):
        now()
