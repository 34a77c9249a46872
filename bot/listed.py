"""People and user groups as a workspace lists them. Pure."""

from dataclasses import dataclass

from blocks.visible import one_line


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """Somebody, or a user group, as Slack lists them. `names`: all that they go by; a group's handle alone."""

    id: str
    names: tuple[str, ...]
    label: str
    is_group: bool = False

    def __str__(self) -> str:
        return f"{'group ' if self.is_group else ''}{self.id} ({one_line(self.label)})"

    def goes_by(self, name: str) -> bool:
        """Whatever the case."""
        return name.casefold() in {each.casefold() for each in self.names}
