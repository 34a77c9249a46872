"""Output of programs, made safe to print."""

import re
import unicodedata

from signoff.plain import hides, shown

#: What terminals take as orders: sequences of ESC, and their eight-bit twins.
_ORDER = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, and other strings
    r"|\x1b[ -/]*[0-~]"
)


def without_orders(text: str) -> str:
    """Output of a program as lines of plain text: no colours, no cursor; of a line drawn over, what was drawn last."""
    lines = _ORDER.sub("", text).replace("\r\n", "\n").split("\n")
    kept = (line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return "\n".join("".join(_printable(letter) for letter in line) for line in kept)


def _printable(letter: str) -> str:
    if letter == "\t" or not hides(letter):
        return letter
    return "" if unicodedata.category(letter) == "Cc" else shown(letter)
