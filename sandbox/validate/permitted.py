"""What blocks need besides being well made: scopes of the token that sends them."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from sandbox.validate.errors import Problem
from sandbox.validate.walk import blocks_in, elements_of

VIDEO: Final = "links.embed:write"
FILES: Final = "files:read"


def unpermitted(blocks: list[dict[str, Any]], scopes: Collection[str]) -> list[Problem]:
    """Videos and file inputs for which a scope is missing. Slack's sentence is known for videos; for files it is ours."""
    return [
        Problem(message=f"{what} validation failed: Bot scopes missing: [{scope}]", pointer=pointer)
        for what, scope, pointer in _needs(blocks)
        if scope not in scopes
    ]


def _needs(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for block, pointer in blocks_in(blocks):
        if block.get("type") == "video":
            yield "Video", VIDEO, pointer
        for element, place in elements_of(block):
            if element.get("type") == "file_input":
                yield "File input", FILES, pointer + place
