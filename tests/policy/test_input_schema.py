"""A run's own JSON Schema: what it may say of an input, and that no schema fetches anything or takes long."""

import json
import time
from typing import Any

import pytest

from bot.input_schema import MAX_PARTS, problems, wrong_schema

DEPLOY = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.com/deploy.json",
    "type": "object",
    "required": ["tag"],
    "additionalProperties": False,
    "properties": {
        "tag": {"type": "string", "pattern": "^v[0-9.]+$"},
        "zones": {"type": "array", "items": {"$ref": "#/$defs/zone"}},
        "a/b": {"$ref": "#/$defs/zone"},
    },
    "$defs": {"zone": {"enum": [1, 2, 3]}},
}


def doubling(levels: int) -> dict[str, Any]:
    """A few lines that stand for 2 ** levels parts."""
    parts = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/a0", "$defs": {**parts, f"a{levels}": {"type": "integer"}}}


def test_a_schema_says_what_is_wrong_and_where() -> None:
    assert wrong_schema(DEPLOY) is None
    assert problems(DEPLOY, {"tag": "v1.4", "zones": [1, 3]}) == ()
    found = problems(DEPLOY, {"tag": "latest", "zones": [1, 9], "a/b": 9})

    assert sorted(problem.pointer for problem in found) == ["/a~1b", "/tag", "/zones/1"]
    assert all(problem.message for problem in found)


def test_at_most_ten_things_are_said_at_once() -> None:
    assert len(problems({"items": {"type": "string"}}, list(range(100)))) == 10


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "nonsense"}, "is not valid"),
        ({"type": 5}, "is not valid"),
        ({"required": "tag"}, "is not of type"),
        ({"pattern": "("}, 'is not a "regex"'),
        ({"pattern": "(?=a)b"}, 'is not a "regex"'),
        ({"pattern": "((a{1000}){1000}){1000}"}, 'is not a "regex"'),
        ({"$schema": "https://example.com/own-meta-schema"}, "Unknown meta-schema"),
        ({"$ref": "https://example.com/x"}, "https://example.com/x is not part of the schema"),
        ({"$ref": "file:///etc/passwd"}, "file:///etc/passwd is not part of the schema"),
        ({"$ref": "other.json#/x"}, "other.json#/x is not part of the schema"),
        ({"$ref": "#named"}, "#named is not part of the schema"),
        ({"$ref": "#/nope"}, "leads to 'nope', which is not there"),
        ({"allOf": [{}], "$ref": "#/allOf/1"}, "leads to '1', which is not there"),
        ({"$ref": "#"}, "it refers to itself"),
        ({"allOf": [{"$ref": "#"}]}, "it refers to itself"),
        ({"properties": {"next": {"$ref": "#"}}}, "it refers to itself"),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "it refers to itself"),
        ({"properties": {"x": {"$id": "https://example.com/", "$ref": "#/y"}}}, "leads to 'y'"),
        ({"properties": {"x": {"$id": "https://example.com/"}}}, "$id is not taken here"),
        ({"properties": {"x": {"$dynamicRef": "#x"}}}, "$dynamicRef is not taken here"),
        ({"$anchor": "x"}, "$anchor is not taken here"),
        (doubling(60), "it has more than 1,000 parts, with every $ref written out"),
        ({"allOf": [{}] * MAX_PARTS}, "it has more than 1,000 parts"),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_what_is_no_schema_or_no_bounded_one_is_refused(schema: dict[str, Any], words: str) -> None:
    assert words in str(wrong_schema(schema))


def test_a_schema_may_have_as_many_parts_as_there_is_room_for() -> None:
    assert wrong_schema({"allOf": [{} for _ in range(MAX_PARTS - 1)]}) is None
    assert wrong_schema({"allOf": [{} for _ in range(MAX_PARTS)]}) is not None
    assert wrong_schema(doubling(6)) is None


def test_a_pattern_that_ruins_other_engines_takes_no_time() -> None:
    began = time.process_time()
    found = problems({"pattern": "^(a+)+$"}, "a" * 50_000 + "!")

    assert len(found) == 1
    assert time.process_time() - began < 1


def test_the_largest_that_is_compared_takes_little_time() -> None:
    schema = {"items": {"allOf": [{"pattern": "^(x+x+)+y$"} for _ in range(MAX_PARTS - 110)]}}
    assert wrong_schema(schema) is None
    began = time.process_time()
    found = problems(schema, ["x" * 50] * 100)

    assert len(found) == 10
    assert time.process_time() - began < 4


def test_an_input_that_is_too_large_for_its_schema_is_not_compared() -> None:
    schema = {"items": {"anyOf": [{"const": n} for n in range(900)]}}
    (found,) = problems(schema, [1] * 32_000)

    assert (found.pointer, found.message) == ("", "The input and its schema are too large together.")


def test_where_all_that_is_wrong_would_not_fit_into_memory_it_is_said_at_once() -> None:
    schema = {"anyOf": [{"items": {"const": n}} for n in range(400)]}
    (found,) = problems(schema, [401] * 900)

    assert found.message == "It does not fit its schema, and is too large to say where."
    assert problems(schema, [7] * 900) == ()
