"""Numbers to lines: medians of rounds, ratios of what was measured in the same round."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """The median of some rounds, and how far they were apart."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        found = list(values)
        return cls(median=median(found), low=min(found), high=max(found))

    def text(self, digits: int = 2) -> str:
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}–{self.high:.{digits}f})"


def ratios(ours: Sequence[float], others: Sequence[float]) -> Spread:
    """Ours by the other's, round by round."""
    return Spread.of(one / other for one, other in zip(ours, others, strict=True))


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share (0–1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


@dataclass(frozen=True, kw_only=True, slots=True)
class Aim:
    """One line of the summary: a ratio or a plain value, and what it should be."""

    what: str
    found: str
    aim: str
    is_met: bool

    @classmethod
    def least(cls, what: str, found: Spread, aim: float, digits: int = 2) -> "Aim":
        return cls(what=what, found=found.text(digits), aim=f"≥ {aim:g}", is_met=found.median >= aim)

    @classmethod
    def most(cls, what: str, found: Spread, aim: float, *, unit: str = "", digits: int = 2) -> "Aim":
        return cls(what=what, found=found.text(digits) + unit, aim=f"≤ {aim:g}{unit}", is_met=found.median <= aim)


@dataclass(kw_only=True)
class Report:
    """What a run found: printed as it comes, the aims again at the end."""

    aims: list[Aim] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def title(self, text: str) -> None:
        print(f"\n{text}\n{'-' * len(text)}", flush=True)

    def note(self, text: str) -> None:
        print(text, flush=True)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
        for row in [head, *rows]:
            first, *rest = zip(row, widths, strict=True)
            cells = [first[0].ljust(first[1]), *(text.rjust(width) for text, width in rest)]
            print("  ".join(cells).rstrip(), flush=True)

    def aim(self, aim: Aim) -> None:
        self.aims.append(aim)

    def violation(self, text: str) -> None:
        """Something was not done exactly once: no figure of this run counts."""
        self.broken.append(text)
        print(f"VIOLATION: {text}", flush=True)

    def summary(self) -> None:
        if not self.aims:
            return
        self.title("Aims")
        rows = [[aim.what, aim.found, aim.aim, "met" if aim.is_met else "not met"] for aim in self.aims]
        self.table(["what", "found", "aim", ""], rows)
