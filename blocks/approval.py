"""The card of an approval, from the question to the outcome. Approve stands on it only when the whole action does."""

from dataclasses import dataclass

from blocks import (
    action,
    changes,
    changing,
    editing,
    elements,
    facts,
    fallback,
    ids,
    limits,
    lines,
    markdown,
    people,
    phase,
    richtext,
    silence,
    status,
)
from blocks.action import Shown
from blocks.lines import Line
from blocks.phase import Phase
from blocks.status import Status
from blocks.surface import Block, Message, Paint
from blocks.visible import one_line
from store.types import Approval, Risk, State

_CONFIRM = {True: "To confirm", False: "Confirmed"}
_NEVER_CONFIRMED = "Was to be confirmed"


def card(approval: Approval, paint: Paint) -> Message:
    """One copy of the card as the interaction is now. Closed cards have no buttons, except where a run is stuck or silent."""
    drawing = _Drawing(approval, paint)
    blocks: list[Block] = []
    for space in _SPACES:
        blocks = drawing.blocks(space)
        if limits.total(blocks) <= limits.MESSAGE:
            break
    return Message(text=fallback.line(drawing.now.says, approval.title), blocks=tuple(blocks))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Space:
    """What there is room for: lines of the run's words, its links, its facts."""

    body: int
    links: bool = True
    facts: bool = True


#: From all to little; the action itself is never given up.
_SPACES = (
    *(_Space(body=count) for count in limits.BODY_LINES),
    _Space(body=0, links=False),
    _Space(body=0, links=False, facts=False),
)


class _Drawing:
    """One card, whose parts are made once, however often it is tried for size."""

    def __init__(self, approval: Approval, paint: Paint) -> None:
        self.now = status.of(approval, paint)
        self._approval, self._paint = approval, paint
        self._is_open = phase.of(approval, paint).is_open
        shown = action.on_card(approval, replaces=paint.replaces)
        self._whole = not shown.left and action.is_title_whole(approval.title)
        self._top = _top(approval, paint, self.now)
        self._seen = changes.block(approval, paint) if self._is_open else []
        self._action = _action(approval, paint, self.now, shown)
        self._body = _body_lines(approval) if self._is_open else []
        self._facts = facts.fields(approval, paint.revision)
        self._links = facts.links(approval, paint.revision) if self._is_open else []

    def blocks(self, space: _Space) -> list[Block]:
        kept, left = lines.take(self._body, count=space.body, budget=limits.BODY)
        given = self._approval
        left_out = [
            *_dropped("fact", 0 if space.facts else len(given.facts)),
            *_dropped("link", 0 if space.links else len(given.links)),
        ]
        said = [elements.context(ids.block("dropped", self._paint.revision), " ".join(left_out))]
        is_cut = self._is_open and (left > 0 or bool(left_out) or not facts.are_whole(given))
        return [
            *self._top,
            *(self._facts if space.facts else []),
            *self._seen,
            *self._action,
            *_said(self._paint, kept, left),
            *(self._links if space.links else []),
            *(said if left_out and self._is_open else []),
            *_bottom(given, self._paint, whole=self._whole, is_body_cut=is_cut),
        ]


def _dropped(noun: str, count: int) -> list[str]:
    """`5 links are under Show all.`"""
    if not count:
        return []
    return [f"1 {noun} is under Show all." if count == 1 else f"{count} {noun}s are under Show all."]


def fingerprint(digest: str) -> str:
    return f"{digest[:4]} {digest[4:8]}"


def foot(approval: Approval) -> str:
    now = fingerprint(approval.approved_digest)
    asked = "" if approval.edited is None else f", asked with {fingerprint(approval.digest)}"
    ref = approval.terms.policy
    rules = f" · policy {limits.clip(one_line(ref.name), limits.POLICY)}, revision {ref.revision}" if ref else ""
    return limits.clip(f"{approval.short_code} · fingerprint {now}{asked}{rules}", limits.FOOT)


def buttons(approval: Approval, *, whole: bool, shown_on: str = "on the card") -> list[Block]:
    """Approve (or Review and approve…), Deny, Deny with reason…: of a card, and of a row in a list."""
    first = _approve(approval, shown_on) if whole else _review(approval)
    says = f"Deny with a reason: {approval.title}"
    if approval.approvers.require_reason:
        return [first, elements.button(ids.DENY_REASON, "Deny…", approval.id, says=says)]
    return [
        first,
        elements.button(ids.DENY, "Deny", approval.id, says=f"Deny: {approval.title}"),
        elements.button(ids.DENY_REASON, "Deny with reason…", approval.id, says=says),
    ]


def verb(approval: Approval, now: Status) -> str:
    """What stands above the action; a confirmation runs nothing by itself."""
    if approval.tool_name is not None:
        return now.verb
    if approval.state in {State.PENDING, State.APPROVED}:
        return _CONFIRM[approval.state is State.PENDING]
    return _NEVER_CONFIRMED


