"""What people entered into forms and did not submit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Characters of a draft as JSON: twenty texts of the longest fit.
MAX_DRAFT = 65_536
_TEXT = ".text"


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """By question, as its place in its set, counted from 0. A place that is not named was not touched.

    `chosen`: places of options; none where somebody chose nothing in place of a default. `typed`: the text of a
    question without options, or the own answer beside the options; "" where it was deleted. The reason of a denial is
    text 0 of its approval.
    """

    chosen: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    typed: Mapping[int, str] = field(default_factory=dict)

    def with_later(self, later: "Draft") -> "Draft":
        """What `later` names stands in the place of what was."""
        return Draft(chosen={**self.chosen, **later.chosen}, typed={**self.typed, **later.typed})


#: Nothing was touched.
NO_DRAFT = Draft()


def entered(draft: Draft) -> dict[str, Any]:
    """Flat, for JSON: `{"0": [2, 5], "0.text": "…"}`."""
    chosen = {str(place): list(options) for place, options in draft.chosen.items()}
    return {**chosen, **{f"{place}{_TEXT}": text for place, text in draft.typed.items()}}


def read_entered(kept: Mapping[str, Any]) -> Draft:
    texts = {int(name.removesuffix(_TEXT)): text for name, text in kept.items() if name.endswith(_TEXT)}
    chosen = {int(name): tuple(options) for name, options in kept.items() if not name.endswith(_TEXT)}
    return Draft(chosen=chosen, typed=texts)


def fits(draft: Draft) -> bool:
    """Whether it is small enough to be kept."""
    return len(json.dumps(entered(draft), ensure_ascii=False)) <= MAX_DRAFT
