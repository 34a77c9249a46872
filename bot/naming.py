"""Whom a written name means: the one that goes by it, or else the nearest. Pure; nothing is guessed."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest

from bot.listed import Listed, ListedKind, Matches, Named

#: As many as a sentence names.
NEAREST = 3
_NEAR = 0.5
#: A name that begins with what was written, or has a word that does, is near however long it is.
_BEGINS = 0.9
_HAS_WORD = 0.8
_LEAST_BEGINNING = 3


def seek(name: str, known: Sequence[Listed]) -> Matches:
    """Exact where one alone goes by this name; where more than one does, all of these; else the nearest three."""
    wanted = unicodedata.normalize("NFC", name)
    found = [each for each in known if each.goes_by(wanted)]
    # A group's handle is exact; whatever differs from one in its case alone is nearest to it.
    if len(found) > 1 or (found and (found[0].kind is not ListedKind.GROUP or wanted in found[0].names)):
        return Matches(
            found=tuple(Named(name=_as_written(wanted, each), listed=each) for each in found), is_exact=len(found) == 1
        )
    return Matches(found=tuple(_nearest(wanted, known)))


def nearest(name: str, known: Sequence[Listed]) -> Matches:
    """For what is no name itself, such as an address: nothing is exact."""
    return Matches(found=tuple(_nearest(name, known)))


def _nearest(wanted: str, known: Sequence[Listed]) -> Iterator[Named]:
    """The first three, each by the name of theirs that is nearest."""
    folded = _folded(wanted)
    if not folded:
        return
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(folded)
    scored = ((_likeness(matcher, folded, _folded(name)), name, each) for each in known for name in each.names)
    close = nlargest(NEAREST * 4, (one for one in scored if one[0] >= _NEAR), key=lambda one: one[0])
    yield from _distinct((name, each) for _, name, each in close)


def _likeness(matcher: SequenceMatcher[str], wanted: str, name: str) -> float:
    """0 to 1; 0 for all that is not near."""
    if len(wanted) >= _LEAST_BEGINNING and wanted in name:
        if name.startswith(wanted):
            return _BEGINS
        if any(word.startswith(wanted) for word in _words(name)):
            return _HAS_WORD
    matcher.set_seq1(name)
    if matcher.real_quick_ratio() < _NEAR or matcher.quick_ratio() < _NEAR:
        return 0.0
    return matcher.ratio()


def _words(name: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in name).split()


def _folded(name: str) -> str:
    """Without case and accents, which people leave out."""
    bare = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in bare if not unicodedata.combining(letter))


def _distinct(found: Iterable[tuple[str, Listed]]) -> list[Named]:
    first: dict[str, Named] = {}
    for name, each in found:
        first.setdefault(each.id, Named(name=name, listed=each))
    return list(first.values())[:NEAREST]


def _as_written(name: str, each: Listed) -> str:
    """The one of its names that was meant."""
    return next((one for one in each.names if one.casefold() == name.casefold()), each.names[0])
