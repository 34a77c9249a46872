"""What goes with a vote: what a person is told of theirs, taking it back, more time."""

from blocks import notices_voting
from blocks.surface import Message, Note
from bot.slack.desk import Desk, surface_of
from bot.slack.listeners import lists
from bot.slack.payloads import Click, Origin
from store.outcomes import Extended, TakenBack
from store.rules import Action
from store.types import Approval, Decision, Interaction, State, Vote


async def said(desk: Desk, approval: Approval, origin: Origin, decision: Decision) -> Note | None:
    """After a vote that left it waiting: that it stood before, or what it was before. None: it is new; the card says so."""
    if not approval.is_pending:
        return None
    me = origin.person.user_id
    mine = next((vote for vote in approval.votes if vote.actor.id == me), None)
    if mine is None or mine.decision is not decision:
        return None
    if mine.at != origin.at:
        return notices_voting.vote_stands(approval, clicker=me, card=await _card(desk, approval, origin))
    before = await _vote_before(desk, mine, approval)
    if before is None or before.decision.allows == decision.allows:
        return None
    card = await _card(desk, approval, origin)
    return notices_voting.vote_changed(approval, before=before, clicker=me, card=card)


async def _vote_before(desk: Desk, mine: Vote, approval: Approval) -> Vote | None:
    """The vote that this one replaced, as its event tells; one that was taken back is none."""
    events = await desk.store.list_events(tenant=approval.tenant, interaction_id=approval.id)
    earlier = [event for event in events if event.actor.id == mine.actor.id and event.at < mine.at]
    voting = [event for event in earlier if event.action in {Action.VOTED, Action.VOTE_TAKEN_BACK}]
    if not voting or voting[-1].action != Action.VOTED:
        return None
    return Vote(actor=mine.actor, decision=Decision(str(voting[-1].details["decision"])), at=voting[-1].at)


async def _card(desk: Desk, interaction: Interaction, origin: Origin) -> str | None:
    """The way to the card, for who does not stand in front of it."""
    return None if origin.at_card else await desk.lookups.link(tenant=interaction.tenant, id=interaction.id)


async def take_back_button(desk: Desk, tenant: str, click: Click) -> None:
    """*Take back* of a card that is approved."""
    target = desk.target(click)
    if target is None:
        return
    await take_back(desk, tenant, click, target.id)


async def take_back(desk: Desk, tenant: str, click: Click, id: str) -> None:
    """One's own vote while it waits, or the approval while no run has it."""

    async def attempt() -> Message | None:
        outcome = await desk.service.take_back(
            tenant=tenant, id=id, person=click.origin.person, at=click.origin.at, surface=surface_of(click)
        )
        if not isinstance(outcome, TakenBack):
            return desk.refused(outcome)
        if not outcome.taken_back:
            desk.stale_copy(click, outcome.approval)
            return await _not_taken_back(desk, outcome.approval, click.origin)
        desk.follows(click, outcome.approval)
        return None

    await desk.answered(click, attempt(), copy_of=(tenant, id), decides=True)
    lists.redraw_after(desk, tenant, click)


async def _not_taken_back(desk: Desk, approval: Approval, origin: Origin) -> Note:
    if approval.is_pending:
        return notices_voting.no_vote()
    if approval.state is not State.APPROVED:
        return await desk.already(approval, origin)
    approved = {vote.actor.id for vote in approval.votes if vote.decision.allows}
    if origin.person.user_id in approved:
        return notices_voting.take_back_too_late(approval)
    return notices_voting.not_yours_to_take_back(approval)


async def extend(desk: Desk, tenant: str, click: Click) -> None:
    """*Give me 4 more hours*: once, for who may decide."""
    target = desk.target(click)
    if target is None:
        return

    async def attempt() -> Message | None:
        outcome = await desk.service.extend(
            tenant=tenant, id=target.id, person=click.origin.person, at=click.origin.at, surface=surface_of(click)
        )
        if not isinstance(outcome, Extended):
            return desk.refused(outcome)
        interaction = outcome.interaction
        if outcome.extended:
            desk.follows(click, interaction)
            return None
        desk.stale_copy(click, interaction)
        if not interaction.is_pending:
            return await desk.already(interaction, click.origin)
        is_used = interaction.course.extension is not None
        return notices_voting.extended_before(interaction) if is_used else notices_voting.no_more_time()

    await desk.answered(click, attempt(), copy_of=(tenant, target.id), decides=True)