def _top(approval: Approval, paint: Paint, now: Status) -> list[Block]:
    """Never dropped: title, state, asker."""
    number = paint.revision
    blocks = [
        elements.header(ids.block("title", number), approval.title),
        now.block(ids.block("status", number)),
        elements.context(ids.block("asked", number), asked(approval, paint)),
    ]
    if not action.is_title_whole(approval.title):
        whole = [richtext.bold("Whole title "), richtext.text(approval.title)]
        blocks.append(richtext.rich_text(ids.block("whole", number), richtext.section(*whole)))
    return blocks


def asked(approval: Approval, paint: Paint) -> str:
    run = limits.clip_middle(approval.run_id, limits.RUN_ID)
    return f"Asked by {people.asker(approval, paint.names)} · run {run}"


def _action(approval: Approval, paint: Paint, now: Status, shown: Shown) -> list[Block]:
    name = "body" if approval.tool_name is None else "input"
    heading = action.heading(approval, verb(approval, now))
    if approval.tool_name is None and not shown.lines:
        return []
    drawn = lines.elements(shown.lines, heading=heading)
    blocks = [richtext.rich_text(ids.block(name, paint.revision), *drawn)]
    if shown.left:
        ends = " Approve is at the end of them." if phase.of(approval, paint).is_open else ""
        blocks.append(elements.context(ids.block("cut", paint.revision), f"{lines.rest(shown.left)}{ends}"))
    return blocks


def _body_lines(approval: Approval) -> list[Line]:
    """The run's words; a confirmation's body is its action, and stands above."""
    return [] if approval.tool_name is None else lines.folded(markdown.to_lines(approval.body))


def _said(paint: Paint, kept: list[Line], left: int) -> list[Block]:
    """The run's words, as many as fit."""
    number = paint.revision
    blocks: list[Block] = []
    if kept or left:
        drawn = lines.elements(kept, heading=[richtext.bold("The run says")])
        blocks.append(richtext.rich_text(ids.block("body", number), *drawn))
    if left:
        blocks.append(elements.context(ids.block("more", number), lines.rest(left)))
    return blocks


def _bottom(approval: Approval, paint: Paint, *, whole: bool, is_body_cut: bool) -> list[Block]:
    number = paint.revision
    small = elements.context(ids.block("foot", number), foot(approval))
    shown = row(approval, paint, whole=whole, is_body_cut=is_body_cut)
    return [small, elements.actions(ids.block("act", number), *shown)] if shown else [small]


def row(approval: Approval, paint: Paint, *, whole: bool, is_body_cut: bool = False) -> list[Block]:
    """The controls of a card as it stands; none where nothing is left to say."""
    stands = phase.of(approval, paint)
    if stands is Phase.UNKNOWN:
        return silence.buttons(approval)
    if not stands.is_open:
        wakes = phase.can_wake(approval) and status.shows_stuck(approval, paint)
        woken = [elements.wake(approval.id)] if wakes else []
        return [*woken, *changing.take_back(approval, stands)]
    more_time = changing.more_time(approval)
    shown = [*buttons(approval, whole=whole), *more_time]
    # A row holds five: beside more time, the whole text is in the menu.
    has_show_all = is_body_cut and not more_time
    if has_show_all:
        shown.append(elements.button(ids.SHOW_ALL, "Show all", approval.id, says="Show the whole text"))
    menu = _menu(approval, has_show_all=has_show_all)
    return [*shown, elements.overflow(ids.MORE, menu)] if menu else shown


def _menu(approval: Approval, *, has_show_all: bool) -> list[Block]:
    offered: list[tuple[ids.Verb, str]] = []
    if editing.offered(approval):
        offered.append((ids.Verb.EDIT, "Edit input…"))
    if approval.votes:
        offered.append((ids.Verb.TAKE_BACK, changing.take_back_words(approval)))
    if not has_show_all:
        offered.append((ids.Verb.SHOW, "Show all"))
    if approval.requested_by is not None:
        offered.append((ids.Verb.WITHDRAW, "Withdraw (asker only)"))
    return [elements.option(words, ids.encode_menu(verb, approval.id)) for verb, words in offered]


def _approve(approval: Approval, shown_on: str) -> Block:
    says = f"Approve: {approval.title}"
    if approval.risk is not Risk.HIGH:
        return elements.button(ids.APPROVE, "Approve", approval.id, style="primary", says=says)
    red = elements.button(ids.APPROVE, "Approve", approval.id, style="danger", says=says)
    explains = f"This confirms exactly what is shown {shown_on}. Once the run has started, this cannot be taken back."
    if approval.tool_name is not None:
        tool = limits.clip(approval.tool_name, 120)
        explains = (
            f"{tool} runs once, with exactly the input shown {shown_on}. "
            "Once the run has started, this cannot be taken back."
        )
    return elements.confirmed(red, asks="High risk: approve?", explains=explains, yes="Approve", no="Keep waiting")


def _review(approval: Approval) -> Block:
    style = "danger" if approval.risk is Risk.HIGH else "primary"
    says = f"Read everything, then approve: {approval.title}"
    return elements.button(ids.REVIEW, "Review and approve…", approval.id, style=style, says=says)
