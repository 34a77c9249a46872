"""Names in a policy: which were written, and which id each one means. Pure; nothing is guessed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from blocks.visible import one_line
from bot.listed import Listed, ListedKind
from bot.naming import NEAREST, seek
from bot.policy_options import IDS, Said, parts
from bot.settings import HalfConfigured

#: Before the name of a person or a user group, and of a channel.
MARK = "@"
CHANNEL_MARK = "#"


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolved:
    """`said`: with ids only. `lines`: what each name turned out to be, and what to do about it."""

    said: Said
    lines: tuple[str, ...]


def names_people(said: Said) -> bool:
    """Whether people or user groups are to be looked up."""
    return any(each.startswith(MARK) for text in _texts(said) for each in parts(text))


def names_channels(said: Said) -> bool:
    return any(each.startswith(CHANNEL_MARK) for each in parts(said.to))


def with_ids(said: Said, known: Sequence[Listed]) -> Resolved:
    """Every @name and #channel as its id. Raises HalfConfigured for the first that means none, or more than one."""
    lines: dict[str, None] = {}
    channels = [each for each in known if each.kind is ListedKind.CHANNEL]
    others = [each for each in known if each.kind is not ListedKind.CHANNEL]

    def places(name: str) -> str:
        found = _one("--to", name, channels if name.startswith(CHANNEL_MARK) else others)
        if found.kind is ListedKind.GROUP:
            raise HalfConfigured(
                f"--to: {name!r} is a user group; cards go to channels (#name, C…) and people (@name, U…)"
            )
        return note(name, found)

    def people(option: str) -> Callable[[str], str]:
        return lambda name: note(name, _one(option, name, others))

    def note(name: str, found: Listed) -> str:
        lines[f"{name} is {found}"] = None
        if not found.is_open:
            lines[f"The app is not in {name} yet: write /invite @Signoff there, or its cards fail"] = None
        return found.id

    resolved = replace(
        said,
        approvers=_replaced(said.approvers, MARK, people("--approvers")),
        to=None if said.to is None else _replaced(said.to, MARK + CHANNEL_MARK, places),
        escalate=tuple(_replaced(step, MARK, people("--escalate")) for step in said.escalate),
    )
    return Resolved(said=resolved, lines=tuple(lines))


def _texts(said: Said) -> Iterator[str]:
    yield from (said.approvers, said.to or "", *said.escalate)


def _replaced(text: str, marks: str, by: Callable[[str], str]) -> str:
    return ",".join(by(each) if each.startswith(tuple(marks)) else each for each in parts(text))


def _one(option: str, name: str, known: Sequence[Listed]) -> Listed:
    mark, bare = name[:1], name[1:]
    sought = seek(bare, known)
    if sought.is_exact:
        return sought.found[0].listed
    who = "no channel that the app sees" if mark == CHANNEL_MARK else "nobody and no user group"
    both = [str(each.listed) for each in sought.found if each.listed.goes_by(bare)]
    if len(both) > 1:
        more = f" and {len(both) - NEAREST} more" if len(both) > NEAREST else ""
        raise HalfConfigured(
            f"{option}: {name!r} is ambiguous: {', '.join(both[:NEAREST])}{more}; write the id that you mean"
        )
    near = ", ".join(f"{mark}{one_line(each.name)}, {each.listed}" for each in sought.found)
    raise HalfConfigured(
        f"{option}: {who} is called {name!r}; {f'nearest: {near}' if near else f'write an id ({IDS})'}"
    )
