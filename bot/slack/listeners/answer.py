"""Controls of a question card: a button for each option, menus that answer at once, and forms with *Submit*."""

from collections.abc import Callable, Mapping

from blocks import ids, inputs, modal, notices, reading
from blocks.inputs import Found
from blocks.surface import Message, Paint, View
from bot.policy import Refusal
from bot.slack.desk import Desk, surface_of
from bot.slack.listeners import drafts, lists
from bot.slack.listeners.approve import named, where_of
from bot.slack.payloads import Click, Lookup
from bot.usecases.results import Invalid
from store.answers import MAX_TEXT, Choice
from store.drafts import Draft
from store.outcomes import Answered
from store.types import QuestionSet


async def pick(desk: Desk, tenant: str, click: Click) -> None:
    """A button or a menu entry that answers the only question of a set."""
    target = desk.target(click)
    if target is None:
        return

    def choose(question_set: QuestionSet) -> Mapping[str, Choice] | None:
        if target.question is None or target.option is None:
            return None
        try:
            question = question_set.questions[target.question]
            return {question.id: Choice(option_ids=(question.options[target.option].id,))}
        except IndexError:
            return None

    await _answer(desk, tenant, click, id=target.id, choose=choose)


async def submit(desk: Desk, tenant: str, click: Click) -> None:
    """*Submit* of a card: what was chosen stands in the message's state."""
    target = desk.target(click)
    if target is None:
        return
    await _answer(desk, tenant, click, id=target.id, choose=lambda question_set: chosen(question_set, click.values))


async def skip(desk: Desk, tenant: str, click: Click) -> None:
    """*Skip* of a single question. A set of several is skipped question by question, in its form."""
    target = desk.target(click)
    if target is None:
        return
    await _answer(
        desk,
        tenant,
        click,
        id=target.id,
        choose=lambda question_set: {question.id: Choice(is_skipped=True) for question in question_set.questions},
    )


async def other(desk: Desk, tenant: str, click: Click) -> None:
    """*Other…*: open the form for an own answer."""

    def view(question_set: QuestionSet, target: ids.Target, draft: Draft, _: Paint) -> View:
        index = min(target.question or 0, len(question_set.questions) - 1)
        return modal.other(question_set, index, where_of(click), draft=draft)

    await _open(desk, tenant, click, view)


async def form(desk: Desk, tenant: str, click: Click) -> None:
    """*Answer…*: open the form of the whole set."""

    def view(question_set: QuestionSet, _: ids.Target, draft: Draft, names: Paint) -> View:
        return modal.form(question_set, where_of(click), names, draft=draft)

    await _open(desk, tenant, click, view)


async def options(desk: Desk, tenant: str, lookup: Lookup) -> Found:
    """What a menu that is searched offers; to those only who may answer, and only while it waits for an answer."""
    id, place = ids.searched(lookup.action_id), ids.question_of(lookup.block_id)
    found = None if id is None else await desk.store.find_interaction(tenant=tenant, id=id)
    if not isinstance(found, QuestionSet) or not found.is_pending or place is None or place >= len(found.questions):
        return inputs.NOTHING_FOUND
    if await desk.service.refusal(found, lookup.origin.person) is not None:
        return inputs.NOTHING_FOUND
    return inputs.search(found.questions[place], lookup.query)


Drawer = Callable[[QuestionSet, ids.Target, Draft, Paint], View]


async def _open(desk: Desk, tenant: str, click: Click, view_of: Drawer) -> None:
    """Open a form as the person left it, unless there is nothing left to fill in."""
    target = desk.target(click)
    if target is None:
        return

    async def attempt() -> Message | None:
        question_set = (await desk.lookups.read(tenant=tenant, id=target.id)).interaction
        if not isinstance(question_set, QuestionSet):
            return notices.gone()
        if not question_set.is_pending:
            lists.stale(desk, tenant, click, question_set)
            return await desk.already(question_set, click.origin)
        refusal = await desk.service.refusal(question_set, click.origin.person)
        if refusal is not None:
            return desk.refused(refusal)
        draft = await drafts.find(desk, tenant, click, question_set)
        names = await named(desk, question_set)
        if modal.takes_long(question_set):
            desk.errands.open_composed(click.origin, lambda: view_of(question_set, target, draft, names))
        else:
            desk.errands.open_view(click.origin, view_of(question_set, target, draft, names))
        return None

    await desk.answered(click, attempt(), copy_of=(tenant, target.id))


def chosen(
    question_set: QuestionSet, values: Mapping[str, Mapping[str, object]], *, in_view: bool = False
) -> Mapping[str, Choice]:
    """Slack's state of the inputs, as choices of the questions; indexes that no option has are left out."""
    return {
        question.id: Choice(
            option_ids=tuple(question.options[i].id for i in found.option_indexes if i < len(question.options)),
            other=found.text,
        )
        for question, found in zip(
            question_set.questions, reading.read_state(question_set, values, in_view=in_view), strict=True
        )
    }


Chooser = Callable[[QuestionSet], Mapping[str, Choice] | None]


async def _answer(desk: Desk, tenant: str, click: Click, *, id: str, choose: Chooser) -> None:
    async def attempt() -> Message | None:
        question_set = (await desk.lookups.read(tenant=tenant, id=id)).interaction
        choices = choose(question_set) if isinstance(question_set, QuestionSet) else None
        if choices is None:
            return notices.gone()
        outcome = await desk.service.answer(
            tenant=tenant,
            id=id,
            person=click.origin.person,
            choices=choices,
            at=click.origin.at,
            surface=surface_of(click),
        )
        return await told(desk, click, outcome)

    await desk.answered(click, attempt(), copy_of=(tenant, id), decides=True)
    lists.redraw_after(desk, tenant, click)


async def told(desk: Desk, click: Click, outcome: Answered | Refusal | Invalid) -> Message | None:
    if isinstance(outcome, Invalid):
        return unfinished(outcome)
    if not isinstance(outcome, Answered):
        return desk.refused(outcome)
    if outcome.already_resolved:
        desk.stale_copy(click, outcome.question)
        return await desk.already(outcome.question, click.origin)
    desk.follows(click, outcome.question)
    return None


def unfinished(invalid: Invalid) -> Message:
    """What is wrong with the first answer that does not do; what was chosen is kept, as nothing is repainted."""
    problem = invalid.problems[0]
    prompt = next((q.prompt for q in invalid.question.questions if q.id == problem.question_id), "")
    match problem.code:
        case "missing":
            return notices.incomplete(prompt)
        case "too_long":
            return notices.too_long(prompt, MAX_TEXT)
    return notices.unfit(problem.message, prompt if len(invalid.question.questions) > 1 else "")
