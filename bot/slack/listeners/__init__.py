"""All wires at a glance: which action, form and command goes where."""

from collections.abc import Awaitable, Callable, Mapping

from blocks import ids
from blocks.surface import Message
from bot.slack.desk import Desk
from bot.slack.listeners import answer, approve, drafts, edit, home, lists, settle, submit, voting
from bot.slack.listeners.submit import Response, instead
from bot.slack.listeners.submit import retired as retired_form
from bot.slack.payloads import Click, Command, Submission

OnClick = Callable[[Desk, str, Click], Awaitable[None]]
OnSubmission = Callable[[Desk, str, Submission], Awaitable[Response]]
OnCommand = Callable[[Desk, str, Command], Awaitable[Message | None]]

ACTIONS: Mapping[str, OnClick] = {
    ids.APPROVE: approve.approve,
    ids.DENY: approve.deny,
    ids.DENY_REASON: approve.deny_with_reason,
    ids.REVIEW: approve.review,
    ids.SHOW_ALL: approve.show_all,
    ids.PAGE: approve.turn_page,
    ids.MORE: approve.menu,
    ids.WAKE: approve.wake,
    ids.HAPPENED: settle.happened,
    ids.NOT_HAPPENED: settle.did_not_happen,
    ids.PICK: answer.pick,
    ids.CHOOSE: answer.pick,
    ids.OTHER: answer.other,
    ids.SUBMIT: answer.submit,
    ids.SKIP: answer.skip,
    ids.FORM: answer.form,
    ids.LIST_FILTER: lists.choose_filter,
    ids.LIST_PAGE: lists.turn_page,
    ids.WITHDRAW: lists.withdraw_button,
    ids.PRACTICE: home.practice,
    ids.VALUE: drafts.keep,
    ids.TEXT: drafts.keep,
    ids.EXTEND: voting.extend,
    ids.TAKE_BACK: voting.take_back_button,
}

SUBMISSIONS: Mapping[str, OnSubmission] = {
    ids.VIEW_DENY: submit.deny,
    ids.VIEW_REVIEW: submit.approve,
    ids.VIEW_OTHER: submit.own_answer,
    ids.VIEW_FORM: submit.answers,
    ids.VIEW_EDIT: edit.compare,
    ids.VIEW_COMPARE: edit.approve,
}

COMMANDS: Mapping[str, OnCommand] = {
    "/pending": lists.command,
    "/signoff": lists.signoff,
}

#: Answers every look-up: only our own menus are searched.
lookup = answer.options

__all__ = [
    "ACTIONS",
    "COMMANDS",
    "SUBMISSIONS",
    "OnClick",
    "OnCommand",
    "OnSubmission",
    "Response",
    "instead",
    "lookup",
    "retired_form",
]
