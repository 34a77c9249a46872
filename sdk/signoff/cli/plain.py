"""Text of other people, made safe to print: what nobody can see, or would steer a terminal, is shown by its number."""

import re
import unicodedata

#: Letters and marks that draw nothing although their category says otherwise.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_COMMON = re.compile(r"[ -~\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u27ff\u3041-\u3096\u4e00-\u9fff]*")
#: What terminals take as orders: sequences of ESC, and their eight-bit twins.
_ORDER = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, and other strings
    r"|\x1b[ -/]*[0-~]"
)


def one_line(text: str) -> str:
    """`text` on one line, everything hidden made visible: `⟦U+202E⟧`."""
    flat = " ".join(text.split())
    if _COMMON.fullmatch(flat):
        return flat
    return "".join(f"⟦U+{ord(letter):04X}⟧" if _hides(letter) else letter for letter in flat)


def without_orders(text: str) -> str:
    """Output of a program as lines of plain text: no colours, no cursor; of a line drawn over, what was drawn last."""
    lines = _ORDER.sub("", text).replace("\r\n", "\n").split("\n")
    kept = (line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return "\n".join("".join(_printable(letter) for letter in line) for line in kept)


def _printable(letter: str) -> str:
    if letter == "\t" or not _hides(letter):
        return letter
    return "" if unicodedata.category(letter) == "Cc" else f"⟦U+{ord(letter):04X}⟧"


def _hides(letter: str) -> bool:
    return letter in _BLANK or unicodedata.category(letter) in _HIDDEN
