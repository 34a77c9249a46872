"""For any words whatever: no markup gets in, budgets hold, and Approve stands only beside the whole action."""

import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from blocks import action, approval, ids, limits, lines, markdown, modal, pending, question, stopping
from blocks import changes as changes_
from blocks.ids import Filter, Where
from blocks.surface import Message, Paint
from blocks.visible import visible
from sandbox.validate import check
from store.types import Answer, Approval, Decision, Fact, Link, Option, Question, QuestionSet, Risk, State, Stop, Vote
from tests.blocks import cases
from tests.blocks.cases import ANA, BEN, DANA, DECIDED, PAINT

NASTY = st.sampled_from(
    [
        "<!channel>",
        "<@U07EVE00000>",
        "&amp;",
        "<https://evil.example|safe>",
        "\u202e",
        "\u200b",
        "`*_~",
        "\n",
        "\r\n",
        "\t",
        "```",
        "[x](javascript:alert(1))",
        "[acme.com](https://acme.com@evil.example/)",
        "👨‍👩‍👧",
        "e\u0301\u0301\u0301\u0301\u0301",
        "> - 1. ",
        "\ud800",
        "\U000e0041",
    ]
)
WORDS = st.lists(st.one_of(NASTY, st.text(max_size=40)), max_size=12).map("".join)
LONG = st.one_of(WORDS, st.tuples(WORDS, st.integers(1, 300)).map(lambda pair: (pair[0] * pair[1])[:20_000]))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(WORDS, inner, max_size=5)),
    max_leaves=30,
)
#: One line as long as the API takes it.
LONG_LINE = st.sampled_from([(words * 65_536)[:65_536] for words in ("x", "<@U1> ", "\u202e", "👨‍👩‍👧")])
FACTS = st.lists(st.tuples(WORDS, WORDS), max_size=4).map(
    lambda pairs: tuple(Fact(label=label[:60] or "x", value=value[:140] or "x") for label, value in pairs)
)
URLS = st.one_of(
    st.sampled_from(
        [
            "https://github.com/acme/api/compare/v1.4.1...v1.4.2",
            "http://EVIL.example:8443/" + "a/" * 400,
            "https://acme.com@evil.example/",
            "https://[::1]/x",
            "https://xn--80ak6aa92e.com/?q=<!channel>",
            "javascript:alert(1)",
            "https://acme.com/" + "x" * 1983,
        ]
    ),
    WORDS.map(lambda words: f"https://acme.com/{words}"[:2000]),
)
LINKS = st.lists(st.tuples(WORDS, URLS), max_size=5).map(
    lambda pairs: tuple(Link(label=label[:60] or "x", url=url) for label, url in pairs)
)
PLAIN_ASKS = st.builds(
    cases.approval,
    title=LONG.map(lambda words: words[:150]),
    run_id=WORDS.map(lambda words: words[:200]),
    body=st.one_of(st.none(), LONG),
    tool_name=WORDS.map(lambda words: words[:200] or "t"),
    input_json=JSON.map(json.dumps),
    risk=st.sampled_from(Risk),
    feedback=st.one_of(st.none(), LONG.map(lambda words: words[:3000])),
    requested_by=st.sampled_from([DANA, None, "<@U1>"]),
)
ASKS = st.builds(
    cases.replace, PLAIN_ASKS, facts=FACTS, links=LINKS, details=st.one_of(st.none(), st.none(), LONG, LONG_LINE)
)
PLAIN_CONFIRMATIONS, CONFIRMATIONS = (
    asks.map(lambda ask: cases.replace(ask, tool_name=None, input_json=None)) for asks in (PLAIN_ASKS, ASKS)
)
STOPS = st.builds(
    cases.stop,
    actor=st.just(cases.person(BEN)),
    tool=st.one_of(st.none(), WORDS),
    reason=st.one_of(st.none(), LONG),
)
STATES = st.sampled_from([{}, {"state": State.DENIED, "resolved_at": DECIDED, "resolved_by": cases.person(BEN)}])
NAMES = st.dictionaries(st.sampled_from([ANA, BEN, DANA]), WORDS)
QUESTION = st.builds(
    Question,
    id=st.just("q"),
    prompt=LONG.map(lambda words: words[:3000]),
    description=st.one_of(st.none(), LONG.map(lambda words: words[:3000])),
    options=st.lists(st.tuples(LONG, st.one_of(st.none(), WORDS)), max_size=30).map(
        lambda pairs: tuple(
            Option(id=f"o{n}", label=label[:300] or "x", description=about) for n, (label, about) in enumerate(pairs)
        )
    ),
    multiple=st.booleans(),
    allow_other=st.booleans(),
    is_skippable=st.booleans(),
)
SETS = st.lists(QUESTION, min_size=1, max_size=5).map(
    lambda asked: cases.questions(*(cases.replace(one, id=f"q{n}") for n, one in enumerate(asked)))
)
ID = re.compile(r"[UW][A-Z0-9]+")


