"""What `signoff` says while it works, on standard error: drawn on a terminal, plain lines in a log."""

import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

import click

from signoff.cli.spans import in_words
from signoff.plain import one_line

_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
#: Seconds between two of them.
FRAME: Final = 0.1
_ERASE: Final = "\r\x1b[2K"
_LABEL: Final = 8
#: No id is what somebody is called: `@U07BEN9D1MT` is a name that looks like one.
_ID: Final = re.compile(r"(?<![@\w])[UWS][A-Z0-9]{2,30}\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    sign: str
    colour: str


ASKED: Final = Mark(sign="●", colour="cyan")
YES: Final = Mark(sign="✔", colour="green")
NO: Final = Mark(sign="✘", colour="red")
WARNING: Final = Mark(sign="!", colour="yellow")
RUNS: Final = Mark(sign="▶", colour="cyan")


@dataclass(kw_only=True)
class Screen:
    """Whatever is passed in may come from other people: it is shown, never obeyed. `clock`: monotonic seconds."""

    stream: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic
    is_quiet: bool = False
    #: What people are called, by their ids.
    names: dict[str, str] = field(default_factory=dict)
    _drawn: str = ""

    @property
    def is_terminal(self) -> bool:
        return self.stream.isatty() and os.environ.get("TERM") != "dumb"

    def tell(self, words: str, *, mark: Mark, bold: bool = False) -> None:
        """One sentence on one line."""
        words = self._named(words)
        if self.is_terminal:
            self._line(
                f"{self._styled(mark.sign, fg=mark.colour, bold=True)} {self._styled(one_line(words), bold=bold)}"
            )
        else:
            self._line(f"signoff: {one_line(words)}")

    def fact(self, label: str, value: str) -> None:
        """One fact under the sentence before it."""
        value = self._named(value)
        if self.is_terminal:
            self._line(f"  {self._styled(label.ljust(_LABEL), dim=True)} {one_line(value)}")
        else:
            self._line(f"signoff: {label}: {one_line(value)}")

    def hint(self, words: str) -> None:
        """How to go on."""
        self._line(
            f"  {self._styled(one_line(words), dim=True)}" if self.is_terminal else f"signoff: {one_line(words)}"
        )

    def draw(self, words: str, since: float) -> None:
        """The line that moves while something is waited for; logs have none."""
        if not self.is_terminal or self.is_quiet:
            return
        passed = self.clock() - since
        frame = _FRAMES[int(passed / FRAME) % len(_FRAMES)]
        width = max(20, _width(self.stream) - 1)
        shown = f"{frame} {one_line(self._named(words))} · {in_words(passed)}"[:width]
        if shown != self._drawn:
            self.stream.write(f"{_ERASE}{self._styled(shown[:1], fg='cyan')}{shown[1:]}")
            self.stream.flush()
            self._drawn = shown

    def erase(self) -> None:
        if self._drawn:
            self.stream.write(_ERASE)
            self.stream.flush()
            self._drawn = ""

    def _named(self, words: str) -> str:
        """With names instead of the ids that are known."""
        return _ID.sub(lambda found: self.names.get(found[0], found[0]), words) if self.names else words

    def _line(self, text: str) -> None:
        if self.is_quiet:
            return
        self.erase()
        click.echo(text, file=self.stream)

    def _styled(self, text: str, **style: Any) -> str:
        return text if os.environ.get("NO_COLOR") else click.style(text, **style)


def _width(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
