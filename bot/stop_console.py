"""What the command line stops, lets go on and settles: lines of text from rows."""

from collections.abc import Sequence

from bot.console import find_one, moment
from bot.operators import at_this_machine
from bot.policy_options import TOOL
from bot.settings import HalfConfigured
from bot.stop_words import line, what
from bot.usecases.operating import named
from store.ids import new_id
from store.protocol import Store
from store.types import Approval, Stop, Surface

_MOST_REASON = 300


async def stop_line(store: Store, tenant: str, tool: str | None, reason: str | None) -> str:
    """Raises HalfConfigured for what no tool is called."""
    if tool is not None and (TOOL.fullmatch(tool) is None or not tool.isprintable()):
        raise HalfConfigured(f"{tool!r}: write a tool's name, or its beginning and one star at its end, as 'deploy.*'")
    if reason is not None and len(reason) > _MOST_REASON:
        raise HalfConfigured(f"--reason: at most {_MOST_REASON} characters")
    at = await store.now()
    asked = Stop(
        tenant=tenant,
        id=new_id("stp", now=at),
        tool=named(tool),
        actor=at_this_machine(),
        at=at,
        reason=reason or None,
    )
    held = await store.add_stop(stop=asked)
    if held.id != asked.id:
        return f"Stopped already: {line(held)}."
    back = "" if held.tool is None else f" {held.tool!r}"
    return f"Stopped: {what(held)}. No claim of it executes until `signoff-bot go{back}`; what runs already goes on."


async def go_lines(store: Store, tenant: str, tool: str | None) -> Sequence[str]:
    """Raises HalfConfigured where nothing was stopped by this name."""
    at = await store.now()
    ended = await store.end_stops(tenant=tenant, tool=named(tool), actor=at_this_machine(), at=at)
    if not ended:
        asked = "nothing is stopped" if tool is None else f"there is no stop of exactly {tool!r}"
        raise HalfConfigured(f"{asked}; `signoff-bot stops` lists those that hold")
    left = await store.list_stops(tenant=tenant)
    return [*(f"Goes on: {what(stop)}." for stop in ended), *(f"Still stopped: {line(stop)}" for stop in left)]


async def stop_lines(store: Store, tenant: str) -> Sequence[str]:
    return [line(stop) for stop in await store.list_stops(tenant=tenant)] or ["Nothing is stopped."]


async def settle_line(store: Store, tenant: str, id: str, *, happened: bool) -> str:
    """Raises HalfConfigured where there is nothing to settle."""
    found = await find_one(store, tenant, id)
    if not isinstance(found, Approval):
        raise HalfConfigured(f"{found.id} is a question: nothing runs after it")
    outcome = await store.settle(
        tenant=tenant,
        id=found.id,
        actor=at_this_machine(),
        happened=happened,
        at=await store.now(),
        surface=Surface.CLI,
    )
    if not outcome.settled:
        execution = outcome.approval.execution
        stands = "it is not running" if execution is None else f"its run is {execution.status}"
        raise HalfConfigured(f"{found.id} is not unknown: {stands}")
    if happened:
        return f"{found.id} happened: it counts as done, and runs no more."
    until = moment(outcome.approval.runs_until)
    return (
        f"{found.id} did not happen: one new claim may run it until {until}. Its first claimant cannot report any more."
    )
