"""Private replies to the person who clicked: one paragraph, no emoji, and what did not happen."""

from collections.abc import Mapping

from blocks import fallback, limits, people, phase, richtext
from blocks.phase import Phase
from blocks.richtext import bold, code, date, text
from blocks.surface import Block, Note, Paint
from blocks.visible import one_line
from store.types import Actor, ActorKind, Approval, Approvers, Interaction, QuestionSet, State

BLOCK = "note"
PENDING_COMMAND = "/pending"
_CHANGED_NOTHING = ". Your click changed nothing."
_WORDS = {
    State.APPROVED: "approved",
    State.DENIED: "denied",
    State.ANSWERED: "answered",
    State.EXPIRED: "expired",
    State.WITHDRAWN: "withdrawn",
    State.SUPERSEDED: "replaced",
}
_READ = "Please read"
_TOO_LATE = "Too late"
_NOT_YOURS = "Not yours to decide"
_NOBODY_ELSE = "and nobody else is named who may decide it"
#: A mention in a private reply pings nobody, but says who it is.
_PLAIN = Paint()


def note(says: str, *line: Block, title: str = _READ) -> Note:
    return Note(text=says, title=title, blocks=(richtext.rich_text(BLOCK, richtext.section(*line)),))


def already(
    interaction: Interaction, *, clicker: str | None = None, link: str | None = None, card: str | None = None
) -> Note:
    """The sentence of a late click, from the interaction as it is. `link`: to what replaced it.

    `clicker`: the Slack user who clicked; who decided it themselves reads "You already …". `card`: a link to its card,
    for who does not stand in front of it.
    """
    # What was replaced points to the newer one already.
    is_named = card is not None and interaction.state is not State.SUPERSEDED
    way = [text(" "), richtext.link(card, "Open the card"), text(".")] if is_named else []
    line = late(interaction, clicker=clicker, link=link)
    return note(_late_says(interaction, clicker), *line, *way, title=_TOO_LATE)


def late(interaction: Interaction, *, clicker: str | None = None, link: str | None = None) -> list[Block]:
    """What `already` says, as elements."""
    if interaction.state is State.SUPERSEDED:
        newer = richtext.link(link, "a newer request")
        at = _when(interaction)
        return [bold("Replaced by "), newer, text(" "), *at, text(". Nothing was decided here: look at that one.")]
    if interaction.state is State.EXPIRED:
        asker = interaction.requested_by
        again = [text(" "), richtext.user(asker), text(" can ask again.")] if asker is not None else []
        came = text(". Your click came too late and changed nothing.")
        return [bold("Already expired "), *_when(interaction), came, *again]
    if _is_by(interaction, clicker):
        mine = bold(f"You already {_did(interaction)} ")
        return [mine, *_when(interaction), text(". Nothing more to do.")]
    return [*settled(interaction), text(_CHANGED_NOTHING)]


def settled(interaction: Interaction) -> list[Block]:
    """`Already denied by @ben today at 14:01` and how it ended since; without a full stop."""
    line = [bold(f"Already {_word(interaction)} ")]
    if interaction.state is State.EXPIRED:
        return [*line, *_when(interaction)]
    if interaction.resolved_by is not None and interaction.resolved_by.kind is ActorKind.DEADLINE:
        return [*line, *_when(interaction), text(", as nobody decided in time")]
    line += [text("by "), *people.actors(_deciders(interaction)), text(" "), *_when(interaction)]
    if isinstance(interaction, Approval) and interaction.state is State.APPROVED:
        line += _since(interaction)
    return line


def _late_says(interaction: Interaction, clicker: str | None) -> str:
    if interaction.state is State.SUPERSEDED:
        return "Replaced by a newer request."
    if _is_by(interaction, clicker):
        return f"You already {_did(interaction)}."
    return f"Already {_word(interaction)}: nothing changed."


def _word(interaction: Interaction) -> str:
    if isinstance(interaction, QuestionSet) and is_skipped(interaction):
        return "skipped"
    if isinstance(interaction, Approval) and interaction.course.taken_back_at is not None:
        return "taken back"
    return _WORDS[interaction.state]


def _did(interaction: Interaction) -> str:
    """What somebody did who is told so."""
    word = _word(interaction)
    return {"taken back": "took this back", "withdrawn": "withdrew this"}.get(word, f"{word} this")


def is_skipped(question_set: QuestionSet) -> bool:
    """Answered, with nothing in it."""
    answers = question_set.answers or {}
    return bool(answers) and all(answer.is_skipped for answer in answers.values())


def _deciders(interaction: Interaction) -> list[Actor]:
    if isinstance(interaction, Approval) and interaction.state is State.APPROVED:
        voters = [vote.actor for vote in phase.approvals_so_far(interaction)]
        if len(voters) > 1:
            return voters
    if isinstance(interaction, Approval) and interaction.state is State.DENIED and _word(interaction) == "denied":
        return phase.deniers(interaction)
    return [] if interaction.resolved_by is None else [interaction.resolved_by]


