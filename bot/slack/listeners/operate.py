"""`/signoff stop`, `go` and `stops`: what operators type to keep tools from running."""

import re
from collections.abc import Awaitable, Callable, Mapping

import structlog

from blocks import stopping
from blocks.surface import Note
from bot.slack.desk import Desk
from bot.slack.payloads import Origin
from bot.usecases.results import NotOperator
from store.errors import Unconfirmed

log = structlog.get_logger("signoff.operate")

#: What an operator may not type as a tool's name: the API takes no longer ones.
LONGEST_TOOL = 200
#: Words that mean all tools.
_EVERYTHING = frozenset({"all", "*"})
_MAY = "stop tools"
#: A name of several words stands in quotes, also in those that a phone makes of them, or as code.
_QUOTED = re.compile(
    r"""(?:"([^"]*)"|[\u201c\u201d\u201e]([^\u201c\u201d]*)[\u201c\u201d]|`([^`]*)`)\s*(.*)""", re.DOTALL
)


async def stop(desk: Desk, tenant: str, origin: Origin, typed: str) -> Note:
    """`/signoff stop [tool] [why]`: without a tool, or with `all`, everything."""
    tool, why = parted(typed)
    if tool is not None and len(tool) > LONGEST_TOOL:
        return stopping.too_long("a tool's name", LONGEST_TOOL)
    if len(why) > stopping.LONGEST_REASON:
        return stopping.too_long("a reason", stopping.LONGEST_REASON)
    held = await desk.service.stop(
        tenant=tenant,
        person=origin.person,
        tool=tool,
        at=origin.at,
        reason=why or None,
        is_operator=desk.is_operator(origin),
    )
    if isinstance(held, NotOperator):
        return desk.not_operator(_MAY)
    return stopping.stopped(held, is_new=held.at == origin.at)


async def go(desk: Desk, tenant: str, origin: Origin, typed: str) -> Note:
    """`/signoff go [tool]`: exactly that stop; without a tool, or with `all`, every one."""
    tool, _ = parted(typed)
    ended = await desk.service.go(
        tenant=tenant, person=origin.person, tool=tool, at=origin.at, is_operator=desk.is_operator(origin)
    )
    if isinstance(ended, NotOperator):
        return desk.not_operator(_MAY)
    return stopping.gone_on(ended, await desk.service.stops(tenant=tenant), tool=tool)


async def stops(desk: Desk, tenant: str, origin: Origin, typed: str) -> Note:  # noqa: ARG001  as every command
    """`/signoff stops`: those that hold."""
    if not desk.is_operator(origin):
        return desk.not_operator("see what is stopped")
    return stopping.stops(await desk.service.stops(tenant=tenant))


#: By the word after `/signoff`.
COMMANDS: Mapping[str, Callable[[Desk, str, Origin, str], Awaitable[Note]]] = {"stop": stop, "go": go, "stops": stops}


async def run(desk: Desk, tenant: str, origin: Origin, verb: str, typed: str) -> Note:
    """One of them; whatever may have been committed is not called undone."""
    try:
        return await COMMANDS[verb](desk, tenant, origin, typed)
    except Unconfirmed:
        log.warning("command_unconfirmed", verb=verb)
        return stopping.unconfirmed()


def parted(typed: str) -> tuple[str | None, str]:
    """The tool (None for everything) and the rest."""
    quoted = _QUOTED.fullmatch(typed.strip())
    if quoted is not None:
        tool, why = next((name for name in quoted.group(1, 2, 3) if name is not None), ""), quoted[4]
    else:
        tool, _, why = typed.strip().partition(" ")
    tool = tool.strip()
    return (None if not tool or tool.lower() in _EVERYTHING else tool), why.strip()
