"""Whether an input fits the JSON Schema that came with its ask. Nothing is fetched; patterns run in linear time.

The library is loaded where a schema is used for the first time.
"""

import json
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
