"""Strict JSON and the digest of an action."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.digest import MAX_DEPTH, BadJson, action_digest, content_digest, parse_json

SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=10
)


def has_no_nul(value: object) -> bool:
    return "\\u0000" not in json.dumps(value)


@given(VALUES.filter(has_no_nul).filter(lambda value: "inf" not in repr(value)))
def test_what_json_writes_is_read_back(value) -> None:
    assert parse_json(json.dumps(value)) == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    ("text", "pointer", "message"),
    [
        ('{"a": 1, "a": 1}', "/a", "duplicate key"),
        ('[{"x": {"b": 1, "b": 2}}]', "/0/x/b", "duplicate key"),
        ("[1, NaN]", "/1", "NaN"),
        ('{"a/b~c": -Infinity}', "/a~1b~0c", "Infinity"),
        ("[1e999]", "/0", "too large"),
        ("9007199254740992", "", "integer beyond"),
        ('{"n": -9007199254740992}', "/n", "integer beyond"),
        ("9" * 10_000, "", "integer beyond"),
        ('["a\\u0000b"]', "/0", "U+0000"),
        ('{"\\u0000": 1}', "/\\0", "U+0000"),
        ('["\\ud800"]', "/0", "surrogate"),
        ('{"\\udc00": 1}', "/\\udc00", "surrogate"),
        ("[" * 33 + "]" * 33, "/0" * 32, "deeper"),
        ("[" * 100_000, "", "deeper"),
        (b'"\xff"', "", "UTF-8"),
        ("", "", "not JSON"),
        ("{'a': 1}", "", "not JSON"),
        ("\ufeff1", "", "not JSON"),
        ("1 2", "", "not JSON"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused(text, pointer, message) -> None:
    with pytest.raises(BadJson, match=message.replace("+", r"\+")) as raised:
        parse_json(text)

    assert raised.value.pointer == pointer
    str(raised.value).encode()


def test_the_limits_themselves_are_fine() -> None:
    assert parse_json("[9007199254740991, -9007199254740991]") == [2**53 - 1, -(2**53) + 1]
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None


def test_the_digest_is_sha_256_of_the_canonical_action() -> None:
    action = {"body": "b", "details": None, "input": {"a": [1, 2], "b": 1}, "title": "t", "tool_name": "x"}
    canonical = json.dumps(action, separators=(",", ":"), sort_keys=True).encode()

    digest = action_digest(title="t", body="b", tool_name="x", input_json='{"b": 1.0, "a": [1, 2.0]}')

    assert digest == hashlib.sha256(canonical).hexdigest()


def test_each_part_of_the_action_changes_the_digest() -> None:
    base = {"title": "t", "body": "b", "tool_name": "x", "input_json": '{"a": 1}', "details": {"d": 1}}
    others = [
        {**base, name: value}
        for name, values in {
            "title": ["T", "é", "e\u0301"],
            "body": [None, ""],
            "tool_name": [None, "y"],
            "input_json": [None, '{"a": 2}', '{"b": 1}', '{"a": "1"}', "{}"],
            "details": [None, {"d": 2}],
        }.items()
        for value in values
    ]

    assert len({action_digest(**each) for each in [base, *others]}) == len(others) + 1


@given(st.dictionaries(st.text().filter(has_no_nul), st.integers(0, 9), max_size=5), st.randoms())
def test_the_order_of_keys_does_not_matter(value, chance) -> None:
    shuffled = list(value.items())
    chance.shuffle(shuffled)

    assert content_digest(dict(shuffled)) == content_digest(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800"])
def test_what_has_no_canonical_form_has_no_digest(value) -> None:
    with pytest.raises(BadJson):
        content_digest(value)


def test_an_input_that_is_no_strict_json_has_no_digest() -> None:
    with pytest.raises(BadJson):
        action_digest(title="t", body=None, tool_name="x", input_json='{"a": 1, "a": 2}')