def _is_by(interaction: Interaction, clicker: str | None) -> bool:
    if clicker is None or not (interaction.state.is_decided or interaction.state is State.WITHDRAWN):
        return False
    return clicker in {one.id for one in _deciders(interaction)}


def _when(interaction: Interaction) -> list[Block]:
    at = interaction.resolved_at
    if interaction.state is State.EXPIRED:
        at = interaction.expires_at or at
    return [] if at is None else [date(at)]


_SINCE = {
    Phase.DONE: ", and done ",
    Phase.HAPPENED: ", and done ",
    Phase.FAILED: ", and failed ",
    Phase.RUNNING: ", and running since ",
}


def _since(approval: Approval) -> list[Block]:
    words = _SINCE.get(phase.of(approval, _PLAIN))
    run = approval.execution
    if words is None or run is None:
        return []
    return [text(words), date(run.started_at if words == _SINCE[Phase.RUNNING] else run.at)]


def not_allowed(approvers: Approvers, names: Mapping[str, str] | None = None) -> Note:
    """To somebody who is not among those who may decide."""
    who = people.approvers(approvers, _named(names), members_of=True)
    return note(
        "You cannot decide this.",
        bold("You cannot decide this: "),
        text("only "),
        *who,
        text(" can. Nothing changed."),
        title=_NOT_YOURS,
    )


def own_request(approvers: Approvers, requester: str, names: Mapping[str, str] | None = None) -> Note:
    """To the requester, where somebody else must decide."""
    others = people.approvers(approvers, _named(names), without=[requester], members_of=True)
    is_anybody = bool({*approvers.users, *approvers.groups, *approvers.keys} - {requester})
    who = [text("so somebody else decides: "), *others] if is_anybody else [text(_NOBODY_ELSE)]
    line = [bold("You asked for this yourself, "), *who, text(". Nothing changed.")]
    return note("You cannot decide your own request.", *line, title=_NOT_YOURS)


def guest(approvers: Approvers, names: Mapping[str, str] | None = None) -> Note:
    return _kind_refused("guests cannot", approvers, names)


def no_person(approvers: Approvers, names: Mapping[str, str] | None = None) -> Note:
    """A bot, or an account that is deactivated."""
    return _kind_refused("only people with an active account can", approvers, names)


def other_workspace(approvers: Approvers, names: Mapping[str, str] | None = None) -> Note:
    return _kind_refused("people of other workspaces cannot", approvers, names)


def _kind_refused(why: str, approvers: Approvers, names: Mapping[str, str] | None) -> Note:
    who = people.approvers(approvers, _named(names), members_of=True)
    line = [bold("You cannot decide this: "), text(f"{why}. "), *who, text(" can. Nothing changed.")]
    return note("You cannot decide this.", *line, title=_NOT_YOURS)


def _named(names: Mapping[str, str] | None) -> Paint:
    return Paint(names=names or {})


def group_unreadable(group: str) -> Note:
    """The decision hangs on a group that Slack did not tell us."""
    line = [text("We could not check who belongs to "), richtext.usergroup(group)]
    wait = text(" just now. Please click again in a minute.")
    return note("Nothing was recorded.", bold("Nothing was recorded. "), *line, wait)


def group_gone(group: str, requester: str | None) -> Note:
    """The decision hangs on a group that nobody can read: clicking again would not help. `requester`: who asked."""
    asker = [richtext.user(requester)] if requester is not None else [text("Its run")]
    line = [text("Nobody can be found in "), richtext.usergroup(group), text(": we cannot read that group. ")]
    return note("Nothing was recorded.", bold("Nothing was recorded. "), *line, *asker, text(" can ask again."))


def person_unreadable(approvers: Approvers, names: Mapping[str, str] | None = None) -> Note:
    """The decision hangs on what kind of account the clicker has, and Slack did not tell us."""
    who = people.approvers(approvers, _named(names), members_of=True)
    rule = text("Guests cannot decide this, and we could not check your account just now. ")
    line = [rule, *who, text(" can. Please click again in a minute.")]
    return note("Nothing was recorded.", bold("Nothing was recorded. "), *line)


def unconfirmed() -> Note:
    """The database did not say whether it committed: neither success nor "nothing happened"."""
    lead = "We could not confirm your click."
    return note(lead, bold(f"{lead} "), text("If the card still shows buttons, click again."))


def edited_elsewhere() -> Note:
    """What the form shows is not what was entered last: it was changed in another window, or is gone."""
    line = text("It was changed in another window. Please choose Edit input… again.")
    return note("Nothing was decided.", bold("Nothing was decided. "), line, title="Look again")


def form_late() -> Note:
    lead = "The form did not open in time."
    return note(lead, bold(f"{lead} "), text("Nothing changed. Please click again."))


