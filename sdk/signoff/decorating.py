"""`signoff.requires_approval`: the decorator for functions whose client comes from the environment."""

import inspect
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, Unpack, overload

from signoff import tools
from signoff.approving import ApprovedTool, OnDenial
from signoff.asynchronous import AsyncSignoff
from signoff.client import Signoff

P = ParamSpec("P")
R = TypeVar("R")


class _Same(Protocol):
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...


class _OrText(Protocol):
    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R | str]]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R | str]: ...


@overload
def requires_approval(
    *,
    title: str | None = None,
    tool_name: str | None = None,
    leave_out: Collection[str] = (),
    on_denial: Literal["raise"] = "raise",
    **terms: Unpack[ApprovedTool],
) -> _Same: ...
@overload
def requires_approval(
    *,
    title: str | None = None,
    tool_name: str | None = None,
    leave_out: Collection[str] = (),
    on_denial: Literal["text"],
    **terms: Unpack[ApprovedTool],
) -> _OrText: ...
def requires_approval(
    *,
    title: str | None = None,
    tool_name: str | None = None,
    leave_out: Collection[str] = (),
    on_denial: OnDenial = "raise",
    **terms: Unpack[ApprovedTool],
) -> Any:
    """As `Signoff.requires_approval`, for a function or an async one, with a client of SIGNOFF_URL and SIGNOFF_KEY.

    The client is made at each call. Which run asks is said by `with so.run("agent-42"):`, by `run_id=`, by
    SIGNOFF_RUN_ID or by the CI system.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        tool = tools.Tool(
            function, title=title, tool_name=tool_name, leave_out=leave_out, on_denial=on_denial, terms=terms
        )
        if inspect.iscoroutinefunction(function):
            return tools.looped(function, tool, AsyncSignoff)
        return tools.threaded(function, tool, Signoff)

    return decorate
