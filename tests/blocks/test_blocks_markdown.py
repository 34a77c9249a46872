"""Markdown bodies as rich_text: what people write, and what attackers write."""

from typing import Any

import pytest

from blocks import lines, markdown, richtext
from blocks.lines import Kind


def drawn(source: str) -> list[dict[str, Any]]:
    return lines.elements(markdown.to_lines(source))


def words(source: str) -> str:
    return "".join(part.get("text", "") for line in markdown.to_lines(source) for part in line.parts)


def test_bold_italic_strike_and_code_are_styles() -> None:
    [section] = drawn("a **b** *c* ~~d~~ `e`")

    assert [(part["text"], part.get("style")) for part in section["elements"]] == [
        ("a ", None),
        ("b", {"bold": True}),
        (" ", None),
        ("c", {"italic": True}),
        (" ", None),
        ("d", {"strike": True}),
        (" ", None),
        ("e", {"code": True}),
    ]


def test_paragraphs_are_a_blank_line_apart_and_lines_a_break() -> None:
    [section] = drawn("one\ntwo\n\nthree")

    assert section["elements"] == [{"type": "text", "text": "one\ntwo\n\nthree"}]


def test_a_heading_is_a_bold_line() -> None:
    [section] = drawn("# Plan")

    assert section["elements"] == [richtext.bold("Plan")]


def test_nested_lists_indent_and_an_interrupted_order_goes_on() -> None:
    first, inner, second = drawn("1. one\n   - inner\n2. two")

    assert (first["style"], first["indent"], first.get("offset")) == ("ordered", 0, None)
    assert (inner["style"], inner["indent"]) == ("bullet", 1)
    assert (second["style"], second["offset"]) == ("ordered", 1)


def test_a_second_paragraph_of_an_item_stays_in_it() -> None:
    [found] = drawn("- one\n\n  more\n- two")

    assert [item["elements"][0]["text"] for item in found["elements"]] == ["one\nmore", "two"]


def test_fences_are_boxes_of_their_own() -> None:
    boxes = drawn("```sh\nmake\n\ntest\n```\n```\nx\n```")

    assert [box["elements"][0]["text"] for box in boxes] == ["make\n\ntest", "x"]


def test_quotes_are_quotes_and_a_list_within_is_words() -> None:
    [quote] = drawn("> said\n> - one\n> - two")

    assert quote["type"] == "rich_text_quote"
    assert quote["elements"][0]["text"] == "said\n• one\n• two"


def test_a_link_shows_its_label_as_words_and_where_it_leads() -> None:
    [section] = drawn("[What changed](https://github.com/acme/api/compare/v1.4.1...v1.4.2)")
    label, link = section["elements"]

    assert label["text"] == "What changed: "
    assert link["text"] == "github.com/acme/api/compare/…"
    assert link["url"] == "https://github.com/acme/api/compare/v1.4.1...v1.4.2"


@pytest.mark.parametrize(
    "address",
    [
        "https://acme.com@evil.example/",
        "javascript:alert(1)",
        "ftp://acme.com/x",
        "https://аcme.com/",
        "mailto:a@acme.com",
        "//evil.example",
        "https://acme.com/" + "x" * 1100,
    ],
)
def test_an_address_that_could_mislead_is_no_link(address: str) -> None:
    elements = [part for line in markdown.to_lines(f"[acme.com]({address})") for part in line.parts]
    xn = [part for part in elements if part["type"] == "link" and "xn--" in part["text"]]

    assert [part for part in elements if part["type"] == "link"] == xn
    assert "acme.com" in words(f"[acme.com]({address})")


def test_an_address_as_its_own_label_is_shown_once() -> None:
    assert words("<https://acme.com/a>") == "acme.com/a"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ACME.com", "acme.com"),
        ("https://acme.com/", "acme.com"),
        ("https://acme.com:8443/a?b=c#d", "acme.com:8443/a…"),
        ("https://acme.com/?next=https://evil.example", "acme.com/…"),
        (
            "https://a.very.long.host.that.is.shown.whole.example.org/path/x",
            "a.very.long.host.that.is.shown.whole.example.org/…",
        ),
    ],
)
def test_a_shown_address_is_the_real_host_and_a_short_path(url: str, shown: str) -> None:
    assert richtext.shown_url(url) == shown


def test_html_and_images_stay_words() -> None:
    assert words("<b>now</b> <!here>") == "<b>now</b> <!here>"
    assert words("![plan](https://acme.com/p.png)") == "image plan: acme.com/p.png"


def test_an_empty_body_has_no_lines() -> None:
    assert markdown.to_lines(None) == []
    assert markdown.to_lines(" \n") == []


def test_a_long_paragraph_is_folded_without_breaking_the_line() -> None:
    folded = lines.folded(markdown.to_lines("word " * 500))

    assert len(folded) > 1
    assert {line.kind for line in folded} == {Kind.TEXT}
    assert "\n" not in "".join(part["text"] for part in lines.elements(folded)[0]["elements"])
