"""Facts and links that a run gives with its ask: pairs above the action, addresses below the run's words."""

from collections.abc import Sequence

from blocks import elements, ids, limits, richtext
from blocks.lines import Join, Kind, Line
from blocks.richtext import bold, text
from blocks.surface import Block
from blocks.visible import one_line
from store.types import Approval, Link

_LABEL, _VALUE = 60, 140
_LONGEST_URL = 200


def fields(approval: Approval, revision: int) -> list[Block]:
    """The pairs as a block, at most 60 and 140 each; whole under *Show all*."""
    if not approval.facts:
        return []
    pairs = [
        elements.plain(f"{limits.clip(one_line(fact.label), _LABEL)}\n{limits.clip(one_line(fact.value), _VALUE)}")
        for fact in approval.facts
    ]
    return [{"type": "section", "block_id": ids.block("facts", revision), "fields": pairs}]


def links(approval: Approval, revision: int) -> list[Block]:
    """Each under its label, which is words, with the host that it really leads to."""
    if not approval.links:
        return []
    parts: list[Block] = [bold("The run links to")]
    for link in approval.links:
        parts += [text("\n"), *_shown(link, longest=_LONGEST_URL)]
    return [richtext.rich_text(ids.block("links", revision), richtext.section(*parts))]


def are_whole(approval: Approval) -> bool:
    """Whether the card shows all of the facts' words and of the addresses that it cannot make links of."""
    kept = all(
        limits.cost(one_line(fact.label)) <= _LABEL and limits.cost(one_line(fact.value)) <= _VALUE
        for fact in approval.facts
    )
    odd = (link.url for link in approval.links if not richtext.is_plain_url(link.url))
    return kept and all(limits.cost(one_line(url)) <= _LONGEST_URL for url in odd)


def lines(approval: Approval) -> list[Line]:
    """Both, whole, for the pages of *Show all*."""
    made: list[Line] = []
    for fact in approval.facts:
        parts = (bold(f"{one_line(fact.label)}: "), text(one_line(fact.value)))
        made.append(Line(kind=Kind.BULLET, parts=parts))
    if made:
        made.insert(0, Line(kind=Kind.TEXT, parts=(bold("Facts from the run"),), join=Join.GAP))
    if approval.links:
        made.append(Line(kind=Kind.TEXT, parts=(bold("The run links to"),), join=Join.GAP))
        made += [Line(kind=Kind.BULLET, parts=tuple(_shown(link))) for link in approval.links]
    return made


def _shown(link: Link, *, longest: int | None = None) -> Sequence[Block]:
    """What is no address that cannot be mistaken stays words."""
    label = text(f"{limits.clip(one_line(link.label), 2 * _LABEL)}: ")
    if richtext.is_plain_url(link.url):
        return [label, {"type": "link", "url": link.url, "text": richtext.shown_url(link.url)}]
    url = one_line(link.url)
    return [label, text(url if longest is None else limits.clip(url, longest))]
