"""The front's own decoder of forms, beside the standard library's."""

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.front import MAX_FIELDS, decode, form

FORM = "application/x-www-form-urlencoded"
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
NAMES = WORDS.filter(bool)
#: Whatever may stand between two escapes that are whole: signs of quoted-printable among them.
PIECES = st.sampled_from(
    [b"%3D", b"%0a", b"%0D%0A", b"=", b"\r\n", b"\n", b" ", b"_", b"+", b"a", b"3D", b"\xc3\xbc", b"\t"]
)


@given(st.dictionaries(NAMES, WORDS, max_size=5))
def test_what_urlencode_wrote_is_read_back(fields: dict[str, str]) -> None:
    assert form(urlencode(fields).encode()) == fields


@given(st.lists(PIECES, max_size=30).map(b"".join))
def test_any_value_of_whole_escapes_reads_as_the_standard_library_reads_it(value: bytes) -> None:
    raw = b"payload=" + value
    expected = dict(parse_qsl(raw.decode(), keep_blank_values=True, errors="strict"))

    assert form(raw) == expected


@pytest.mark.parametrize("raw", [b"payload=%", b"payload=%4", b"payload=%zz", b"payload=%%41", b"payload=%\n{}"])
def test_half_an_escape_is_no_form(raw: bytes) -> None:
    assert decode(raw, content_type=FORM) is None


@pytest.mark.parametrize("raw", [b"payload=%FF", b"payload=\xff", b"%C3=1"])
def test_text_that_is_not_utf_8_is_no_form(raw: bytes) -> None:
    assert decode(raw, content_type=FORM) is None


def test_more_fields_than_slack_ever_sends_are_no_form() -> None:
    raw = urlencode({f"f{number}": "1" for number in range(MAX_FIELDS + 1)}).encode()

    assert decode(raw, content_type=FORM) is None


def test_the_last_value_of_a_name_counts_and_a_blank_one_is_kept() -> None:
    assert decode(b"command=%2Fold&command=%2Fpending&text=&alone", content_type=FORM) == {
        "command": "/pending",
        "text": "",
        "alone": "",
    }
