"""The endpoint of names: which id a channel, a group or a person has, as Slack tells it."""

from math import ceil

from blocks.visible import one_line
from bot.api import body, errors
from bot.api.errors import Fault, Problem
from bot.api.presenters import Json
from bot.api.route import Call
from bot.listed import LacksScope, Matches, Named, NoMatches, TooMany, Unanswered
from bot.naming import NEAREST

#: Characters of a name that is looked up.
MAX_NAME = 200


async def look_up(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=frozenset({"q"}))
    text = given.get("q", "").strip()
    if not 1 <= len(text) <= MAX_NAME:
        raise errors.invalid([Fault(pointer="/q", message=f"A name of 1 to {MAX_NAME} characters.")])
    names = call.rooms.names
    if names is None:
        raise errors.slack_unavailable(words="This server is not connected to Slack", seconds=60)
    found = await names.find(tenant=call.key.tenant, text=text)
    if not isinstance(found, Matches):
        raise _problem(found)
    return 200, {"matches": [_shown(each) for each in found.found[:NEAREST]], "exact": found.is_exact}


def _shown(found: Named) -> Json:
    """What steers a terminal or turns a line around is made visible: names are other people's text."""
    listed = found.listed
    return {"id": listed.id, "kind": listed.kind.value, "name": one_line(found.name), "label": one_line(listed.label)}


def _problem(why: NoMatches) -> Problem:
    if isinstance(why, LacksScope):
        return errors.slack_scope(why.scope)
    if isinstance(why, TooMany):
        words = f"This workspace has more {why.what} than are looked through. Give the id, or a person's address."
        return errors.invalid([Fault(pointer="/q", message=words)])
    assert isinstance(why, Unanswered)
    return errors.slack_unavailable(words=why.words, seconds=ceil(why.seconds))
