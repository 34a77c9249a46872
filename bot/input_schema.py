"""Whether an input fits the JSON Schema that came with its ask. Nothing is fetched; patterns run in linear time.

The library is loaded where a schema is used for the first time.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

#: How many things that are wrong are said at once.
_MOST = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class InputProblem:
    """One thing that is wrong. `pointer`: RFC 6901 into the input, "" for the whole."""

    pointer: str
    message: str


def wrong_schema(schema: dict[str, Any]) -> str | None:
    """Why this is no JSON Schema that we can use; None where it is one."""
    import jsonschema_rs

    try:
        _validator(schema)
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        return str(error).partition("\n")[0][:300]
    return None


def problems(schema: dict[str, Any], value: Any) -> tuple[InputProblem, ...]:
    """What is wrong with a value, the first ten."""
    found = []
    for error in _validator(schema).iter_errors(value):
        pointer = "".join(f"/{_escaped(str(part))}" for part in error.instance_path)
        found.append(InputProblem(pointer=pointer, message=error.message[:300]))
        if len(found) == _MOST:
            break
    return tuple(found)


def _validator(schema: dict[str, Any]) -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(
        schema, retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions(), validate_formats=True
    )


def _refuse(uri: str) -> NoReturn:
    """A schema of a run makes us fetch nothing."""
    raise ValueError(f"{uri} is not part of the schema")


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")
