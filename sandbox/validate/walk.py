"""Where elements stand: in a block, in the cards of a carousel, in the blocks of a container."""

from collections.abc import Iterator
from typing import Any

Part = dict[str, Any]


def blocks_in(blocks: list[Any], at: str = "") -> Iterator[tuple[Part, str]]:
    """Every block with its pointer, those in carousels and containers included."""
    for number, block in enumerate(blocks):
        if not isinstance(block, dict):
            continue
        here = f"{at}/{number}"
        yield block, here
        kind = block.get("type")
        inside = {"carousel": "elements", "container": "child_blocks"}.get(kind) if isinstance(kind, str) else None
        if inside is not None and isinstance(block.get(inside), list):
            yield from blocks_in(block[inside], f"{here}/{inside}")


def elements_of(block: Part) -> Iterator[tuple[Part, str]]:
    """The elements of one block (not of blocks inside it), with pointers below it."""
    for name in ("element", "accessory"):
        if isinstance(block.get(name), dict):
            yield block[name], f"/{name}"
    for name in ("elements", "actions"):
        parts = block.get(name)
        if isinstance(parts, list) and block.get("type") != "carousel":
            for number, part in enumerate(parts):
                if isinstance(part, dict):
                    yield part, f"/{name}/{number}"
