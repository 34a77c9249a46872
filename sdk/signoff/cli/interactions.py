"""`signoff pending`, `show`, `withdraw`, `report`: what was asked, read and taken back."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from signoff import Signoff
from signoff.cli import hosted, words
from signoff.cli.tables import table
from signoff.cli.tickets import Effort, claim_of
from signoff.errors import NotFound
from signoff.plain import one_line
from signoff.types import Answer, AnyInteraction, Approval, Interaction, QuestionSet

#: How many pages are looked through for a short code.
_PAGES = 5
_PAGE = 200
_CODE = 5


class NotOne(click.ClickException):
    """A short code that is nobody's, or of several."""


def pending(so: Signoff, *, run_id: str | None, as_json: bool) -> None:
    """By deadline."""
    found = list(_pages(so, pages=sys.maxsize, state="pending", **({"run_id": run_id} if run_id else {})))
    if as_json:
        click.echo(_json(found))
    elif not found:
        click.echo("Nothing waits.")
    else:
        head = ("CODE", "KIND", "RUN", "DECIDES", "UNTIL", "TITLE")
        click.echo(table(head, [_row(each) for each in found], stream=sys.stdout))


def show(so: Signoff, id: str, *, as_json: bool) -> None:
    """An ask, or else the hosted run of this name. Raises NotOne, NotFound."""
    try:
        found = one(so, id)
    except (NotOne, NotFound):
        run = hosted.known(so, id)
        if run is None:
            raise
        hosted.show(run, as_json=as_json)
        return
    if as_json:
        click.echo(_json(found))
        return
    facts = [(label, value) for label, value in _facts(found) if value]
    for label, value in facts:
        click.echo(f"{click.style(label.ljust(10), dim=True)} {one_line(value)}")


def withdraw(so: Signoff, id: str, *, reason: str | None, as_json: bool) -> bool:
    """Whether it is withdrawn now, by this or before. Raises NotOne, NotFound."""
    outcome = so.withdraw(one(so, id), reason=reason)
    found = outcome.interaction
    if as_json:
        click.echo(_json(outcome))
    elif outcome.withdrawn:
        click.echo(f"{found.id} is withdrawn.")
    else:
        click.echo(f"{found.id} was {_state(found)} before; nothing changed.", err=True)
    return found.state == "withdrawn"


def withdraw_run(so: Signoff, run_id: str, *, reason: str | None) -> None:
    """All that this run has open."""
    for found in list(_pages(so, pages=sys.maxsize, state="pending", run_id=run_id)):
        if so.withdraw(found, reason=reason).withdrawn:
            click.echo(f"{found.id} is withdrawn.")


def report(so: Signoff, id: str, *, status: Any, detail: str | None, claim_id: str | None, attempt: str) -> None:
    """Of what was approved without a command, from the machine that claimed it. Raises NotOne, NotClaimant."""
    found = one(so, id)
    if not isinstance(found, Approval):
        raise NotOne(f"{found.id} is a question: nothing runs, and nothing is reported.")
    effort = Effort(id=found.id, run_id=found.run_id, operation_id=found.operation_id, attempt=attempt)
    known = claim_id or claim_of(effort, environment=os.environ)
    if known is None:
        raise NotOne(
            f"{found.id} was not claimed on this machine. Give --claim the claim_id that `signoff approve --json` printed."
        )
    so.report(found, status, claim_id=known, detail=detail)
    click.echo(f"Reported: {status}.", err=True)


def one(so: Signoff, id: str) -> AnyInteraction:
    """By its id, or by its short code: first among what is pending, then among what is newest.

    Raises:
        NotOne: nothing has this code, or several have.
    """
    if len(id) != _CODE:
        return so.read(id)
    for filters in ({"state": "pending"}, {}):
        found = {each.id: each for each in _pages(so, pages=_PAGES, **filters) if each.code.upper() == id.upper()}
        if len(found) > 1:
            raise NotOne(f"{id} is the code of several: {', '.join(found)}. Give one of these ids.")
        if found:
            return next(iter(found.values()))
    raise NotOne(f"Nothing recent has the code {id}. Give the whole id.")


def _pages(so: Signoff, *, pages: int, **filters: Any) -> Iterator[AnyInteraction]:
    for _ in range(pages):
        page = so.list(limit=_PAGE, **filters)
        yield from page.items
        if page.next_cursor is None:
            return
        filters["cursor"] = page.next_cursor


def _row(found: Interaction) -> Sequence[str]:
    until = "" if found.expires_at is None else words.moment(found.expires_at, local=sys.stdout.isatty())
    return (found.code, found.kind, found.run_id, words.deciders(found), until, _title(found))


def _title(found: Interaction) -> str:
    if found.title or not isinstance(found, QuestionSet):
        return found.title
    return " · ".join(question.prompt for question in found.questions)


def _facts(found: AnyInteraction) -> Iterator[tuple[str, str]]:
    local = sys.stdout.isatty()
    yield "id", f"{found.id}  {found.kind}"
    yield "state", _state(found)
    yield "title", _title(found)
    yield "run", f"{found.run_id} · operation {found.operation_id}"
    yield "asked", words.moment(found.created_at, local=local)
    yield "until", "" if found.expires_at is None else words.moment(found.expires_at, local=local)
    if found.policy is not None:
        yield "policy", f"{found.policy.name}, revision {found.policy.revision}"
    if isinstance(found, Approval):
        yield from _of_approval(found)
    else:
        for question in found.questions:
            yield "asks", f"{question.prompt} → {_said((found.answers or {}).get(question.id))}"
    for link in words.cards(found):
        yield "card", link
    for failure in words.not_posted(found):
        yield "card", failure


def _of_approval(found: Approval) -> Iterator[tuple[str, str]]:
    local = sys.stdout.isatty()
    yield "decides", words.deciders(found)
    if found.tool_name is not None:
        yield "runs", f"{found.tool_name} {json.dumps(found.approved_input, ensure_ascii=False)}"
    yield "digest", found.digest
    for vote in found.votes:
        said = f": {vote.feedback}" if vote.feedback else ""
        yield "vote", f"{words.who(vote.by)} {vote.decision}, {words.moment(vote.at, local=local)}{said}"
    if found.progress is not None:
        on = f" on {found.progress.worker}" if found.progress.worker else ""
        yield "execution", f"{found.progress.status}{on}, {words.moment(found.progress.at, local=local)}"
        yield "detail", found.progress.detail or ""


def _state(found: Interaction) -> str:
    by = words.who(found.resolved_by) if found.resolved_by is not None and found.resolved_by.id else ""
    instead = f", replaced by {found.superseded_by}" if found.superseded_by else ""
    return f"{found.state}{f' by {by}' if by else ''}{instead}"


def _said(answer: Answer | None) -> str:
    if answer is None:
        return "…"
    return "(skipped)" if answer.is_skipped else " · ".join(answer.values)


def _json(what: Any) -> str:
    """As the HTTP API says it, as far as this version knows its fields."""
    return json.dumps(msgspec.to_builtins(what), ensure_ascii=sys.stdout.isatty())
