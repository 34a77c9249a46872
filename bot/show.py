"""One interaction, all of it, as lines of text from rows."""

from collections.abc import Iterator, Mapping, Sequence

from bot import policy_words
from bot.actors import who
from bot.console import deciders, find_one, moment, progress
from bot.run_console import show_run
from bot.spans import in_words
from bot.stop_words import line as stop_line
from store.protocol import Store
from store.terms import holding
from store.types import Answer, Approval, Course, Event, Interaction, Posting, QuestionSet, Stop

#: Facts of an event that its line repeats, in this order.
_TOLD = ("decision", "users", "groups", "until", "status", "policy", "revision")


async def show_lines(store: Store, tenant: str, id: str) -> Sequence[str]:
    run = await store.find_run(tenant=tenant, run_id=id)
    if run is not None:
        return show_run(run)
    interaction = await find_one(store, tenant, id)
    postings = await store.find_postings(tenant=tenant, interaction_ids=[interaction.id])
    events = await store.list_events(tenant=tenant, interaction_id=interaction.id)
    stops = await store.list_stops(tenant=tenant)
    return [
        f"{interaction.id}  {interaction.kind}  {interaction.state}",
        f"title      {interaction.title}",
        f"run        {interaction.run_id} · operation {interaction.operation_id}",
        f"asked by   {_asker(interaction)} at {moment(interaction.created_at)}",
        f"may decide {deciders(interaction)}",
        f"deadline   {_deadline(interaction)}",
        *_ruled(interaction),
        *_course(interaction.course),
        *(_action(interaction) if isinstance(interaction, Approval) else _questions(interaction)),
        *(_life(interaction, stops) if isinstance(interaction, Approval) else ()),
        *_resume(interaction),
        *(_copy(copy) for copy in postings[interaction.id]),
        *(_event(event) for event in events),
    ]


def _deadline(interaction: Interaction) -> str:
    extension = interaction.course.extension
    until = moment(interaction.expires_at) if interaction.expires_at else "none"
    return until if extension is None else f"{until} · {who(extension.actor)} gave more time"


def _ruled(interaction: Interaction) -> Iterator[str]:
    """The policy, as it was when this was asked, and what it comes to."""
    policy = interaction.terms.policy
    if policy is not None:
        yield f"policy     {policy.name}, revision {policy.revision}"
    if isinstance(interaction, Approval):
        yield f"decided by {policy_words.rule(interaction.approvers)}{progress(interaction)}"
    course, terms = interaction.course, interaction.terms
    for step in terms.escalation[len(course.hops) :]:
        people = policy_words.people_of(step.users, step.groups)
        yield f"then also  {people}, {in_words(step.after)} after the ask"


def _course(course: Course) -> Iterator[str]:
    for hop in course.hops:
        yield f"escalated  {moment(hop.at)} to {policy_words.people_of(hop.users, hop.groups)}"
    if course.reminded_at:
        yield f"reminded   {len(course.reminded_at)} times, last {moment(course.reminded_at[-1])}"


def _action(approval: Approval) -> Iterator[str]:
    yield f"digest     {approval.digest}"
    if approval.tool_name is not None:
        yield f"will run   {approval.tool_name} {approval.input_json}"
    if approval.edited is not None:
        yield f"changed to {approval.tool_name} {approval.edited.input_json}"
        yield f"digest now {approval.edited.digest}"
    for fact in approval.facts:
        yield f"fact       {fact.label}: {fact.value}"
    for link in approval.links:
        yield f"link       {link.label} {link.url}"
    if approval.supersedes is not None:
        yield f"in place of {approval.supersedes}"


def _life(approval: Approval, stops: Sequence[Stop]) -> Iterator[str]:
    """Votes, what was decided, and what became of it."""
    for vote in approval.votes:
        said = f": {vote.feedback}" if vote.feedback else ""
        yield f"vote       {moment(vote.at)} {who(vote.actor)} {vote.decision}{said}"
    if approval.feedback is not None:
        yield f"reason     {approval.feedback}"
    if approval.course.taken_back_at is not None:
        yield f"taken back {moment(approval.course.taken_back_at)}"
    settled = approval.course.settlement
    if settled is not None:
        words = "it happened" if settled.happened else "it did not happen"
        yield f"settled    {moment(settled.at)} by {who(settled.actor)}: {words}"
    if approval.claim is not None:
        verb = "may run" if approval.claim.execute else "may not run"
        yield f"claimed    {moment(approval.claim.at)} by {approval.claim.worker or '?'}: {verb}"
    if approval.execution is not None:
        said = f" · {approval.execution.detail}" if approval.execution.detail else ""
        yield f"execution  {approval.execution.status} at {moment(approval.execution.at)}{said}"
    held = holding(stops, approval.tool_name)
    if held is not None and _could_run(approval):
        yield f"stopped    {stop_line(held)}"


def _could_run(approval: Approval) -> bool:
    """Whether a stop makes a difference to it."""
    return approval.is_pending or (
        approval.decision is not None and approval.decision.allows and not _is_over(approval)
    )


def _is_over(approval: Approval) -> bool:
    return approval.lapsed_at is not None or (approval.execution is not None and approval.execution.status.is_final)


def _questions(interaction: Interaction) -> list[str]:
    assert isinstance(interaction, QuestionSet)
    answers: Mapping[str, Answer] = interaction.answers or {}
    return [f"asks       {q.prompt} → {_said(answers.get(q.id))}" for q in interaction.questions]


def _said(answer: Answer | None) -> str:
    if answer is None:
        return "…"
    if answer.is_skipped:
        return "(skipped)"
    return " · ".join(answer.value) if isinstance(answer.value, tuple) else str(answer.value)


def _resume(interaction: Interaction) -> Iterator[str]:
    """How the run is told, and how that went."""
    so_far = interaction.resumption
    parts = [f"{interaction.resume.kind} {interaction.resume.target or ''}".strip()]
    if so_far.told_at is not None:
        parts.append(f"told at {moment(so_far.told_at)}")
    if so_far.due_at is not None:
        parts.append(f"next at {moment(so_far.due_at)}")
    parts.append(f"{so_far.wakes} wake{'' if so_far.wakes == 1 else 's'}")
    yield f"resume     {' · '.join(parts)}"
    if so_far.last_error is not None:
        yield f"last error {so_far.last_error}"
    if so_far.stuck_at is not None:
        yield f"stuck      since {moment(so_far.stuck_at)}"


def _asker(interaction: Interaction) -> str:
    key = interaction.asked_by.name or interaction.asked_by.id
    return f"{key} for {interaction.requested_by}" if interaction.requested_by else key


def _copy(copy: Posting) -> str:
    where = copy.permalink or copy.channel or copy.address
    behind = "" if copy.painted == copy.wanted else f" · behind ({copy.painted}/{copy.wanted})"
    return f"copy       {copy.role} {where} · {copy.state}{behind}{f' · {copy.error}' if copy.error else ''}"


def _event(event: Event) -> str:
    """The arrow stands only where the state changed; the rest says what else is known of it."""
    told = [str(event.details[name]) for name in _TOLD if event.details.get(name) not in {None, ""}]
    if "happened" in event.details:
        told.append("it happened" if event.details["happened"] else "it did not happen")
    if event.old_state is not event.new_state:
        told = [f"{event.old_state} → {event.new_state}"]
    what = f": {' '.join(told)}" if told else ""
    return f"event      {moment(event.at)} {event.action} by {who(event.actor)} ({event.surface}){what}"
