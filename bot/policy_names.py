"""Names in a policy: which were written, and which id each one means. Pure; nothing is guessed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from blocks.visible import one_line
from bot.listed import Listed
from bot.policy_options import IDS, Said, parts
from bot.settings import HalfConfigured

MARK = "@"
#: As many as a sentence names.
_NEAREST = 3
_NEAR = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolved:
    """`said`: with ids only. `lines`: what each name turned out to be."""

    said: Said
    lines: tuple[str, ...]


def has_names(said: Said) -> bool:
    return any(each.startswith(MARK) for text in _texts(said) for each in parts(text))


def with_ids(said: Said, known: Sequence[Listed]) -> Resolved:
    """Every @name as its id. Raises HalfConfigured for the first that means nobody, or more than one."""
    lines: dict[str, None] = {}

    def places(name: str) -> str:
        found = _one("--to", name, known)
        if found.is_group:
            raise HalfConfigured(f"--to: {name!r} is a user group; cards go to channels (C…) and people (@name or U…)")
        return note(name, found)

    def people(option: str) -> Callable[[str], str]:
        return lambda name: note(name, _one(option, name, known))

    def note(name: str, found: Listed) -> str:
        lines[f"{name} is {found}"] = None
        return found.id

    resolved = replace(
        said,
        approvers=_replaced(said.approvers, people("--approvers")),
        to=None if said.to is None else _replaced(said.to, places),
        escalate=tuple(_replaced(step, people("--escalate")) for step in said.escalate),
    )
    return Resolved(said=resolved, lines=tuple(lines))


def _texts(said: Said) -> Iterator[str]:
    yield from (said.approvers, said.to or "", *said.escalate)


def _replaced(text: str, by: Callable[[str], str]) -> str:
    return ",".join(by(each) if each.startswith(MARK) else each for each in parts(text))


def _one(option: str, name: str, known: Sequence[Listed]) -> Listed:
    bare = name.removeprefix(MARK)
    found = [each for each in known if each.goes_by(bare)]
    if len(found) > 1:
        more = f" and {len(found) - _NEAREST} more" if len(found) > _NEAREST else ""
        both = ", ".join(str(each) for each in found[:_NEAREST])
        raise HalfConfigured(f"{option}: {name!r} is ambiguous: {both}{more}; write the id that you mean")
    # A group's handle is exact; whatever differs from one in its case alone is nearest to it.
    if not found or (found[0].is_group and bare not in found[0].names):
        raise HalfConfigured(f"{option}: nobody and no user group is called {name!r}; {_nearest(bare, known)}")
    return found[0]


def _nearest(bare: str, known: Sequence[Listed]) -> str:
    owners: dict[str, list[Listed]] = {}
    for each in known:
        for name in {name.casefold() for name in each.names}:
            owners.setdefault(name, []).append(each)
    close = get_close_matches(bare.casefold(), owners, n=_NEAREST * 3, cutoff=_NEAR)
    near = _distinct((name, each) for name in close for each in owners[name])
    if not near:
        return f"write an id ({IDS})"
    return "nearest: " + ", ".join(f"{MARK}{one_line(_as_written(name, each))}, {each}" for name, each in near)


def _distinct(found: Iterable[tuple[str, Listed]]) -> list[tuple[str, Listed]]:
    """The first three, each by the name of theirs that is nearest."""
    first: dict[str, tuple[str, Listed]] = {}
    for name, each in found:
        first.setdefault(each.id, (name, each))
    return list(first.values())[:_NEAREST]


def _as_written(folded: str, each: Listed) -> str:
    return next(name for name in each.names if name.casefold() == folded)
