"""The `text` beside the blocks: notifications, screen readers. The only mrkdwn that we send."""

from collections.abc import Sequence

from blocks import limits, people
from blocks.richtext import is_user
from blocks.visible import one_line
from store.types import Actor, ActorKind


def mention(id: str) -> str:
    return f"<@{id}>" if is_user(id) else limits.escaped(one_line(id))


def who(actor: Actor | None) -> str:
    """Who decided, as mrkdwn; a deadline is not a who."""
    if actor is None or actor.kind is ActorKind.DEADLINE:
        return "nobody"
    if is_user(actor.id):
        return mention(actor.id)
    if actor.kind is ActorKind.GRANT:
        return "a standing permission"
    if actor.kind is ActorKind.OPERATOR:
        return "an operator"
    named = limits.escaped(limits.clip(one_line(actor.name or actor.id), 60))
    return f"key {named}" if named else "its run"


def several(actors: Sequence[Actor]) -> str:
    """All who decided together, as mrkdwn."""
    return people.listed([who(one) for one in actors])


def line(lead: str, title: str = "") -> str:
    """`lead` is ours and may mention; `title` is foreign and becomes words. Together at most 200."""
    if not title:
        return lead
    return lead + limits.escaped(limits.clip(one_line(title), max(limits.FALLBACK - len(lead), 20)))
