"""What operators stopped: the line on cards, and the private replies to `/signoff stop`, `go` and `stops`."""

from collections.abc import Sequence

from blocks import limits, notices, people, richtext
from blocks.richtext import bold, code, date, text
from blocks.surface import Block, Note
from blocks.visible import one_line
from store.types import Stop

#: Characters of a reason, as the API takes it.
LONGEST_REASON = 300
_MOST = 20


def line(stop: Stop) -> list[Block]:
    """`⚠️ Stopped by @chidi since …: why. Nothing starts until it goes on.`"""
    lead = [richtext.emoji("warning"), text(" "), bold("Stopped "), *_by(stop)]
    return [*lead, text(". Nothing starts until it goes on.")]


def _by(stop: Stop) -> list[Block]:
    """Who, since when, why; without a full stop."""
    why = limits.clip(one_line(stop.reason or ""), LONGEST_REASON).rstrip(" .")
    return [text("by "), *people.actor(stop.actor), text(" since "), date(stop.at), text(f": {why}" if why else "")]


def stopped(stop: Stop, *, is_new: bool) -> Note:
    """The reply to `/signoff stop`. `is_new`: otherwise it had been stopped before, and that one stands."""
    lead = "Stopped: " if is_new else "Already stopped: "
    runs = "What already runs is asked to end with its next report."
    if stop.tool is None:
        others = text(f". Nothing starts any more. {runs} To let it go on: ")
        ends = [code("/signoff go")]
    else:
        others = text(f". Other tools are not concerned. {runs} To let it go on: ")
        ends = [code(f"/signoff go {_typed(stop.tool)}"), text(". To stop everything: "), code("/signoff stop all")]
    since = [] if is_new else [text(" "), *_by(stop)]
    return notices.note(_says(lead, [stop]), bold(lead), *_tool(stop), *since, others, *ends, text("."))


def gone_on(ended: Sequence[Stop], held: Sequence[Stop], *, tool: str | None) -> Note:
    """The reply to `/signoff go`. `held`: what is still stopped."""
    still = [*_listed(held)] if held else []
    if not ended:
        lead = "Nothing was stopped" if tool is None else "No stop has the name"
        named = [] if tool is None else [text(" "), code(limits.clip(one_line(tool), limits.NAME))]
        return notices.note(f"{lead}.", bold(lead), *named, text(". Nothing changed."), *still)
    tools = people.joined([_tool(stop) for stop in ended[:_MOST]], last="and")
    ends = text(". What waited for it is told to its runs now.")
    return notices.note(_says("Goes on: ", ended), bold("Goes on: "), *tools, ends, *still)


def stops(held: Sequence[Stop]) -> Note:
    """The reply to `/signoff stops`."""
    if not held:
        return notices.note("Nothing is stopped.", bold("Nothing is stopped."))
    return notices.note(_says("Stopped: ", held), *_listed(held, lead="Stopped:"))


def unconfirmed() -> Note:
    """The database did not say whether it committed."""
    lead = "We could not confirm that."
    return notices.note(lead, bold(f"{lead} "), code("/signoff stops"), text(" shows what is stopped."))


def too_long(what: str, longest: int) -> Note:
    lead = "Not stopped yet: "
    return notices.note("Not stopped yet.", bold(lead), text(f"{what} has at most {longest:,} characters."))


def not_operator(operators: Sequence[str], *, may: str) -> Note:
    """To somebody who is none. `may`: what only operators do (`stop tools`)."""
    lead = f"You cannot {may}: "
    says = f"You cannot {may}."
    if not operators:
        none = [text("no operators are set. "), code("SIGNOFF_OPERATORS"), text(" names them. Nothing changed.")]
        return notices.note(says, bold(lead), *none)
    named = [[richtext.user(one)] for one in operators[: limits.PEOPLE]]
    more = len(operators) - len(named)
    who = people.joined([*named, [text(f"{more} more")]] if more else named, last="and" if more else "or")
    return notices.note(says, bold(lead), text("only "), *who, text(" can. Nothing changed."))


def _listed(held: Sequence[Stop], *, lead: str = "Still stopped:") -> list[Block]:
    """A line for each, under the paragraph."""
    parts: list[Block] = [bold(lead)] if lead == "Stopped:" else [text("\n"), bold(lead)]
    for stop in held[:_MOST]:
        parts += [text("\n• "), *_tool(stop), text(" "), *_by(stop)]
    more = len(held) - _MOST
    return [*parts, text(f"\n• and {more} more")] if more > 0 else parts


def _tool(stop: Stop) -> list[Block]:
    return [text("everything")] if stop.tool is None else [code(limits.clip(one_line(stop.tool), limits.NAME))]


def _typed(tool: str) -> str:
    """As one types it: a name of several words in quotes."""
    shown = one_line(tool)
    return f'"{shown}"' if " " in shown else shown


def _says(lead: str, stops_: Sequence[Stop]) -> str:
    named = ", ".join("everything" if stop.tool is None else one_line(stop.tool) for stop in stops_[:3])
    return limits.escaped(limits.clip(f"{lead}{named}", limits.FALLBACK // 2))
