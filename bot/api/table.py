"""Everything under /v1, with the scope it takes: the table that the server mounts and describes."""

from bot.api import body, routes, running, schemas, shapes, table_runs
from bot.api.presenters import Json
from bot.api.route import Route
from store.types import Kind, Scope, State


def _text(limit: int = 200) -> Json:
    return {"type": "string", "maxLength": limit}


_SEARCH: dict[str, Json] = {
    "state": {"type": "array", "items": {"type": "string", "enum": [state.value for state in State]}},
    "claimed": {"type": "boolean"},
    "stuck": {"type": "boolean", "const": True},
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    "run_id": _text(),
    "operation_id": _text(),
    "cursor": _text(1000),
    "limit": {"type": "integer", "minimum": 1, "maximum": body.MAX_PAGE, "default": body.DEFAULT_PAGE},
}
_WAIT: dict[str, Json] = {"wait": {"type": "integer", "minimum": 0, "maximum": body.MAX_WAIT, "default": 0}}

#: Everything under /v1, with the scope it takes.
ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/v1/approvals",
        scope=Scope.ASK,
        endpoint=routes.ask_approval,
        summary="Ask people to approve one action",
        sends=schemas.ApprovalIn,
        answer=shapes.Approval,
        creates=True,
    ),
    Route(
        method="POST",
        path="/v1/questions",
        scope=Scope.ASK,
        endpoint=routes.ask_questions,
        summary="Ask people one to twenty questions",
        sends=schemas.QuestionsIn,
        answer=shapes.QuestionSet,
        creates=True,
    ),
    Route(
        method="GET",
        path="/v1/interactions/{id}",
        scope=Scope.READ,
        endpoint=routes.read,
        summary="One interaction, now or as soon as it is resolved",
        answer=shapes.AnyInteraction,
        parameters=_WAIT,
    ),
    Route(
        method="GET",
        path="/v1/interactions",
        scope=Scope.READ,
        endpoint=routes.search,
        summary="Interactions by filter; pending by deadline, otherwise newest first",
        answer=shapes.InteractionPage,
        parameters=_SEARCH,
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}/decide",
        scope=Scope.DECIDE,
        endpoint=routes.decide,
        summary="Decide as a key, where the ask names it",
        sends=schemas.DecideIn,
        answer=shapes.Decided,
    ),
    Route(
        method="POST",
        path="/v1/questions/{id}/answer",
        scope=Scope.DECIDE,
        endpoint=routes.answer,
        summary="Answer as a key, where the ask names it",
        sends=schemas.AnswersIn,
        answer=shapes.Answered,
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}/claim",
        scope=Scope.ASK,
        endpoint=running.claim,
        summary="Take the single execution of a decided approval; run only on execute",
        sends=schemas.ClaimIn,
        answer=shapes.Claimed,
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}/report",
        scope=Scope.ASK,
        endpoint=running.report,
        summary="Say what became of a claimed execution",
        sends=schemas.ReportIn,
        answer=shapes.Reported,
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}/settle",
        scope=Scope.ADMIN,
        endpoint=running.settle,
        summary="Say what happened to an execution that went silent",
        sends=schemas.SettleIn,
        answer=shapes.Settled,
    ),
    Route(
        method="POST",
        path="/v1/interactions/{id}/withdraw",
        scope=Scope.ASK,
        endpoint=routes.withdraw,
        summary="Take an ask back",
        sends=schemas.WithdrawIn,
        answer=shapes.Withdrawn,
    ),
    Route(
        method="GET",
        path="/v1/stops",
        scope=Scope.READ,
        endpoint=running.stops,
        summary="What is stopped",
        answer=shapes.Stops,
    ),
    Route(
        method="POST",
        path="/v1/stops",
        scope=Scope.ADMIN,
        endpoint=running.stop,
        summary="Stop a tool, or all: no claim of it executes until it goes on",
        sends=schemas.StopIn,
        answer=shapes.Stops,
    ),
    Route(
        method="POST",
        path="/v1/stops/end",
        scope=Scope.ADMIN,
        endpoint=running.go,
        summary="Let a tool go on, or all",
        sends=schemas.GoIn,
        answer=shapes.Stops,
    ),
    Route(
        method="GET",
        path="/v1/me",
        scope=Scope.READ,
        endpoint=routes.me,
        summary="What this key is and may do",
        answer=shapes.Me,
    ),
    *table_runs.ROUTES,
)
