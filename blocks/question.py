"""The card of a question set: the controls while it is open, the answers once it is closed."""

from collections.abc import Sequence

from blocks import elements, fallback, ids, inputs, limits, people, phase, richtext, status, waiting
from blocks.called import called
from blocks.inputs import Asking, Control
from blocks.notices import is_skipped
from blocks.richtext import bold, date, text
from blocks.surface import Block, Message, Paint
from blocks.visible import one_line
from store.types import Answer, Question, QuestionSet, State

#: More input blocks than this make a card a form: then a modal holds them.
MOST_INPUTS = 3
_WAITS, _ANSWERED, _OVER = "large_yellow_circle", "white_check_mark", "white_circle"
_LISTED = 5
_LABEL_WORDS = 75
_SKIP_HINT = "Leave it empty to skip."
_VALUES_SHOWN = 20
_ANSWERS = 5_000


def fits_message(questions: Sequence[Question]) -> bool:
    """Whether these questions can be answered in a message; if not, in a form."""
    if not _answers_at_once(questions) and inputs.length(questions) > MOST_INPUTS:
        return False
    return limits.total(_open_controls("qst_" + "0" * 26, questions, "", 1)) <= limits.MESSAGE - _AROUND


#: What title, state line and small print may take beside the controls.
_AROUND = 2_000


def card(question_set: QuestionSet, paint: Paint) -> Message:
    """One copy of the card as the interaction is now."""
    number = paint.revision
    blocks = [
        elements.header(ids.block("title", number), heading(question_set)),
        _status(question_set, paint),
        elements.context(ids.block("asked", number), _asked(question_set, paint)),
    ]
    if question_set.is_pending:
        blocks += _controls(question_set, number)
    elif phase.can_wake(question_set):
        blocks.append(elements.actions(ids.block("act", number), elements.wake(question_set.id)))
    return Message(text=fallback.line(_says(question_set), _name(question_set)), blocks=tuple(blocks))


def heading(question_set: QuestionSet) -> str:
    """A single question's prompt; for several the title and how many."""
    count = len(question_set.questions)
    if count == 1:
        return question_set.questions[0].prompt
    title = limits.clip(one_line(question_set.title), limits.HEADER - 14)
    return f"{title}: {count} questions" if title else f"{count} questions"


def _name(question_set: QuestionSet) -> str:
    return question_set.questions[0].prompt if len(question_set.questions) == 1 else called(question_set)


def _asked(question_set: QuestionSet, paint: Paint) -> str:
    run = limits.clip_middle(question_set.run_id, limits.RUN_ID)
    return f"Asked by {people.asker(question_set, paint.names)} · run {run} · {question_set.short_code}"


def _says(question_set: QuestionSet) -> str:
    match question_set.state:
        case State.PENDING:
            count = len(question_set.questions)
            return "Question: " if count == 1 else f"{count} questions: "
        case State.EXPIRED:
            return "Expired without an answer: "
        case State.WITHDRAWN:
            return "Withdrawn: "
        case State.SUPERSEDED:
            return "Replaced by a newer request: "
    word = "Skipped" if is_skipped(question_set) else "Answered"
    return f"{word} by {fallback.who(question_set.resolved_by)}: "


def _status(question_set: QuestionSet, paint: Paint) -> Block:
    emoji, line, below = state(question_set, paint)
    if phase.is_stuck(question_set):
        line = [*line, text("\n"), *status.unheard(question_set)]
    top = richtext.section(richtext.emoji(emoji), text(" "), *line)
    return richtext.rich_text(ids.block("status", paint.revision), top, *below)


def state(question_set: QuestionSet, paint: Paint) -> tuple[str, list[Block], list[Block]]:
    """Emoji, the line, and what stands below it."""
    at = [] if question_set.resolved_at is None else [date(question_set.resolved_at)]
    by = [text("by "), *people.actor(question_set.resolved_by), text(" "), *at]
    match question_set.state:
        case State.PENDING:
            return _WAITS, _waiting(question_set, paint), []
        case State.EXPIRED:
            ended = [date(question_set.expires_at)] if question_set.expires_at is not None else at
            return _OVER, [bold("Expired "), *ended, text(". Nobody answered.")], []
        case State.WITHDRAWN:
            why = (
                [richtext.quote(text(limits.clip_counted(question_set.reason, limits.QUOTE)))]
                if question_set.reason
                else []
            )
            return _OVER, [bold("Withdrawn "), *by, text(". Nobody answered.")], why
        case State.SUPERSEDED:
            newer = richtext.link(paint.replaced_by_link, "a newer request")
            return _OVER, [bold("Replaced "), *at, text(" by "), newer, text(".")], []
    if is_skipped(question_set):
        return _OVER, [bold("Skipped "), *by, text(". The run goes on without an answer.")], []
    return _ANSWERED, [bold("Answered "), *by, text(".")], [_answers(question_set)]


