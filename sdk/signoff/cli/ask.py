"""`signoff ask`: a question to people; the answer comes back as JSON on standard output, or as plain lines."""

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import click

from signoff import AsyncSignoff, errors, outcomes
from signoff.asks import AskingQuestions, Question
from signoff.cli import words
from signoff.cli.approve import Terms, again, announce, take_back
from signoff.cli.exits import Exit
from signoff.cli.plain import without_orders
from signoff.cli.screen import NO, WARNING, YES, Screen
from signoff.cli.signals import Ending, heard
from signoff.cli.waiting import Cancelled, Leaving, Watch
from signoff.cli.ways import Way
from signoff.types import Answer, QuestionSet


@dataclass(frozen=True, kw_only=True, slots=True)
class Inquiry:
    """`is_plain`: the values alone, a line each, for a shell."""

    question: Question
    ask: AskingQuestions
    terms: Terms
    is_plain: bool


def ask(way: Way, inquiry: Inquiry) -> int:
    """The exit code. Raises SignoffError, click.UsageError."""

    async def once() -> int:
        async with way.client() as so:
            with heard() as ending:
                return await _asked(so, inquiry, ending)

    return asyncio.run(once())


async def _asked(so: AsyncSignoff, inquiry: Inquiry, ending: Ending) -> int:
    screen = Screen(is_quiet=inquiry.terms.is_quiet)
    watch = Watch(so, screen=screen, ending=ending, seconds=inquiry.terms.seconds)
    leaving = Leaving(watch, inquiry.terms.on_cancel, is_ci=inquiry.terms.is_ci)
    guard = asyncio.create_task(leaving.parent_gone())
    found: QuestionSet | None = None
    try:
        found = await watch.asked(so.ask_questions([inquiry.question], **inquiry.ask))
        announce(screen, found)
        found = await watch.resolved(found)
        ended = outcomes.of_state(found)
        if ended is not None:
            raise ended
    except Cancelled:
        if found is None:
            screen.tell("Cancelled before Signoff confirmed the question: it may be open.", mark=WARNING)
            return ending.code
        return await leaving.left(found, again=again(found, inquiry.terms))
    except errors.NoGo as refusal:
        return _refused(screen, refusal, inquiry.terms)
    finally:
        guard.cancel()
        with suppress(asyncio.CancelledError):
            await guard
    screen.tell(f"{words.yes(found)}.", mark=YES)
    answer = (found.answers or {})[inquiry.question.id]
    _print(answer, is_plain=inquiry.is_plain)
    return Exit.YES


def _refused(screen: Screen, refusal: errors.NoGo, terms: Terms) -> int:
    code = words.exit_of(refusal)
    screen.tell(words.became(refusal), mark=WARNING if code is Exit.STILL_WAITING else NO)
    if code is Exit.STILL_WAITING:
        screen.hint(again(refusal.interaction, terms))
        screen.hint(take_back(refusal.interaction))
    return code


def _print(answer: Answer, *, is_plain: bool) -> None:
    is_terminal = sys.stdout.isatty()
    if is_plain:
        for value in answer.values:
            click.echo(without_orders(value) if is_terminal else value)
    else:
        click.echo(json.dumps(_as_json(answer), ensure_ascii=is_terminal))


def _as_json(answer: Answer) -> dict[str, Any]:
    if answer.is_skipped:
        return {"is_skipped": True, "value": None}
    value = list(answer.value) if isinstance(answer.value, tuple) else answer.value
    said: dict[str, Any] = {"is_skipped": False, "value": value}
    if answer.option_ids:
        said["option_ids"] = list(answer.option_ids)
    if answer.other is not None:
        said["other"] = answer.other
    return said