def incomplete(prompt: str) -> Note:
    """Names the first question that is missing."""
    asked = limits.clip(one_line(prompt), 300)
    return note(_NOT_YET, bold("Not submitted yet: "), text(f"please answer “{asked}”. What you chose is kept."))


def unfit(message: str, prompt: str = "") -> Note:
    """An answer that does not do, in the words of whoever checked it. `prompt`: of which question, where of several."""
    asked = limits.clip(one_line(prompt), 300)
    lead = f"Not submitted yet, at “{asked}”: " if asked else "Not submitted yet: "
    return note(_NOT_YET, bold(lead), text(f"{message[:1].lower()}{message[1:]}"))


def reason_needed() -> Note:
    """A denial without its reason, from a button that asks for none."""
    return note("Not denied yet.", bold("Not denied yet: "), text("a reason is needed. Use "), bold("Deny…"), text("."))


def too_long(prompt: str, longest: int) -> Note:
    asked = limits.clip(one_line(prompt), 300)
    line = text(f"the answer to “{asked}” has more than {longest:,} characters. What you wrote is kept.")
    return note(_NOT_YET, bold("Not submitted yet: "), line)


_NOT_YET = "Not submitted yet."


def retired() -> Note:
    lead = "This button is no longer in use."
    shows = [text("Nothing changed. "), code(PENDING_COMMAND), text(" shows what waits for you.")]
    return note(lead, bold(f"{lead} "), *shows)


def gone() -> Note:
    """Unknown, or of another tenant: they look the same."""
    lead = "This request is not here any more."
    return note(lead, bold(f"{lead} "), text("Nothing changed."))


def form_retired() -> Note:
    """A form that no listener knows, or that remembers nothing of ours."""
    lead = "This form is no longer in use."
    shows = [text("Nothing changed. "), code(PENDING_COMMAND), text(" shows what waits for you.")]
    return note(lead, bold(f"{lead} "), *shows, title="No longer in use")


def practice_unsent(error: str) -> Note:
    """The practice request waits at Home only. `error`: Slack's word."""
    lead = "Slack lets us not write to you: "
    waits = text(". Your practice request waits here, in Home.")
    return note(f"{lead}{error}.", bold(lead), code(limits.clip(one_line(error), limits.NAME) or "no reason"), waits)


def practice_elsewhere() -> Note:
    lead = "Practice is for people of this workspace."
    return note(lead, bold(f"{lead} "), text("Nothing changed."))


def withdraw_by_another(asker: str | None) -> Note:
    """`asker`: the Slack user who asked; None where a key did."""
    says = "Only who asked can withdraw this."
    if asker is None:
        return note(says, bold("Only the run that asked can withdraw this. "), text("Nothing changed."))
    line = [bold("Only "), richtext.user(asker), bold(", who asked, can withdraw this. "), text("Nothing changed.")]
    return note(says, *line)


def not_a_waker(approvers: Approvers) -> Note:
    """To somebody who may not have the run told again."""
    line = [bold("You cannot wake this run: "), text("only who asked, an operator, "), *_may(approvers)]
    return note("You cannot wake this run.", *line, text(" can. Nothing changed."))


def _may(approvers: Approvers) -> list[Block]:
    return [text("or "), *people.approvers(approvers, _PLAIN, members_of=True)]


def unknown_code(code_given: str) -> Note:
    shown = limits.clip(one_line(code_given), limits.NAME)
    line = [text(f"No request {shown} here. "), code(PENDING_COMMAND), text(" lists what waits.")]
    return note("No such request here.", *line)


def ambiguous_code(code_given: str) -> Note:
    shown = limits.clip(one_line(code_given), limits.NAME)
    line = [
        bold(f"More than one request ends in {shown}. "),
        text("Nothing changed. Give its whole id: "),
        code(PENDING_COMMAND),
    ]
    return note("More than one such request.", *line, text(" lists what waits."))


def reason_too_long(longest: int) -> Note:
    lead = "Not withdrawn yet: "
    return note("Not withdrawn yet.", bold(lead), text(f"a reason has at most {longest:,} characters."))


def withdrawn(title: str, *, card: str | None = None) -> Note:
    """The reply to `/signoff withdraw`, which has no card of its own to change. `card`: a link to the one that does."""
    shown = richtext.link(card, limits.clip(one_line(title), limits.HEADER))
    return note(fallback.line("Withdrawn: ", title), bold("Withdrawn: "), shown, text(". Nothing ran."))


def recorded() -> Note:
    """Said only where painting is seconds behind: otherwise the card itself is the reply."""
    return note("Recorded.", bold("Recorded. "), text("The card follows."))


def failed() -> Note:
    """Something of ours broke where nothing could have been decided: a list, a page, a form that was to be opened."""
    lead = "We could not show this just now."
    return note(lead, bold(f"{lead} "), text("Nothing changed. Please try again."))
