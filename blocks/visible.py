"""Characters that nobody can see, made visible: `⟦U+202E⟧`. Showing text twice changes nothing the second time."""

import re
import unicodedata
from functools import lru_cache

#: Letters, marks and symbols that draw nothing although their category says otherwise.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_ZERO_WIDTH_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"
_JOINERS = frozenset({_ZERO_WIDTH_JOINER, _EMOJI_STYLE})
_KEYCAP = "\u20e3"
_STYLES = range(0xFE00, 0xFE10)
_TAGS = range(0xE0000, 0xE1000)
#: Emoji younger than this Python's tables are "unassigned" to it, and are drawn all the same.
_EMOJI_PLANE = range(0x1F000, 0x1FC00)
#: More marks than this on one letter can cover the lines around it.
_MARKS_ON_A_LETTER = 3
#: Nothing outside this needs a closer look: common letters, punctuation, arrows, boxes, ideographs.
_SUSPECT = re.compile(
    r"[^\n\t -~\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u27ff\u3041-\u3096\u4e00-\u9fff]"
)


def visible(text: str) -> str:
    """`text` with every invisible, bidirectional, control and tag character replaced by its number."""
    text = text.replace("\r\n", "\n")
    if _SUSPECT.search(text) is None:
        return text
    shown: list[str] = []
    end = marks = 0
    last_mark = -1
    for found in _SUSPECT.finditer(text):
        place, letter = found.start(), found.group()
        is_mark, hides = _looks(letter)
        if is_mark:
            marks = marks + 1 if last_mark == place - 1 else 1
            last_mark = place
        if hides and letter in _JOINERS:
            hides = not _joins_emoji(text, place)
        if hides or (is_mark and marks > _MARKS_ON_A_LETTER):
            shown += (text[end:place], f"⟦U+{ord(letter):04X}⟧")
            end = place + 1
    return "".join(shown) + text[end:]


@lru_cache(maxsize=4096)
def _looks(letter: str) -> tuple[bool, bool]:
    """Whether it is a mark on the letter before it, and whether it hides (a joiner: unless it joins emoji)."""
    number, category = ord(letter), unicodedata.category(letter)
    hides = letter in _BLANK or number in _STYLES or number in _TAGS or category in _HIDDEN_CATEGORIES
    return category in {"Mn", "Me"}, hides or (category == "Cn" and number not in _EMOJI_PLANE)


def _joins_emoji(text: str, place: int) -> bool:
    """Whether a joiner or a style mark belongs to an emoji: it follows a symbol, or makes a keycap."""
    before = text[place - 1] if place else ""
    after = text[place + 1] if place + 1 < len(text) else ""
    if before == _EMOJI_STYLE and text[place] == _ZERO_WIDTH_JOINER:
        before = text[place - 2] if place > 1 else ""
    if text[place] == _EMOJI_STYLE and after == _KEYCAP:
        return before in "0123456789#*"
    return bool(before) and (unicodedata.category(before) in {"So", "Sk"} or ord(before) in _EMOJI_PLANE)


def one_line(text: str) -> str:
    """`text` shown, line breaks and tabs as single spaces: for headers, labels, buttons and notifications."""
    return " ".join(visible(text).split())
