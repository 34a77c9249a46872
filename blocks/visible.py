"""Characters that nobody can see, made visible: `⟦U+202E⟧`. Showing text twice changes nothing the second time."""

import re
import unicodedata

#: Letters, marks and symbols that draw nothing although their category says otherwise.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_KEPT_CONTROLS = frozenset("\n\t")
_ZERO_WIDTH_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"
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
    marks = 0
    for place, letter in enumerate(text):
        marks = marks + 1 if unicodedata.category(letter) in {"Mn", "Me"} else 0
        hidden = _hides(text, place) or marks > _MARKS_ON_A_LETTER
        shown.append(f"⟦U+{ord(letter):04X}⟧" if hidden else letter)
    return "".join(shown)


def _hides(text: str, place: int) -> bool:
    letter = text[place]
    if letter in _KEPT_CONTROLS:
        return False
    if letter in {_ZERO_WIDTH_JOINER, _EMOJI_STYLE} and _joins_emoji(text, place):
        return False
    number = ord(letter)
    if letter in _BLANK or number in _STYLES or number in _TAGS:
        return True
    category = unicodedata.category(letter)
    return category in _HIDDEN_CATEGORIES or (category == "Cn" and number not in _EMOJI_PLANE)


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
