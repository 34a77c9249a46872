"""Forms and pages. Closing one keeps waiting, and what was entered; their metadata holds ids only."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from blocks import (
    action,
    approval,
    changes,
    elements,
    facts,
    ids,
    inputs,
    limits,
    lines,
    markdown,
    people,
    question,
    richtext,
    status,
)
from blocks.called import called
from blocks.ids import Where
from blocks.inputs import Asking
from blocks.lines import Line
from blocks.richtext import bold, code, text
from blocks.surface import Block, Note, Paint, View
from blocks.visible import one_line
from store.drafts import NO_DRAFT, Draft
from store.types import Approval, Interaction, QuestionSet, Risk

KEEP_WAITING = "Keep waiting"
REASON_NEEDED = "A reason is needed: the run gets it word for word."
LONGEST_REASON = 1_000
_PLAIN = Paint()


def deny_reason(asked: Approval, where: Where, *, draft: Draft = NO_DRAFT) -> View:
    """Deny with a reason; the reason is in block `reason`."""
    field = elements.text_input(
        ids.TEXT,
        longest=LONGEST_REASON,
        multiline=True,
        initial=draft.typed.get(0),
        hint="Why not, and what would do instead",
    )
    field["focus_on_load"] = True
    return View(
        callback_id=ids.VIEW_DENY,
        title="Deny",
        submit="Deny",
        close=KEEP_WAITING,
        blocks=(
            _what(asked.title, "The run and everyone who sees the card read your reason."),
            *_kept(draft),
            elements.heard(elements.input(ids.REASON_BLOCK, "Reason", field)),
        ),
        private_metadata=ids.encode_metadata(asked.id, where),
    )


def _what(title: str, explains: str) -> Block:
    return richtext.rich_text("what", richtext.section(bold(title)), richtext.section(text(explains)))


def _kept(draft: Draft, *, is_cut: bool = False) -> list[Block]:
    """Small print of a form that is opened again. `is_cut`: without all that was entered."""
    says = "Filled in as you left it, but for the longest texts: a form holds no more." if is_cut else _AS_LEFT
    return [elements.context("kept", says)] if draft != NO_DRAFT or is_cut else []


_AS_LEFT = "Filled in as you left it."


def review(asked: Approval, where: Where, *, page: int = 0, paint: Paint = _PLAIN) -> View:
    """The whole action in pages; Approve is the submit button of the last, and of no other. Each says what changed."""
    pages = lines.pages(action.action_lines(asked, replaces=paint.replaces))
    page = min(max(page, 0), len(pages) - 1)
    is_last = page == len(pages) - 1
    ends = " This is the end: Approve lets exactly this run, once." if is_last else " Approve is on the last page."
    if is_last and asked.tool_name is None:
        ends = " This is the end: Approve confirms exactly this."
    if is_last and asked.risk is Risk.HIGH:
        ends += " High risk: once the run has started, it cannot be taken back."
    return View(
        callback_id=ids.VIEW_REVIEW,
        title="Review",
        submit="Approve" if is_last else None,
        close=KEEP_WAITING,
        blocks=(
            _paged_title(asked, pages, page),
            *changes.block(asked, paint),
            *_page(pages[page]),
            *_turn(asked.id, page, len(pages), may_jump=False),
            elements.context("foot", f"{approval.foot(asked)}.{ends}"),
        ),
        private_metadata=ids.encode_metadata(asked.id, where),
    )


def show_all(asked: Interaction, where: Where, *, page: int = 0, names: Paint = _PLAIN) -> View:
    """Everything that the card holds or cuts, to read only."""
    pages = lines.pages(_everything(asked))
    page = min(max(page, 0), len(pages) - 1)
    foot = approval.foot(asked) if isinstance(asked, Approval) else asked.short_code
    return View(
        callback_id=ids.VIEW_SHOW_ALL,
        title="Everything",
        close="Close",
        blocks=(
            _paged_title(asked, pages, page),
            *_page(pages[page]),
            *_turn(asked.id, page, len(pages), may_jump=True),
            elements.context("foot", f"Asked by {people.asker(asked, names.names)} · run {asked.run_id} · {foot}"),
        ),
        private_metadata=ids.encode_metadata(asked.id, where),
    )


def _everything(asked: Interaction) -> list[Line]:
    if isinstance(asked, Approval):
        shown = action.action_lines(asked)
        given = lines.folded(facts.lines(asked))
        if asked.tool_name is None or not asked.body:
            return [*shown, *given]
        said = Line(kind=lines.Kind.TEXT, parts=(bold("The run says"),))
        return [*shown, said, *lines.folded(markdown.to_lines(asked.body)), *given]
    if isinstance(asked, QuestionSet):
        return lines.folded(_question_lines(asked))
    return []


def _question_lines(asked: QuestionSet) -> list[Line]:
    made: list[Line] = []
    for place, one in enumerate(asked.questions):
        parts = [bold(f"{place + 1}. {one.prompt}"), text(f" {one.description}" if one.description else "")]
        made.append(Line(kind=lines.Kind.TEXT, parts=tuple(part for part in parts if part["text"])))
        for number, option in enumerate(one.options):
            described = f": {option.description}" if option.description else ""
            words = (text(f"{option.label}{described}"),)
            made.append(Line(kind=lines.Kind.ORDERED, parts=words, number=number + 1))
        if one.default and not one.options:
            made.append(Line(kind=lines.Kind.QUOTE, parts=(text(one.default[0]),)))
    return made


def _paged_title(asked: Interaction, pages: Sequence[Sequence[Line]], page: int) -> Block:
    first = 1 + sum(len(before) for before in pages[:page])
    last = first + len(pages[page]) - 1
    total = sum(len(each) for each in pages)
    spans = f"Page {page + 1} of {len(pages)}, lines {first} to {last} of {total}." if len(pages) > 1 else ""
    line: list[Block] = []
    if isinstance(asked, Approval):
        verb = approval.verb(asked, status.of(asked, _PLAIN))
        line = (
            [text(f"{verb} "), code(asked.tool_name), text(". ")]
            if asked.tool_name is not None
            else [text(f"{verb}. ")]
        )
        if asked.is_pending and asked.risk is Risk.HIGH:
            line = [bold("High risk. "), *line]
    rows = [richtext.section(bold(called(asked)))]
    if line or spans:
        rows.append(richtext.section(*line, text(spans)))
    return richtext.rich_text("what", *rows)


def _page(page: Sequence[Line]) -> list[Block]:
    """Blocks of one page, each within the budget of one text."""
    made: list[Block] = []
    for place, part in enumerate(lines.pages(page, count=limits.PAGE_LINES, budget=limits.TEXT)):
        drawn = lines.elements(part)
        if drawn:
            made.append(richtext.rich_text(f"page.{place}", *drawn))
    return made


def _turn(id: str, page: int, count: int, *, may_jump: bool) -> list[Block]:
    last = count - 1
    row: list[Block] = []
    if page > 0:
        row.append(_to(id, "prev", "Page before", page - 1))
    if page < last:
        row.append(_to(id, "next", "Next page", page + 1))
    if may_jump and page < last - 1:
        row.append(_to(id, "last", "Last page", last))
    return [elements.actions("nav", *row)] if row else []


def _to(id: str, which: str, words: str, page: int) -> Block:
    return elements.button(ids.suffixed(ids.PAGE, which), words, ids.encode_page(id, page))


def other(asked: QuestionSet, index: int, where: Where, *, draft: Draft = NO_DRAFT) -> View:
    """An answer of one's own; it is in block `q.<index>.other`."""
    field = elements.text_input(ids.TEXT, longest=limits.TYPED, initial=draft.typed.get(index), hint="Your answer")
    field["focus_on_load"] = True
    hint = "The run gets your words as they are."
    return View(
        callback_id=ids.VIEW_OTHER,
        title="Other answer",
        submit="Answer",
        close=KEEP_WAITING,
        blocks=(
            *_kept(draft),
            elements.heard(elements.input(ids.other_block(index), asked.questions[index].prompt, field, hint=hint)),
        ),
        private_metadata=ids.encode_metadata(asked.id, where, question=index),
    )


