"""Text of other people on one line: what nobody can see, or would steer a terminal, is shown by its number."""

import re
import unicodedata

#: Letters and marks that draw nothing although their category says otherwise.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_COMMON = re.compile(r"[ -~\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u27ff\u3041-\u3096\u4e00-\u9fff]*")


def one_line(text: str) -> str:
    """`text` on one line, everything hidden made visible: `⟦U+202E⟧`."""
    flat = " ".join(text.split())
    if _COMMON.fullmatch(flat):
        return flat
    return "".join(shown(letter) if hides(letter) else letter for letter in flat)


def shown(letter: str) -> str:
    """A letter by its number."""
    return f"⟦U+{ord(letter):04X}⟧"


def hides(letter: str) -> bool:
    return letter in _BLANK or unicodedata.category(letter) in _HIDDEN
