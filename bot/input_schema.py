"""Whether an input fits the JSON Schema that came with its ask. Nothing is fetched; no schema takes long.

Patterns run in linear time. A schema is counted with every reference written out, since a few lines that refer to each
other could keep this process busy for ever; and it is compared only with inputs that are not too large for it.
The library is loaded where a schema is used first.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

#: How many things that are wrong are said at once.
_MOST = 10
#: Objects in a schema, each reference counted as what it stands for.
MAX_PARTS = 1000
#: Parts of a schema, times bytes of an input, that are compared at all: some hundred milliseconds at worst.
MAX_WORK = 5_000_000
#: Parts, times values in the input, beyond which nobody is told where it does not fit: all that is wrong stands in
#: memory at once, with what was tried in vain.
_MOST_TOLD = 100_000
#: Bytes of one compiled pattern.
_MOST_PATTERN = 1_000_000
#: Where else than at `#/…` a schema could lead. `$id` at the top is only its name.
_LEADING = ("$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor", "$anchor", "$id", "id")


@dataclass(frozen=True, kw_only=True, slots=True)
class InputProblem:
    """One thing that is wrong. `pointer`: RFC 6901 into the input, "" for the whole."""

    pointer: str
    message: str


class _Unbounded(Exception):
    """A schema that could take for ever, or that leads elsewhere."""


def wrong_schema(schema: dict[str, Any]) -> str | None:
    """Why this is no JSON Schema that we can use; None where it is one. Parsed JSON of a limited depth is taken."""
    import jsonschema_rs

    try:
        if _Parts(schema).count(schema) > MAX_PARTS:
            return f"it has more than {MAX_PARTS:,} parts, with every $ref written out"
        _validator(schema)
    except (_Unbounded, ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        return str(error).partition("\n")[0][:300]
    return None


def problems(schema: dict[str, Any], value: Any) -> tuple[InputProblem, ...]:
    """What is wrong with a value, the first ten. The schema is one that `wrong_schema` let through."""
    parts = _Parts(schema).count(schema)
    if parts * len(json.dumps(value, ensure_ascii=False)) > MAX_WORK:
        return (InputProblem(pointer="", message="The input and its schema are too large together."),)
    validator = _validator(schema)
    if validator.is_valid(value):
        return ()
    if parts * _values(value) > _MOST_TOLD:
        return (InputProblem(pointer="", message="It does not fit its schema, and is too large to say where."),)
    found = []
    for error in validator.iter_errors(value):
        pointer = "".join(f"/{_escaped(str(part))}" for part in error.instance_path)
        found.append(InputProblem(pointer=pointer, message=_sentence(error)))
        if len(found) == _MOST:
            break
    return tuple(found)


def _sentence(error: Any) -> str:
    """What is wrong, as whoever fills in a form reads it; the library's own words where there are none of ours."""
    kind = error.kind
    match type(kind).__name__.rpartition("_")[2]:
        case "Enum":
            return f"Must be one of {', '.join(_word(each) for each in kind.options)}."
        case "MaxLength":
            return f"At most {kind.limit:,} characters."
        case "MinLength":
            return f"At least {kind.limit:,} characters."
        case "Maximum":
            return f"At most {_word(kind.limit)}."
        case "Minimum":
            return f"At least {_word(kind.limit)}."
        case "Pattern":
            return f"Must match {kind.pattern}"
    words: str = error.message[:300]
    return words if words.endswith(".") else f"{words}."


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _values(value: Any) -> int:
    """Values in a value, itself and names too."""
    if isinstance(value, dict):
        return 1 + sum(1 + _values(inner) for inner in value.values())
    return 1 + sum(_values(inner) for inner in value) if isinstance(value, list) else 1


class _Parts:
    """Counts the objects of a schema. Each is looked at once, however often it is referred to.

    Names of properties are read like keywords here: what only looks like a reference is refused all the same.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._counts: dict[int, int] = {}
        self._open: set[int] = set()

    def count(self, part: Any) -> int:
        """Raises _Unbounded for what refers to itself, or to somewhere else."""
        if not isinstance(part, dict | list):
            return 0
        known = self._counts.get(id(part))
        if known is not None:
            return known
        if id(part) in self._open:
            raise _Unbounded("it refers to itself: write out as many levels as the input has")
        self._open.add(id(part))
        total = isinstance(part, dict) + sum(self.count(inner) for inner in self._inner(part))
        self._open.remove(id(part))
        self._counts[id(part)] = total
        return total

    def _inner(self, part: dict[str, Any] | list[Any]) -> Iterator[Any]:
        if isinstance(part, list):
            yield from part
            return
        yield from part.values()
        if isinstance(part.get("$ref"), str):
            yield self._target(part["$ref"])
        leading = [name for name in _LEADING if isinstance(part.get(name), str)]
        if leading and not (part is self._schema and leading == ["$id"]):
            raise _Unbounded(f"{leading[0]} is not taken here; use $ref with #/…")

    def _target(self, reference: str) -> Any:
        if reference != "#" and not reference.startswith("#/"):
            raise _Unbounded(f"{reference[:200]} is not part of the schema")
        target: Any = self._schema
        for name in reference.split("/")[1:]:
            target = _step(target, name.replace("~1", "/").replace("~0", "~"))
        return target


def _step(part: Any, name: str) -> Any:
    """Names with percent signs are not found: write them as they are."""
    if isinstance(part, dict) and name in part:
        return part[name]
    if isinstance(part, list) and name.isdecimal() and name.isascii() and int(name) < len(part):
        return part[int(name)]
    raise _Unbounded(f"a $ref leads to {name[:100]!r}, which is not there")


def _validator(schema: dict[str, Any]) -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(
        schema,
        retriever=_refuse,
        pattern_options=jsonschema_rs.RegexOptions(size_limit=_MOST_PATTERN),
        validate_formats=True,
    )


def _refuse(uri: str) -> NoReturn:
    """A schema of a run makes us fetch nothing."""
    raise ValueError(f"{uri} is not part of the schema")


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")
