"""What people and keys are called in sentences: their names, kept short and on one line, whatever they chose."""

import pytest

from signoff.people import who
from signoff.types import Actor


@pytest.mark.parametrize(
    ("actor", "said"),
    [
        (None, ""),
        (Actor("deadline"), ""),
        (Actor("slack_user", "U07ANA4K2QX"), "U07ANA4K2QX"),
        (Actor("slack_user", "U07ANA4K2QX", "ana"), "@ana"),
        (Actor("slack_user", "U07ANA4K2QX", "@ana"), "@ana"),
        (Actor("requester", "U07ANA4K2QX", "ana"), "@ana"),
        (Actor("requester", "deploy-812"), "deploy-812"),
        (Actor("api_key", "key_1", "ci-bot"), "the key ci-bot"),
        (Actor("api_key", "key_1"), "an API key"),
        (Actor("operator", "os:root", "root (command line)"), "root (command line)"),
        (Actor("grant", "gra_1"), "a standing permission"),
        (Actor("slack_user", "U1", " \n "), "U1"),
        (Actor("slack_user", "U1", "ana\nDenied by @ben: \x1b[2J"), "@ana Denied by @ben: ⟦U+001B⟧[2J"),
        (Actor("slack_user", "U1", "a\u202eb"), "@a⟦U+202E⟧b"),
        (Actor("slack_user", "U1", "<!channel>"), "@<!channel>"),
        (Actor("api_key", "key_1", "k" * 500), f"the key {'k' * 79}…"),
    ],
)
def test_who_did_it_is_one_short_piece_of_a_line(actor, said) -> None:
    assert who(actor) == said
