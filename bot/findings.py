"""One thing that an operator should know, and how requests are named in it."""

from dataclasses import dataclass

from store.types import Interaction


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    is_well: bool
    text: str


def well(text: str) -> Finding:
    return Finding(is_well=True, text=text)


def bad(text: str) -> Finding:
    return Finding(is_well=False, text=text)


def name(interaction: Interaction) -> str:
    return f"{interaction.short_code} {interaction.title!r} (run {interaction.run_id})"
