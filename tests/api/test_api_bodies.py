"""Whatever bytes come: a clear answer, nothing stored, never a 500."""

import gzip
import io
import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.api.route import PLACE
from bot.api.table import ROUTES
from tests.api.site import Site, approval, questions

GOOD = json.dumps(approval()).encode()
POSTS = [PLACE.sub("apr_1", route.path) for route in ROUTES if route.method == "POST"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"  ",
        b"{",
        b"nonsense",
        b'{"run_id": NaN}',
        b'{"run_id": Infinity}',
        b'{"run_id": 1e999}',
        b'{"run_id": "a", "run_id": "b"}',
        b'{"input": {"a": {"b": 1, "b": 2}}}',
        b'{"run_id": "a\\u0000b"}',
        b'{"a\\u0000b": 1}',
        b'{"run_id": "\\ud800"}',
        b'{"input": 9007199254740993}',
        b'{"input": -99999999999999999999999}',
        b'{"run_id": "\xff\xfe"}',
        b"\xef\xbb\xbf{}",
        b'{"input": ' + b"[" * 70 + b"]" * 70 + b"}",
        b"[" * 100_000,
        b'{"run_id": "tab\tinside"}',
    ],
)
async def test_what_is_no_acceptable_json_is_400(site: Site, body: bytes) -> None:
    for path in ("/v1/approvals", "/v1/questions"):
        reply = await site.call("POST", path, data=body)
        assert (reply.status, reply.code) == (400, "bad_json")


async def test_a_pointer_leads_to_what_is_not_acceptable(site: Site) -> None:
    reply = await site.call("POST", "/v1/approvals", data=b'{"input": {"a/b": [1, {"x": 1, "x": 2}]}}')

    assert reply.pointers == ["/input/a~1b/1/x"]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("body", [b"[]", b"null", b'"text"', b"5", b"true"])
async def test_what_is_no_object_is_422(site: Site, path: str, body: bytes) -> None:
    reply = await site.call("POST", path, data=body)

    assert (reply.status, reply.code) == (422, "invalid")


@pytest.mark.parametrize("path", POSTS)
async def test_every_post_refuses_no_body_at_all(site: Site, path: str) -> None:
    reply = await site.call("POST", path)

    assert (reply.status, reply.code) == (400, "bad_json")


async def test_a_body_over_the_limit_is_413_however_it_comes(site: Site) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(160):
            yield b" " * 65_536

    headers = {"Authorization": f"Bearer {site.token}"}
    for size in (256 * 1024 + 1, 10_000_000):
        reply = await site.raw("POST", "/v1/approvals", data=io.BytesIO(b" " * size), headers=headers)
        assert (reply.status, reply.code) == (413, "too_large")
    reply = await site.raw("POST", "/v1/approvals", data=pieces(), headers=headers)
    assert (reply.status, reply.code) == (413, "too_large")


async def test_a_body_at_the_limit_is_read(site: Site) -> None:
    reply = await site.call("POST", "/v1/approvals", data=GOOD.ljust(256 * 1024))

    assert reply.status == 201


async def test_a_small_body_that_unpacks_to_a_large_one_is_413(site: Site) -> None:
    headers = {"Authorization": f"Bearer {site.token}", "Content-Encoding": "gzip"}
    bomb = await site.raw("POST", "/v1/approvals", data=gzip.compress(b" " * 50_000_000), headers=headers)
    broken = await site.raw("POST", "/v1/approvals", data=b"no gzip at all", headers=headers)

    assert (bomb.status, bomb.code) == (413, "too_large")
    assert broken.status == 400


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", ""]
)
async def test_json_under_another_name_is_read_as_json(site: Site, content_type: str) -> None:
    headers = {"Authorization": f"Bearer {site.token}", "Content-Type": content_type}
    reply = await site.raw("POST", "/v1/approvals", data=GOOD, headers=headers)

    assert reply.status == 201


async def test_control_and_bidi_characters_are_kept_for_the_card_to_show(site: Site) -> None:
    title = "Deploy\u202e \x07 now"
    reply = await site.call("POST", "/v1/approvals", approval(title=title))

    assert (reply.status, reply.json["title"]) == (201, title)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
_FIELDS = sorted({*approval(), *questions(), "answers", "decision", "digest", "claim_id", "status", "resume", "users"})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=6), path=st.sampled_from(POSTS))
async def test_no_body_makes_it_fall_over(site: Site, body: dict[str, object], path: str) -> None:
    for sent in (body, {**approval(), **body}, {**questions(), **body}):
        reply = await site.call("POST", path, data=json.dumps(sent).encode())
        assert reply.status < 500
