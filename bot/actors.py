"""Who did something, in words for a terminal. Pure."""

from store.types import Actor, ActorKind


def who(actor: Actor) -> str:
    """`@ana (U07ANA4K2QX)`: names change hands, so a person keeps the id. A key's name; else what kind of actor it was."""
    if actor.kind is ActorKind.SLACK_USER and actor.name:
        return f"@{actor.name} ({actor.id})"
    return actor.name or actor.id or actor.kind.value
