"""A function that runs only when people allow it: its arguments are what they see, and what they allow is what it gets."""

import functools
import inspect
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from signoff.approving import OnDenial
from signoff.json_input import check_json

if TYPE_CHECKING:
    from signoff.asynchronous import AsyncCalls
    from signoff.client import Calls

R = TypeVar("R")

_MOST_TITLE = 150


class Tool:
    """A function, and what is asked before it runs.

    `title`: may name arguments in braces, such as "Deploy {service}"; without it, "Run NAME". `leave_out`: arguments
    that nobody sees and nobody can change, such as `self` or a context.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        title: str | None,
        tool_name: str | None,
        leave_out: Collection[str],
        on_denial: OnDenial,
        terms: Mapping[str, Any],
    ) -> None:
        self.name = tool_name or function.__name__
        self.on_denial = on_denial
        self.terms = terms
        self._signature = inspect.signature(function)
        self._title = title or f"Run {self.name}"
        self._left_out = frozenset(leave_out)
        unknown = self._left_out - set(self._signature.parameters)
        if unknown:
            raise TypeError(f"{self.name}() has no argument {min(unknown)!r} to leave out")

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "ToolCall":
        """Raises TypeError: arguments that do not fit the function, or are not JSON. Nothing is asked then."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        shown = {name: value for name, value in bound.arguments.items() if name not in self._left_out}
        for name, parameter in self._signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL and name in shown:
                shown[name] = list(shown[name])
        check_json(shown, what=f"{self.name}()")
        hidden = {name: value for name, value in bound.arguments.items() if name in self._left_out}
        return ToolCall(signature=self._signature, input=shown, hidden=hidden, title=self._words(shown))

    def _words(self, shown: Mapping[str, Any]) -> str:
        title = self._title.format_map(shown)
        return title if len(title) <= _MOST_TITLE else f"{title[: _MOST_TITLE - 1]}…"


class ToolCall:
    """One call: what people are shown of it, and the way back from what they approved."""

    def __init__(
        self, *, signature: inspect.Signature, input: dict[str, Any], hidden: Mapping[str, Any], title: str
    ) -> None:
        self._signature = signature
        self._hidden = hidden
        self.input = input
        self.title = title

    def arguments(self, approved: Any) -> inspect.BoundArguments:
        """The arguments to call it with. Raises TypeError where what was approved does not fit the function."""
        if not isinstance(approved, dict):
            raise TypeError(f"what was approved is no object of arguments: {approved!r}")
        given = {**approved, **self._hidden}
        unknown = given.keys() - self._signature.parameters.keys()
        missing = self._signature.parameters.keys() - given.keys()
        required = {name for name in missing if self._is_required(name)}
        if unknown or required:
            wrong = min(unknown or required)
            raise TypeError(
                f"what was approved does not fit the function: {wrong!r} is {'unknown' if unknown else 'missing'}"
            )
        ordered = {name: given[name] for name in self._signature.parameters if name in given}
        for name, parameter in self._signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL and name in ordered:
                ordered[name] = tuple(ordered[name])
        bound = inspect.BoundArguments(self._signature, ordered)
        bound.apply_defaults()
        return bound

    def _is_required(self, name: str) -> bool:
        parameter = self._signature.parameters[name]
        variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
        return parameter.default is inspect.Parameter.empty and parameter.kind not in variable


def threaded(function: Callable[..., R], tool: Tool, opened: Callable[[], AbstractContextManager["Calls"]]) -> Any:
    """The function, behind an approval. `opened`: the client to ask through. Raises TypeError: it is async."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{tool.name} is async: decorate it through an AsyncSignoff, or with signoff.requires_approval")

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> R | str:
        call = tool.call(args, kwargs)
        ask = {**tool.terms, "tool_name": tool.name, "input": call.input}
        with opened() as so, so.approved(call.title, on_denial=tool.on_denial, **ask) as action:
            if action.refusal is not None:
                return str(action.refusal)
            approved = call.arguments(action.input)
            return function(*approved.args, **approved.kwargs)

    return run


def looped(
    function: Callable[..., Coroutine[Any, Any, R]],
    tool: Tool,
    opened: Callable[[], AbstractAsyncContextManager["AsyncCalls"]],
) -> Any:
    """As `threaded`. Raises TypeError: it is not async."""
    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"{tool.name} is not async: decorate it through a Signoff, or with signoff.requires_approval")

    @functools.wraps(function)
    async def run(*args: Any, **kwargs: Any) -> R | str:
        call = tool.call(args, kwargs)
        ask = {**tool.terms, "tool_name": tool.name, "input": call.input}
        async with opened() as so, so.approved(call.title, on_denial=tool.on_denial, **ask) as action:
            if action.refusal is not None:
                return str(action.refusal)
            approved = call.arguments(action.input)
            return await function(*approved.args, **approved.kwargs)

    return run
