"""What `--app` names: handlers, runtimes, or both in one module."""

import sys
import textwrap
from pathlib import Path

import pytest

from bot.resume.handlers import BadApp
from bot.resume.hosted_app import load_app

BOTH = """
from bot.resume import on_resume

@on_resume("refund")
async def refund(resumed): ...

class Runtime:
    async def work(self, *, call, worker): ...

class Other:
    async def work(self, tools): ...

class Sly:
    def __getattr__(self, name):
        raise RuntimeError("nobody asked")

runtime = Runtime()
same = runtime
second = Runtime()
other, sly, number = Other(), Sly(), 1
handlers = [refund]
"""


@pytest.fixture
def shop(tmp_path: Path):
    (tmp_path / "hosted_shop.py").write_text(textwrap.dedent(BOTH))
    sys.path.insert(0, str(tmp_path))
    yield "hosted_shop"
    sys.path.remove(str(tmp_path))
    sys.modules.pop("hosted_shop", None)


def test_a_module_may_have_handlers_and_runtimes(shop: str) -> None:
    app = load_app(shop)
    module = sys.modules[shop]

    assert app.handlers.names == {"refund"}
    assert app.runtimes == (module.runtime, module.second)


def test_a_name_in_a_module_is_that_alone(shop: str) -> None:
    runtime = load_app(f"{shop}:second")
    handlers = load_app(f"{shop}:handlers")

    assert (runtime.runtimes, runtime.handlers.names) == ((sys.modules[shop].second,), frozenset())
    assert (handlers.runtimes, handlers.handlers.names) == ((), {"refund"})
    assert load_app(None).runtimes == ()


@pytest.mark.parametrize("name", ["other", "sly", "Runtime", "number"])
def test_what_does_not_work_on_runs_is_no_runtime(shop: str, name: str) -> None:
    with pytest.raises(BadApp, match="no handler and no runtime"):
        load_app(f"{shop}:{name}")
