"""The machine: small checkers that the tables are built from.

Each checker looks at one value at one pointer and reports to the `Run`. A `Shape` is an object with named fields and no others.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sandbox.validate.errors import Problem
from sandbox.validate.escape import escape, escape_mrkdwn

Surface = Literal["message", "modal", "home"]
Where = Literal["section", "actions", "input", "context", "context_actions", "any"]


@dataclass(slots=True)
class Run:
    """One check. `stored`: count texts as they will be stored (what chat.update does)."""

    surface: Surface
    stored: bool = False
    problems: list[Problem] = field(default_factory=list)

    def fail(self, message: str, at: str, /, **constraint: Any) -> None:
        self.problems.append(Problem(message=message, pointer=at, constraint=constraint))

    def missing(self, name: str, at: str) -> None:
        self.problems.append(Problem(message=f"missing required field: {name}", pointer=at, code="missing_field"))


class Spec(Protocol):
    """Anything that can judge a value."""

    def check(self, value: Any, at: str, run: Run) -> None: ...


Rule = Callable[[dict[str, Any], str, Run], None]


@dataclass(frozen=True, slots=True)
class Field:
    spec: Spec
    required: bool = False


def need(spec: Spec) -> Field:
    return Field(spec, required=True)


def may(spec: Spec) -> Field:
    return Field(spec)


def check_length(length: int, low: int, high: int, at: str, run: Run) -> None:
    """Slack's two sentences about lengths."""
    if length < low:
        run.fail(f"must be more than {low - 1} characters", at, type="min_length", expected=low)
    elif length > high:
        run.fail(f"must be less than {high + 1} characters", at, type="max_length", expected=high)


@dataclass(frozen=True, slots=True)
class Str:
    """A string of `low`-`high` characters; `test` is a further condition, worded `says`."""

    high: int = 3000
    low: int = 0
    test: Callable[[str], bool] | None = None
    says: str = "must be a valid value"

    def check(self, value: Any, at: str, run: Run) -> None:
        if not isinstance(value, str):
            run.fail("must provide a string", at, type="type", expected="string")
            return
        before = len(run.problems)
        check_length(len(value), self.low, self.high, at, run)
        if before == len(run.problems) and self.test is not None and not self.test(value):
            run.fail(self.says, at)


@dataclass(frozen=True, slots=True)
class Bool:
    def check(self, value: Any, at: str, run: Run) -> None:
        if not isinstance(value, bool):
            run.fail("must provide a boolean", at, type="type", expected="boolean")


@dataclass(frozen=True, slots=True)
class Int:
    low: int = 0
    high: int = 2**53

    def check(self, value: Any, at: str, run: Run) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            run.fail("must provide an integer", at, type="type", expected="integer")
        elif value < self.low:
            run.fail(f"must be greater than {self.low - 1}", at, type="minimum", expected=self.low)
        elif value > self.high:
            run.fail(f"must be less than {self.high + 1}", at, type="maximum", expected=self.high)


@dataclass(frozen=True, slots=True)
class Num:
    """Any finite number; `positive`: above 0."""

    positive: bool = False

    def check(self, value: Any, at: str, run: Run) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            run.fail("must provide a number", at, type="type", expected="number")
        elif self.positive and value <= 0:
            run.fail("must be greater than 0", at, type="exclusive_minimum", expected=0)


@dataclass(frozen=True, slots=True)
class Enum:
    values: tuple[Any, ...]

    def check(self, value: Any, at: str, run: Run) -> None:
        if isinstance(value, bool) or value not in self.values:
            run.fail("must be a valid enum value", at, type="enum", expected=list(self.values))


@dataclass(frozen=True, slots=True)
class Items:
    """A list of `low`-`high` things."""

    spec: Spec
    low: int = 0
    high: int = 10_000

    def check(self, value: Any, at: str, run: Run) -> None:
        if not isinstance(value, list):
            run.fail("must provide an array", at, type="type", expected="array")
            return
        if len(value) > self.high:
            run.fail(f"no more than {self.high} items allowed", at, type="max_items", expected=self.high)
        if len(value) < self.low:
            run.fail(f"no less than {self.low} items allowed", at, type="min_items", expected=self.low)
        for number, item in enumerate(value):
            self.spec.check(item, f"{at}/{number}", run)


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with these fields and no others. `typed`: it also has a `type`, which somebody else has read already."""

    fields: Mapping[str, Field]
    rules: tuple[Rule, ...] = ()
    surfaces: tuple[Surface, ...] = ("message", "modal", "home")
    places: tuple[Where, ...] = ()
    typed: bool = False

    def check(self, value: Any, at: str, run: Run) -> None:
        if not isinstance(value, dict):
            run.fail("must provide an object", at, type="type", expected="object")
            return
        before = len(run.problems)
        for name, wanted in self.fields.items():
            if name in value:
                wanted.spec.check(value[name], f"{at}/{name}", run)
            elif wanted.required:
                run.missing(name, at)
        for name in value:
            if name not in self.fields and not (self.typed and name == "type"):
                run.fail(f"invalid additional property: {name}", at, type="additional_properties", expected=False)
        if before == len(run.problems):
            for rule in self.rules:
                rule(value, at, run)


@dataclass(frozen=True, slots=True)
class Typed:
    """An object that says its `type`; `table` holds the shapes. `where`: only elements that may stand there; `only`: only these types."""

    table: Mapping[str, Shape]
    where: Where = "any"
    only: frozenset[str] | None = None

    def check(self, value: Any, at: str, run: Run) -> None:
        if not isinstance(value, dict):
            run.fail("must provide an object", at, type="type", expected="object")
            return
        if "type" not in value:
            run.missing("type", at)
            return
        shape = self._shape(value["type"], run.surface)
        if shape is None:
            expected = [name for name in self.table if self._shape(name, run.surface) is not None]
            run.fail(f"unsupported type: {value['type']}", f"{at}/type", type="enum", expected=expected)
            return
        shape.check(value, at, run)

    def _shape(self, name: Any, surface: Surface) -> Shape | None:
        if not isinstance(name, str) or (self.only is not None and name not in self.only):
            return None
        shape = self.table.get(name)
        if shape is None or surface not in shape.surfaces:
            return None
        return shape if self.where == "any" or self.where in shape.places else None


@dataclass(frozen=True, slots=True)
class Text:
    """A text object. `body`: a long text, counted as stored where the run asks for it; labels are counted as sent."""

    high: int
    kinds: tuple[str, ...] = ("plain_text",)
    body: bool = False

    def check(self, value: Any, at: str, run: Run) -> None:
        if not isinstance(value, dict):
            run.fail("must provide an object", at, type="type", expected="object")
            return
        kind = value.get("type")
        if "type" not in value or "text" not in value:
            run.missing("type" if "type" not in value else "text", at)
            return
        if kind not in self.kinds:
            run.fail(f"unsupported type: {kind}", f"{at}/type", type="enum", expected=list(self.kinds))
            return
        flag = "emoji" if kind == "plain_text" else "verbatim"
        for name in value:
            if name not in ("type", "text", flag):
                run.fail(f"invalid additional property: {name}", at, type="additional_properties", expected=False)
        if flag in value:
            Bool().check(value[flag], f"{at}/{flag}", run)
        self._length(value["text"], kind, f"{at}/text", run)

    def _length(self, text: Any, kind: str, at: str, run: Run) -> None:
        if not isinstance(text, str):
            run.fail("must provide a string", at, type="type", expected="string")
            return
        stored = text
        if run.stored and self.body:
            stored = escape(text) if kind == "plain_text" else escape_mrkdwn(text)
        check_length(len(stored), 1, self.high, at, run)
