"""The page of the cards shows each picture once, all of them are there, and they stay small."""

import re

from tests.blocks.gallery import gallery
from tests.blocks.pictures import PICTURES, SHEETS
from tests.docs.page import TOP, page

MEGABYTE = 1_000_000


def test_every_picture_is_shown_with_words_of_its_own() -> None:
    shown = re.findall(r"^!\[([^\]]+)\]\(pictures/([a-z_]+)\.png\)$", page("cards.md"), re.MULTILINE)

    assert [name for _, name in shown] == list(SHEETS)
    assert len({words for words, _ in shown}) == len(shown)
    assert {path.stem for path in PICTURES.iterdir()} == set(SHEETS)


def test_pictures_show_cards_of_the_gallery_each_once() -> None:
    named = [name for sheet in SHEETS.values() for name in sheet]

    assert set(named) <= set(gallery())
    assert len(named) == len(set(named))


def test_all_pictures_together_stay_small() -> None:
    sizes = [path.stat().st_size for path in (TOP / "docs").rglob("*.png")]

    assert len(sizes) <= 15
    assert sum(sizes) < 2 * MEGABYTE