def _waiting(question_set: QuestionSet, paint: Paint) -> list[Block]:
    lead = "Waiting for an answer from " if len(question_set.questions) == 1 else "Waiting for answers from "
    ends = question_set.expires_at
    until = [] if ends is None else [text(", until "), date(ends)]
    who = people.approvers(question_set.deciders, paint)
    return [bold(lead), *who, *until, *waiting.brought(question_set, "answer")]


def _answers(question_set: QuestionSet) -> Block:
    """What was answered, each value in a budget of its own; what is cut says how much."""
    answers = question_set.answers or {}
    if len(question_set.questions) == 1:
        answer = answers.get(question_set.questions[0].id)
        values = _values(answer)
        budget = min(limits.QUOTE, _ANSWERS // max(len(values), 1))
        items = [[text(limits.clip_counted(value, budget))] for value in values]
        return richtext.listing(items or [[text("")]])
    budget = _ANSWERS // (2 * len(question_set.questions))
    items = []
    for question in question_set.questions:
        answer = answers.get(question.id)
        prompt = bold(f"{limits.clip(one_line(question.prompt), budget)} ")
        if answer is None or answer.is_skipped:
            items.append([prompt, text("skipped", italic=True)])
        else:
            items.append([prompt, text(limits.clip_counted("; ".join(_values(answer)), budget))])
    return richtext.listing(items)


def _values(answer: Answer | None) -> list[str]:
    if answer is None or answer.value is None:
        return []
    if isinstance(answer.value, str):
        return [answer.value]
    more = len(answer.value) - _VALUES_SHOWN
    shown = list(answer.value[:_VALUES_SHOWN])
    return [*shown, f"and {more} more"] if more > 0 else shown


def _controls(question_set: QuestionSet, number: int) -> list[Block]:
    if not fits_message(question_set.questions):
        return _form(question_set, number)
    return _open_controls(question_set.id, question_set.questions, question_set.title, number)


def _answers_at_once(questions: Sequence[Question]) -> bool:
    return len(questions) == 1 and inputs.control(questions[0]) in {Control.BUTTONS, Control.MENU}


def _open_controls(id: str, questions: Sequence[Question], title: str, number: int) -> list[Block]:
    if len(questions) > 1:
        return _several(id, questions, number)
    question = questions[0]
    above = _above(question, title, as_hint=not _answers_at_once(questions))
    body = [richtext.rich_text(ids.block("body", number), *above)] if above else []
    if _answers_at_once(questions):
        return [*body, elements.actions(ids.block("act", number), *row(id, question))]
    return [
        *body,
        *_single_inputs(id, question, title),
        elements.actions(ids.block("act", number), *_submit(id, question)),
    ]


def _above(question: Question, title: str, *, as_hint: bool) -> list[Block]:
    """What header, labels and hints cannot hold: a long prompt, a title of its own, descriptions, long labels."""
    sections: list[Block] = []
    if limits.cost(one_line(question.prompt)) > limits.HEADER:
        sections.append(richtext.section(text(question.prompt)))
    buttons = inputs.control(question) is Control.BUTTONS
    if not as_hint and _own_title(question, title):
        sections.append(richtext.section(bold(title)))
    if question.description and (not as_hint or limits.cost(question.description) > limits.HINT):
        sections.append(richtext.section(text(question.description)))
    return sections + (inputs.described_options(question) if buttons else _labels_above(question))


def _labels_above(question: Question, most: int = limits.OPTIONS) -> list[Block]:
    """Long labels, whole; those of a menu that is searched are too many: *Show all* has them."""
    return [] if len(question.options) > most else inputs.whole_labels(question)


def _own_title(question: Question, title: str) -> str:
    """The title, where it says something else than the prompt."""
    said = one_line(title)
    return "" if one_line(question.prompt).startswith(said.rstrip("…")) else said


def row(id: str, question: Question) -> list[Block]:
    """The controls that answer a single question at once: of a card, and of a row in a list."""
    at_once = (
        inputs.picks(id, 0, question) if inputs.control(question) is Control.BUTTONS else [inputs.menu(id, 0, question)]
    )
    if question.allow_other:
        at_once.append(elements.button(ids.OTHER, "Other…", ids.encode(id, 0), says="Write another answer"))
    if question.is_skippable:
        at_once.append(_skip(ids.encode(id, 0)))
    return at_once


def _skip(value: str) -> Block:
    return elements.button(ids.SKIP, "Skip", value, says="Skip this question")


_LABELS = {
    Control.FIELD: "Your answer",
    Control.SELECT: "Choose one",
    Control.CHECKBOXES: "Choose all that apply",
    Control.MULTI: "Choose all that apply",
    Control.MULTI_SEARCH: "Choose all that apply",
}


def _single_inputs(id: str, question: Question, title: str) -> list[Block]:
    label = _own_title(question, title) or _LABELS.get(inputs.control(question), "Choose one")
    hint = question.description if question.description and limits.cost(question.description) <= limits.HINT else None
    return inputs.fields(0, question, Asking(id=id, alone=True), title=label, hint=hint)


def _submit(id: str, question: Question) -> list[Block]:
    submit = elements.button(ids.SUBMIT, "Submit", id, style="primary", says="Submit the answer")
    skip = [_skip(ids.encode(id, 0))] if question.is_skippable else []
    return [submit, *skip, *_show_all(id, [question])]


def _show_all(id: str, questions: Sequence[Question]) -> list[Block]:
    """The way to the labels that neither a menu nor the card holds whole."""
    hidden = any(len(one.options) > limits.OPTIONS and inputs.cuts_labels(one) for one in questions)
    return [elements.button(ids.SHOW_ALL, "Show all", id, says="Show all options whole")] if hidden else []


def _several(id: str, questions: Sequence[Question], number: int) -> list[Block]:
    blocks: list[Block] = []
    for place, question in enumerate(questions):
        blocks += set_inputs(place, question, Asking(id=id))
    submit = elements.button(ids.SUBMIT, "Submit all", id, style="primary", says="Submit all answers")
    return [*blocks, elements.actions(ids.block("act", number), submit, *_show_all(id, questions))]


def set_inputs(place: int, question: Question, asking: Asking, *, is_numbered: bool = True) -> list[Block]:
    """A question of a set, in a message or a form: what its label cannot hold above it, then its inputs."""
    above = _labels_above(question, asking.most)
    number = f"{place + 1}. " if is_numbered else ""
    label = f"{number}{limits.clip(one_line(question.prompt), asking.words - len(number))}"
    hints = [question.description or "", _SKIP_HINT if question.is_skippable else ""]
    hint = " ".join(words for words in hints if words)
    if asking.words < limits.LABEL:
        hint = " ".join([limits.clip(one_line(hints[0]), asking.words), hints[1]]).strip()
    else:
        if limits.cost(f"{number}{one_line(question.prompt)}") > limits.LABEL:
            above = [richtext.section(text(question.prompt)), *above]
        if limits.cost(hint) > limits.HINT:
            above = [*above, richtext.section(text(question.description or ""))]
            hint = hints[1]
    # Its id holds no number of the paint: in a form it is drawn once, and inputs around it stay as they are.
    lead = [richtext.rich_text(f"{ids.question_block(place)}.above", *above)] if above else []
    return lead + inputs.fields(place, question, asking, title=label, hint=hint or None)


def _form(question_set: QuestionSet, number: int) -> list[Block]:
    """Too much for a message: the questions as a list, and the way to the form."""
    questions = question_set.questions
    shown = questions if len(questions) == _LISTED + 1 else questions[:_LISTED]
    items = [[text(limits.clip(one_line(question.prompt), 300))] for question in shown]
    more = len(questions) - len(items)
    if more > 0:
        items.append([text(f"and {more} more")])
    count = "1 question" if len(questions) == 1 else f"{len(questions)} questions"
    opens = elements.button(ids.FORM, "Answer…", question_set.id, style="primary", says=f"Open the form with {count}")
    return [
        richtext.rich_text(ids.block("body", number), richtext.listing(items)),
        elements.actions(ids.block("act", number), opens),
    ]
