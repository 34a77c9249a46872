"""Slack's limits and ours. Lengths are counted as Slack stores them: escaped, in UTF-16 units."""

import re
import unicodedata
from typing import Any

from blocks.visible import visible

#: Of one message, over all its texts. Slack refuses at about 13,200; an update with its outcome must fit too.
MESSAGE = 10_000
#: Of one text in a block. Slack allows 3,000.
TEXT = 2_800
MESSAGE_BLOCKS = 50
HEADER = 150
LABEL = 2_000
HINT = 2_000
BUTTON = 75
BUTTON_SHORT = 30
ACCESSIBILITY = 75
OPTION = 75
OPTIONS = 100
CHECKBOXES = 10
ACTIONS = 5
FALLBACK = 200
VIEW_TITLE = 24
METADATA = 3_000
#: Bytes of a view as JSON. Slack refuses at 250 KB.
VIEW = 200_000
TYPED = 3_000
URL = 1_000
#: Of a sentence under a field.
ERROR = 200

QUOTE = 1_000
NAME = 80
RUN_ID = 64
FOOT = 100
POLICY = 40
INPUT_LINES = 24
INPUT_LINES_CUT = 12
BODY = 2_000
BODY_LINES = (12, 5, 0)
PEOPLE = 10
VOTES = 5
#: Escalations that a card tells of, and people of each; an ask has at most five.
HOPS = 5
HOP_PEOPLE = 5
#: One page of a modal: three texts.
PAGE = 3 * TEXT
PAGE_LINES = 90

_LAST_OF_ONE_UNIT = 0xFFFF
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ENTITIES = {mark: len(entity) for mark, entity in _ESCAPES.items()}
_LETTER = re.compile(r"⟦U\+[0-9A-F]+⟧|.", re.DOTALL)
_COUNTED_KEYS = frozenset({"text", "fallback", "url", "accessibility_label", "initial_value", "name"})


def escaped(text: str) -> str:
    """The three characters that Slack's markup knows, as entities: once, before any syntax of ours is added."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def cost(text: str) -> int:
    """What `text` takes of a limit: shown, escaped, in UTF-16 units."""
    shown = visible(text)
    if shown.isascii() and not any(mark in shown for mark in "&<>"):
        return len(shown)
    units = len(shown.encode("utf-16-le", errors="surrogatepass")) // 2
    return units + sum((len(entity) - 1) * shown.count(mark) for mark, entity in _ESCAPES.items())


def clip(text: str, budget: int) -> str:
    """`text`, shown; cut to cost at most `budget`, a "…" where it was cut."""
    shown = visible(text)
    if cost(shown) <= budget:
        return shown
    return f"{_head(shown, budget - 1).rstrip()}…"


def clip_counted(text: str, budget: int) -> str:
    """Like `clip`, and says how much is missing: for words that stand nowhere else on the card."""
    shown = visible(text)
    if cost(shown) <= budget:
        return shown
    head = _head(shown, max(budget - 32, 0)).rstrip()
    return f"{head}… ({len(shown) - len(head):,} more characters)"


def clip_middle(text: str, budget: int) -> str:
    """Cut in the middle: ids differ at both ends."""
    shown = visible(text)
    if cost(shown) <= budget:
        return shown
    head = _head(shown, budget // 2)
    tail = _head(shown[::-1], budget - cost(head) - 1)[::-1] if "⟦" not in shown else ""
    return f"{head}…{tail}"


def split(text: str, budget: int) -> list[str]:
    """Pieces of `text`, shown, each costing at most `budget`; cut at blanks where one is near."""
    shown = visible(text)
    pieces: list[str] = []
    start = 0
    while start < len(shown):
        end = _end(shown, start, budget)
        blank = shown.rfind(" ", start, end)
        if end < len(shown) and blank - start > (end - start) * 2 // 3:
            end = blank + 1
        pieces.append(shown[start:end])
        start = end
    return pieces


def _head(shown: str, budget: int) -> str:
    return shown[: _end(shown, 0, budget)]


def _end(shown: str, start: int, budget: int) -> int:
    """How far `budget` leads from `start`, without splitting a mark, or a letter from its accents."""
    spent = 0
    for found in _LETTER.finditer(shown, start):
        spent += _price(found.group())
        if spent > budget:
            return _whole_letters(shown, start, found.start())
    return len(shown)


def _price(letter: str) -> int:
    if letter in _ENTITIES:
        return _ENTITIES[letter]
    return 2 if ord(letter[0]) > _LAST_OF_ONE_UNIT else len(letter)


def _whole_letters(shown: str, start: int, end: int) -> int:
    whole = end
    while whole > start and (
        unicodedata.combining(shown[whole]) or shown[whole] in "\u200d\ufe0f" or shown[whole - 1] == "\u200d"
    ):
        whole -= 1
    # A pile of accents with nothing before it has no whole letter: then any cut is as good.
    return whole if whole > start else end


def total(blocks: Any) -> int:
    """What all texts of a message take together: labels, options and link targets included."""
    if isinstance(blocks, dict):
        return sum(
            cost(value) if key in _COUNTED_KEYS and isinstance(value, str) else total(value)
            for key, value in blocks.items()
        )
    if isinstance(blocks, list | tuple):
        return sum(total(part) for part in blocks)
    return 0
