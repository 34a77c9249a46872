"""`signoff approve`: ask, wait, claim; and run the command, where one is given."""

import asyncio
import json
import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import click

from signoff import AsyncSignoff, errors, outcomes
from signoff.asks import AskingApproval
from signoff.cli import tickets, words
from signoff.cli.conduct import STOPPED_EVERY, Conduct, Job, held_up
from signoff.cli.exits import Exit
from signoff.cli.screen import ASKED, NO, WARNING, YES, Screen
from signoff.cli.signals import Ending, heard
from signoff.cli.tickets import Effort, Ticket
from signoff.cli.waiting import Cancelled, Leaving, OnCancel, Watch
from signoff.cli.ways import Way
from signoff.flows import Claiming
from signoff.types import Approval, Claim, Interaction


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """How an ask is waited for. `seconds` None: as long as it is open. `is_ci`: whether a job asks, and no person.

    `names_run`: whether the run was named by whoever started this, and not read from CI.
    """

    seconds: float | None
    on_cancel: OnCancel
    is_ci: bool
    names_run: bool
    as_json: bool
    is_quiet: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """`job` None: the caller goes on by itself when this ends with 0. `attempt`: one run at the same approval."""

    title: str
    ask: AskingApproval
    terms: Terms
    attempt: str
    worker: str
    job: Job | None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)


def approve(way: Way, plan: Plan) -> int:
    """The exit code. Raises SignoffError, click.UsageError."""

    async def once() -> int:
        async with way.client() as so:
            with heard() as ending:
                return await _Course(so, plan, ending).run()

    return asyncio.run(once())


