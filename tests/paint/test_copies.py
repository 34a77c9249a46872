"""What a process remembers of copies spares questions, and never answers one wrongly."""

from datetime import timedelta

from bot import copies
from bot.copies import Copies
from tests.clock import START

PLACE = ("apr_1", "C1", "1.1")
SECOND = timedelta(seconds=1)


def test_a_copy_shows_what_was_read_no_earlier_than_asked() -> None:
    known = Copies()
    known.painted(PLACE, read_at=START)

    assert known.shows(PLACE, since=START)
    assert not known.shows(PLACE, since=START + SECOND)
    assert not known.shows(("apr_1", "C1", "2.2"), since=START)


def test_seeing_a_copy_again_forgets_nothing_of_it() -> None:
    known = Copies()
    known.painted(PLACE, read_at=START)

    known.saw(PLACE)

    assert known.knows(PLACE)
    assert known.shows(PLACE, since=START)


def test_the_oldest_is_forgotten_first() -> None:
    known = Copies()
    known.saw(PLACE)
    for number in range(copies.MOST):
        known.saw(("apr_2", "C1", str(number)))

    assert not known.knows(PLACE)
    assert known.knows(("apr_2", "C1", "0"))
