"""Code by name: how it is registered, found and hosted, and what is said where that cannot be."""

import pytest

from signoff.runtime import Limits, Runtime
from signoff.runtime.loading import BadApp, load_runtime
from signoff.runtime.slots import Slots


async def greet(input, access):
    return {"hello": input}


def test_code_is_registered_under_its_name_and_stays_callable() -> None:
    runtime = Runtime()

    code = runtime.code("greet")(greet)

    assert runtime.codes == {"greet": code}
    assert code.recovery is None


async def test_registered_code_may_be_called_as_the_function_that_it_is() -> None:
    code = Runtime().code("greet")(greet)

    assert await code("Ana", None) == {"hello": "Ana"}


def test_recover_is_registered_on_the_code() -> None:
    code = Runtime().code("greet")(greet)

    @code.recover
    async def recover(saved, access):
        return None

    assert code.recovery is recover
    with pytest.raises(ValueError, match="has a recover already"):
        code.recover(recover)


def test_code_that_is_not_async_is_refused() -> None:
    with pytest.raises(TypeError, match="the code 'greet' must be an async function"):
        Runtime().code("greet")(lambda given, access: None)


@pytest.mark.parametrize("name", ["", "  ", "n" * 201, None])
def test_code_needs_a_name(name) -> None:
    with pytest.raises(ValueError, match="give the code a name"):
        Runtime().code(name)


def test_two_codes_of_one_name_are_refused() -> None:
    runtime = Runtime()
    runtime.code("greet")(greet)

    with pytest.raises(ValueError, match="two codes are named 'greet'"):
        runtime.code("greet")


def test_more_codes_than_a_worker_leases_are_refused() -> None:
    runtime = Runtime()
    for number in range(200):
        runtime.code(f"code {number}")(greet)

    with pytest.raises(ValueError, match="at most 200 codes"):
        runtime.code("one more")


@pytest.fixture
def module(tmp_path):
    """A module of its own in a folder of its own; its name."""

    def write(text: str, *, name: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return write


CODE = """
from signoff.runtime import Runtime
runtime = Runtime()
other = 3
@runtime.code("a")
async def a(input, access): ...
"""


def test_a_runtime_is_found_by_module_and_attribute_or_as_its_only_one(module, tmp_path) -> None:
    name = module(CODE, name="runs_found")

    assert list(load_runtime(f"{name}:runtime", folder=tmp_path).codes) == ["a"]
    assert list(load_runtime(name, folder=tmp_path).codes) == ["a"]


@pytest.mark.parametrize(
    ("app", "words"),
    [
        ("runs/deploy.py:runtime", "give a module as Python imports it"),
        ("runs_nowhere:runtime", "there is no module runs_nowhere"),
        ("runs_wrong:missing", "has no missing"),
        ("runs_wrong:other", "has no Runtime named other"),
        ("runs_wrong:empty", "no code is registered there"),
        ("runs_wrong", "2 runtimes there; name one as runs_wrong:attribute"),
    ],
)
def test_what_is_no_runtime_is_said_by_name(module, tmp_path, app, words) -> None:
    module(CODE + "\nempty = Runtime()\n", name="runs_wrong")

    with pytest.raises(BadApp, match=words):
        load_runtime(app, folder=tmp_path)


def test_an_error_inside_the_module_comes_through(module, tmp_path) -> None:
    name = module("import no_such_library\n", name="runs_broken")

    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        load_runtime(name, folder=tmp_path)


async def test_no_more_code_runs_at_once_than_there_are_slots() -> None:
    slots = Slots(2)
    await slots.take()
    await slots.take()

    assert slots.free == 0
    slots.give()
    assert await slots.until_free() == 1


def test_limits_that_cannot_hold_a_lease_are_refused() -> None:
    with pytest.raises(ValueError, match="renew_wait"):
        Limits(renew_wait=31)
