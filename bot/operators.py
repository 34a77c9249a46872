"""Who sits at the command line, as far as this machine knows."""

import os

from store.types import Actor, ActorKind


def at_this_machine() -> Actor:
    """The account that this process runs as: the machine's own word, and no proof of a person.

    Its id looks like no person's in Slack and like no key's.
    """
    account = _account()
    return Actor(kind=ActorKind.OPERATOR, id=f"os:{account}", name=f"{account} (command line)")


def _account() -> str:
    """Not from the environment, which anybody sets."""
    try:
        import pwd
    except ImportError:
        return os.getlogin()
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