class _Course:
    def __init__(self, so: AsyncSignoff, plan: Plan, ending: Ending) -> None:
        self._so = so
        self._plan = plan
        self._ending = ending
        self._screen = Screen(is_quiet=plan.terms.is_quiet)
        self._watch = Watch(so, screen=self._screen, ending=ending, seconds=plan.terms.seconds)
        self._leaving = Leaving(self._watch, plan.terms.on_cancel, is_ci=plan.terms.is_ci)
        self._claim: Claim | None = None

    async def run(self) -> int:
        guard = asyncio.create_task(self._leaving.parent_gone())
        found: Approval | None = None
        try:
            found = await self._watch.asked(self._so.request_approval(self._plan.title, **self._plan.ask))
            announce(self._screen, found)
            found = await self._watch.resolved(found)
            code = await self._decided(found)
        except Cancelled:
            code = await self._cancelled(found)
        except errors.NoGo as refusal:
            found, code = self._of(refusal), self._refused(refusal)
        finally:
            guard.cancel()
            with suppress(asyncio.CancelledError):
                await guard
        if self._plan.terms.as_json and found is not None:
            click.echo(json.dumps(self._as_json(found, code), ensure_ascii=sys.stdout.isatty()))
        return int(code)

    async def _decided(self, found: Approval) -> int:
        """Raises NoGo, Cancelled."""
        if found.state != "approved":
            raise await self._ended(found)
        effort = Effort(id=found.id, run_id=found.run_id, operation_id=found.operation_id, attempt=self._plan.attempt)
        try:
            with tickets.held(effort, environment=self._plan.environment) as ticket:
                if ticket.is_spent and not _is_free_again(found):
                    raise await self._spent(found)
                if _is_free_again(found):
                    ticket.renew()
                return await self._taken(found, ticket)
        except tickets.InUse as busy:
            process = f"process {busy.pid}" if busy.pid else "another process"
            self._screen.tell(f"Already in hand: {process} on this machine runs it. It is not run again.", mark=NO)
            return Exit.ALREADY_RAN

    async def _taken(self, found: Approval, ticket: Ticket) -> int:
        claim = await self._claimed(found, ticket)
        self._claim = claim
        refusal = outcomes.of_claim(claim)
        if refusal is not None:
            raise refusal
        self._screen.tell(f"{words.yes(claim.approval)}.", mark=YES)
        if self._plan.job is None:
            return await self._handed_over(claim, ticket)
        conduct = Conduct(self._so, self._plan.job, screen=self._screen, ending=self._ending)
        ended = await conduct.run(claim.approval, ticket)
        if isinstance(ended, errors.NoGo):
            raise ended
        return ended

    async def _claimed(self, found: Approval, ticket: Ticket) -> Claim:
        """Once nothing holds it up."""
        is_told = False
        terms: Claiming = {"claim_id": ticket.claim_id, "worker": self._plan.worker}
        if self._plan.job is not None:
            terms["report_within"] = self._plan.job.report_within
        while True:
            claim = await self._so.claim(found, **terms)
            if claim.stopped is None:
                return claim
            if not is_told:
                self._screen.tell(held_up(claim.stopped), mark=WARNING)
                is_told = True
            if not self._watch.left:
                return claim
            await self._watch.pause(min(STOPPED_EVERY, self._watch.left))

    async def _handed_over(self, claim: Claim, ticket: Ticket) -> int:
        """The caller goes on: from here on this is never handed over again."""
        if self._ending.signal is not None:
            detail = "cancelled before it began: nothing ran"
            await self._so.report(claim.approval, "failed", claim_id=ticket.claim_id, detail=detail)
            self._screen.tell("Cancelled before it began. Nothing ran.", mark=WARNING)
            return self._ending.code
        ticket.spend()
        return Exit.YES

    async def _ended(self, found: Approval) -> errors.NoGo:
        """A denial is claimed, so that nobody else has to look at it; it is one with or without that."""
        if found.state == "denied" and found.claimed_at is None:
            with suppress(errors.SignoffError):
                await self._so.claim(found, worker=self._plan.worker)
        ended = outcomes.of_state(found)
        assert ended is not None
        return ended

    async def _spent(self, found: Approval) -> errors.NoGo:
        now = await self._so.read(found)
        assert isinstance(now, Approval)
        return errors.AlreadyRan(interaction=now)

    async def _cancelled(self, found: Approval | None) -> int:
        if found is None:
            self._screen.tell(
                "Cancelled before Signoff confirmed the ask: it may be open. See signoff pending.", mark=WARNING
            )
            return self._ending.code
        return await self._leaving.left(found, again=again(found, self._plan.terms))

    def _refused(self, refusal: errors.NoGo) -> int:
        code = words.exit_of(refusal)
        self._screen.tell(words.became(refusal), mark=WARNING if code is Exit.STILL_WAITING else NO)
        if code is Exit.STILL_WAITING:
            self._screen.hint(again(refusal.interaction, self._plan.terms))
            if refusal.interaction.is_pending:
                self._screen.hint(take_back(refusal.interaction))
        return code

    def _of(self, refusal: errors.NoGo) -> Approval:
        assert isinstance(refusal.interaction, Approval)
        return refusal.interaction

    def _as_json(self, found: Approval, code: int) -> dict[str, Any]:
        claim = self._claim
        said: dict[str, Any] = {
            "id": found.id,
            "run_id": found.run_id,
            "operation_id": found.operation_id,
            "state": found.state,
            "execute": claim is not None and claim.execute,
            "exit": int(code),
            "by": None if found.resolved_by is None else found.resolved_by.id,
            "feedback": found.feedback,
        }
        if claim is not None and claim.execute:
            said |= {"claim_id": claim.claim_id, "input": claim.input}
        return said


def announce(screen: Screen, asked: Interaction) -> None:
    """What was asked, of whom, until when."""
    title = asked.title or "a question"
    screen.tell(
        f"{title}  [{asked.id}]" if screen.is_terminal else f'asked "{title}" ({asked.id})', mark=ASKED, bold=True
    )
    if not asked.is_pending:
        return
    who = words.deciders(asked)
    if who:
        screen.fact("decides", who)
    if asked.expires_at is not None:
        screen.fact("until", words.moment(asked.expires_at, local=screen.is_terminal))


def again(asked: Interaction, terms: Terms) -> str:
    """The way back to this ask. What CI calls a run is another name the next time."""
    named = "" if terms.names_run else f" with {shlex.join(['--run', asked.run_id])}"
    return f"Go on: the same command again{named}"


def take_back(asked: Interaction) -> str:
    return f"Take it back: signoff withdraw {asked.id}"


def _is_free_again(found: Approval) -> bool:
    """A person has said that nothing happened: one new claim may take it."""
    return found.settled is not None and not found.settled.happened and found.claimed_at is None