def form(asked: QuestionSet, where: Where, names: Paint = _PLAIN, *, draft: Draft = NO_DRAFT) -> View:
    """All questions of a set, in the inputs that the card would have; read with `in_view=True`.

    What is too much for a view is searched (long menus), or cut (long words), and stands whole in *Show all*.
    """
    whole = Asking(id=asked.id, in_form=True, draft=draft)
    view = _form(asked, where, names, whole)
    for tighter in _tighter(whole):
        if _size(view) <= limits.VIEW:
            break
        view = _form(asked, where, names, tighter)
    if _size(view) <= limits.VIEW or not draft.typed:
        return view
    return _form_of_less(asked, where, names, tighter)


def _form_of_less(asked: QuestionSet, where: Where, names: Paint, asking: Asking) -> View:
    """What was entered is too much, too: as many of the texts as fit are filled in, the shortest first."""
    bare = _form(asked, where, names, replace(asking, draft=replace(asking.draft, typed={})))
    left = limits.VIEW - _size(bare)
    typed: dict[int, str] = {}
    for place, words in sorted(asking.draft.typed.items(), key=lambda entry: _stored(entry[1])):
        left -= _stored(words) + _AROUND_TEXT
        if left < 0:
            break
        typed[place] = words
    return _form(asked, where, names, replace(asking, draft=replace(asking.draft, typed=typed)), is_cut=True)


