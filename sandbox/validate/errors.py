"""What is wrong with a payload, and the shapes in which Slack says so."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One refusal. `pointer` is a JSON pointer below the checked thing, "" for the thing itself."""

    message: str
    pointer: str
    code: str = "failed_constraint"
    constraint: dict[str, Any] = field(default_factory=dict)

    def sentence(self, root: str) -> str:
        """As chat.* and views.* word it; `root` is "/blocks" or "/view"."""
        return f"{self.message} [json-pointer:{root}{self.pointer}]"

    def item(self) -> dict[str, Any]:
        """As blocks.validate lists it."""
        found: dict[str, Any] = {"code": self.code, "message": self.message, "pointer": self.pointer}
        if self.constraint:
            found["constraint"] = self.constraint
        return found