def texts(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "text" and isinstance(value, str):
                yield value
            else:
                yield from texts(value)
    elif isinstance(part, list | tuple):
        for inner in part:
            yield from texts(inner)


def elements(part: Any, kind: str) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if part.get("type") == kind:
            yield part
        for inner in part.values():
            yield from elements(inner, kind)
    elif isinstance(part, list | tuple):
        for inner in part:
            yield from elements(inner, kind)


def assert_sound(message: Message) -> None:
    written = json.dumps(message.payload())
    assert "mrkdwn" not in re.sub(r'"text": "(?:[^"\\]|\\.)*"', "", written)
    assert check.blocks(message.payload()["blocks"], stored=True) == []
    assert limits.total(message.blocks) <= limits.MESSAGE
    assert len(message.blocks) <= limits.MESSAGE_BLOCKS
    assert len(message.text) <= limits.FALLBACK
    assert "\n" not in message.text
    rest = re.sub(rf"<@(?:{ANA}|{BEN}|{DANA})>", "", message.text)
    assert "<" not in rest
    assert ">" not in rest
    assert {one["user_id"] for one in elements(message.blocks, "user")} <= {ANA, BEN, DANA}
    assert list(elements(message.blocks, "usergroup")) == []
    for words in texts(message.blocks):
        assert words == visible(words)
        assert "\u202e" not in words
        words.encode()


@settings(max_examples=50, deadline=None)
@given(
    ask=st.one_of(ASKS, CONFIRMATIONS),
    before=st.one_of(st.none(), ASKS),
    names=NAMES,
    changes=STATES,
    stopped=st.one_of(st.none(), STOPS),
)
def test_no_words_of_an_approval_become_markup_and_its_budget_holds(
    ask: Approval, before: Approval | None, names: dict[str, str], changes: dict[str, Any], stopped: Stop | None
) -> None:
    paint = Paint(names=names, precedent=before, is_compared=True, stopped=stopped)
    card = approval.card(cases.replace(ask, **changes), paint)

    assert_sound(card)
    for link in elements(card.blocks, "link"):
        host = re.fullmatch(r"https?://([^/?#]+).*", link["url"])
        assert host is not None
        assert link["text"].startswith(host[1].lower())


@settings(max_examples=40, deadline=None)
@given(stops=st.lists(STOPS, max_size=30), tool=st.one_of(st.none(), LONG), is_new=st.booleans())
def test_no_words_of_a_stop_become_markup(stops: list[Stop], tool: str | None, is_new: bool) -> None:
    said = [stopping.stops(stops), stopping.gone_on(stops, stops, tool=tool), stopping.gone_on([], stops, tool=tool)]
    said += [stopping.stopped(stop, is_new=is_new) for stop in stops[:3]]

    for message in said:
        assert_sound(message)


def test_what_differs_names_keys_as_words() -> None:
    now = {"a\nb": 1, "<!channel>": True, "\u202e": [1, {"x": 2}], "same": {"b": 1, "a": 2}, "": 0}
    before = {"a\nb": "1", "<!channel>": 1, "\u202e": [1, {"x": 3}], "same": {"a": 2, "b": 1}, "gone": None}

    assert changes_.differing(json.dumps(before), json.dumps(now)) == ["a\nb", "<!channel>", "\u202e", "", "gone"]
    assert changes_.differing("[1]", '{"a": 1}') is None
    assert changes_.differing("[1]", "[1]") == ()


@settings(max_examples=50, deadline=None)
@given(ask=st.one_of(ASKS, CONFIRMATIONS))
def test_approve_stands_on_the_card_only_beside_the_whole_action(ask: Approval) -> None:
    card = approval.card(ask, PAINT)
    drawn = "".join(texts(card.blocks))
    buttons = {button["action_id"] for button in elements(card.blocks, "button")}

    assert len(buttons & {ids.APPROVE, ids.REVIEW}) == 1
    if ids.APPROVE in buttons:
        if ask.input_json is not None:
            for row in action.input_rows(ask.input_json):
                assert all(piece in drawn for piece in limits.split(row, lines.FOLD // 2)) or row.strip() == ""
        else:
            for line in markdown.to_lines(ask.body):
                assert all(part["text"] in drawn for part in line.parts if len(part["text"]) < 50)
        for row in visible(ask.details or "").split("\n"):
            assert all(piece in drawn for piece in limits.split(row, lines.FOLD // 2)) or row.strip() == ""


@settings(max_examples=30, deadline=None)
@given(ask=st.one_of(ASKS, CONFIRMATIONS))
def test_the_pages_of_a_review_hold_every_line_and_only_the_last_approves(ask: Approval) -> None:
    where = Where()
    whole = lines.pages(action.action_lines(ask))
    pages = [modal.review(ask, where, page=place) for place in range(len(whole))]

    assert [page.submit for page in pages] == [None] * (len(pages) - 1) + ["Approve"]
    for page, held in zip(pages, whole, strict=True):
        assert check.view(page.payload()) == []
        drawn = "".join(texts(page.blocks))
        assert all(part["text"] in drawn for line in held for part in line.parts)


@settings(max_examples=25, deadline=None)
@given(asked=SETS)
def test_a_question_card_is_sound_whatever_is_asked(asked: QuestionSet) -> None:
    card = question.card(asked, PAINT)

    assert_sound(card)
    assert check.view(modal.form(asked, Where()).payload()) == []
    assert check.view(modal.show_all(asked, Where()).payload()) == []
    answers = {one.id: Answer(is_skipped=False, value=one.prompt) for one in asked.questions}
    closed = cases.replace(
        asked, state=State.ANSWERED, resolved_at=DECIDED, resolved_by=cases.person(ANA), answers=answers
    )
    assert_sound(question.card(closed, PAINT))


@settings(max_examples=20, deadline=None)
@given(asks=st.lists(st.one_of(PLAIN_ASKS, PLAIN_CONFIRMATIONS, SETS), min_size=8, max_size=8))
def test_eight_rows_of_anything_fit_one_list(asks: list[Any]) -> None:
    voters = [cases.person(f"U{place}") for place in range(5)]
    votes = tuple(Vote(actor=one, decision=Decision.ALLOW_ONCE, at=DECIDED) for one in voters)
    keys = {letter * 40: 1 for letter in "<>&\u202ez"}
    before = cases.approval(votes=votes, resolved_at=DECIDED, input_json=json.dumps(keys), digest="2" * 64)
    seen = {"can_decide": True, "is_compared": True, "precedent": before}
    rows = [pending.Row(interaction=ask, link=cases.LINK, **seen) for ask in asks]
    names = {one.id: "&" * 80 for one in voters}

    assert_sound(pending.listing(rows, shown=Filter.MINE, counts={Filter.MINE: 20}, names=names))


@settings(max_examples=60, deadline=None)
@given(words=LONG, budget=st.integers(40, 400))
def test_what_is_cut_fits_counted_as_slack_stores_it_and_says_so(words: str, budget: int) -> None:
    clipped = limits.clip(words, budget)

    assert len(limits.escaped(clipped)) <= limits.cost(clipped) <= budget
    assert clipped == visible(words) or clipped.endswith("…")
    assert limits.cost(limits.clip_counted(words, budget)) <= budget
    assert limits.cost(limits.clip_middle(words, budget)) <= budget


@settings(max_examples=60, deadline=None)
@given(words=LONG, budget=st.integers(40, 400))
def test_what_is_split_is_whole_again_when_joined(words: str, budget: int) -> None:
    pieces = limits.split(words, budget)

    assert "".join(pieces) == visible(words)
    assert all(limits.cost(piece) <= budget for piece in pieces)


@given(words=st.text())
def test_showing_hidden_characters_twice_changes_nothing(words: str) -> None:
    assert visible(visible(words)) == visible(words)


@given(source=LONG)
@settings(max_examples=60, deadline=None)
def test_markdown_loses_no_letter_of_plain_words(source: str) -> None:
    letters = re.sub(r"[^A-Za-z]", "", visible(source))
    drawn = "".join(words for line in markdown.to_lines(source) for words in texts(list(line.parts)))

    # A link's address, a fence's language and an entity's name are no words; nothing else may vanish.
    if not re.search(r"[\[\]<>`~&\\]|^\s*#", source, re.MULTILINE):
        assert re.sub(r"[^A-Za-z]", "", visible(drawn)) == letters