#: Bytes that a text in a field takes besides itself, and more.
_AROUND_TEXT = 100


def takes_long(asked: QuestionSet) -> bool:
    """Whether its form is too much to be drawn while an event loop waits (20 ms)."""
    options = (option for one in asked.questions for option in one.options)
    said = sum(len(one.prompt) + len(one.description or "") for one in asked.questions)
    return said + sum(len(one.label) + len(one.description or "") for one in options) > _LONG


#: Characters.
_LONG = 10_000


def _tighter(asking: Asking) -> Iterator[Asking]:
    searched = replace(asking, most=limits.CHECKBOXES)
    cut = replace(searched, words=_CUT_LABEL)
    empty = replace(cut, prefill=False)
    yield from (searched, cut, empty)


_CUT_LABEL = 300


def _size(view: View) -> int:
    """Bytes that Slack stores, by its own escaping."""
    return _stored(view.payload())


def _stored(value: object) -> int:
    stored = limits.escaped(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    return len(stored.encode(errors="surrogatepass"))


def _form(asked: QuestionSet, where: Where, names: Paint, asking: Asking, *, is_cut: bool = False) -> View:
    count = len(asked.questions)
    inside: list[Block] = []
    for place, one in enumerate(asked.questions):
        inside += question.set_inputs(place, one, asking, is_numbered=count > 1)
    hides = any(len(one.options) > asking.most and inputs.cuts_labels(one) for one in asked.questions)
    if hides or asking.words < limits.LABEL:
        inside.insert(0, elements.actions("all", elements.button(ids.SHOW_ALL, "Show all", asked.id)))
    return View(
        callback_id=ids.VIEW_FORM,
        title=f"{count} questions" if count > 1 else "Your answer",
        submit="Submit all" if count > 1 else "Submit",
        close=KEEP_WAITING,
        blocks=(_whose(asked, names), *_kept(asking.draft, is_cut=is_cut), *inside),
        private_metadata=ids.encode_metadata(asked.id, where),
    )


def _whose(asked: QuestionSet, names: Paint) -> Block:
    """Title and asker. What the label of the first question says anyway is left to it."""
    says = f"Asked by {people.asker(asked, names.names)}."
    if called(asked) == one_line(asked.questions[0].prompt):
        return richtext.rich_text("what", richtext.section(text(says)))
    return _what(called(asked), says)


def closed(title: str, said: Sequence[Block], *, typed: str | None = None) -> View:
    """A form that ends in a sentence, as elements of rich text. `typed`: shown whole, to copy."""
    rows = [richtext.section(richtext.emoji("white_circle"), text(" "), *said)]
    if typed and typed.strip():
        rows.append(richtext.section(text("Your text, in case you need it:")))
        rows.append(richtext.quote(text(typed)))
    return View(
        callback_id=ids.VIEW_CLOSED,
        title=limits.clip(one_line(title), limits.VIEW_TITLE),
        close="Close",
        blocks=(richtext.rich_text("what", *rows),),
    )


def from_notice(title: str, blocks: Sequence[Block], *, typed: str | None = None) -> View:
    """The words of a private reply inside the form that led to it: `from_notice("Not allowed", note.blocks)`."""
    said = [part for block in blocks for row in block["elements"] for part in row["elements"]]
    return closed(title, said, typed=typed)


def ended(note: Note, *, typed: str | None = None) -> View:
    """A private reply in place of the form that led to it, under a title that fits."""
    return from_notice(note.title, note.blocks, typed=typed)


def loading(title: str = "One moment") -> View:
    """Opened at once, while the trigger lives; filled by an update."""
    return View(
        callback_id=ids.VIEW_LOADING,
        title=limits.clip(one_line(title), limits.VIEW_TITLE),
        close="Close",
        blocks=(richtext.rich_text("what", richtext.section(text("Loading…"))),),
    )
