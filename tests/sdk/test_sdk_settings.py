"""What a client needs, and what it says where that is missing."""

import random
import time
from contextlib import AsyncExitStack

import msgspec
import pytest

import signoff
from signoff.asking import Asker
from signoff.cli.conduct import Job
from signoff.json_input import check_json
from signoff.settings import DEFAULT_URL, read_settings
from signoff.wire import Wire
from tests.sdk.either import Either


def read(**environment):
    return read_settings(url=None, key=None, environment=environment)


def test_the_environment_says_where_it_is_and_what_opens_it() -> None:
    assert read(SIGNOFF_KEY=" so_x\n").url == DEFAULT_URL
    found = read(SIGNOFF_URL="https://so.acme.example/base/", SIGNOFF_KEY="so_x")

    assert (found.url, found.key) == ("https://so.acme.example/base", "so_x")


def test_arguments_go_before_the_environment() -> None:
    found = read_settings(
        url="http://there", key="so_y", environment={"SIGNOFF_URL": "http://here", "SIGNOFF_KEY": "x"}
    )

    assert (found.url, found.key) == ("http://there", "so_y")


def test_without_a_key_it_says_how_to_get_one(kind) -> None:
    with pytest.raises(signoff.NotConfigured, match=r"Set SIGNOFF_KEY.*signoff-bot keys create"):
        kind(environment={})


@pytest.mark.parametrize(
    "url", ["so.acme.example", "ftp://so", "http://", "http://[", "http://me:secret@so", "http://so?key=secret"]
)
def test_what_is_no_address_is_refused_without_showing_a_secret(url) -> None:
    with pytest.raises(signoff.NotConfigured) as refused:
        read(SIGNOFF_URL=url, SIGNOFF_KEY="so_x")

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("key", ["so_é", "so x", "so_x\nHost: there"])
def test_a_key_that_would_bend_a_header_is_refused_and_not_shown(key) -> None:
    with pytest.raises(signoff.NotConfigured) as refused:
        read(SIGNOFF_KEY=key)

    assert key not in str(refused.value)


def test_a_key_is_never_shown() -> None:
    environment = {"SIGNOFF_KEY": "so_secret"}
    wire = Wire(url="http://so", clock=time.monotonic, chance=random.random, patience=1)
    job = Job(
        command=["true"], worker="w", report_within=60, lines=1, secrets=["so_secret"], on_stop="end", to_stderr=False
    )

    shown = [repr(read(**environment)), repr(Asker(wire=wire, environment=environment)), repr(job)]

    assert not [each for each in shown if "so_secret" in each]


async def test_a_key_that_nobody_knows_is_said_at_once(here, kind) -> None:
    client = Either(kind(url=here.house.url, key="so_unknown", environment={}))

    with pytest.raises(signoff.Unauthorized):
        await client.me()
    await client.close()


async def test_a_word_that_no_ask_has_is_refused_as_python_would(so) -> None:
    with pytest.raises(TypeError, match=r"request_approval\(\) got an unexpected keyword argument 'aprovers'"):
        await so.request(aprovers=["@ana"])
    with pytest.raises(TypeError, match=r"ask_questions\(\) got an unexpected keyword argument 'risk'"):
        await so.ask_questions([signoff.Question("why", "Why?")], run_id="run-1", risk="low")
    with pytest.raises(TypeError, match="whole seconds"):
        await so.request(expires_in=1.5)


async def test_who_asks_without_naming_a_run_is_told_how(so) -> None:
    with pytest.raises(signoff.NoRun, match="Which run asks"):
        await so.request_approval("Deploy", to="C0", approvers="U0")


def test_what_nests_too_deep_is_no_input() -> None:
    value = []
    for _ in range(32):
        value = [value]

    with pytest.raises(TypeError, match="nests deeper than 32"):
        check_json(value)
    check_json(value[0])


async def test_an_approval_that_came_from_elsewhere_says_how_to_execute_it(so) -> None:
    asked = msgspec.json.decode(msgspec.json.encode(await so.request()), type=signoff.Approval)

    with pytest.raises(TypeError, match=r"so\.execution\(approval\)"):
        asked.execution()


async def test_a_blocking_client_is_no_async_one(so) -> None:
    asked = await so.request()

    async with AsyncExitStack() as stack:
        enter = stack.enter_context if so.is_async else stack.enter_async_context
        with pytest.raises(TypeError, match="context manager"):
            await enter(asked.execution())
