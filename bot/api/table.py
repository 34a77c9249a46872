"""Everything under /v1, with the scope it takes: the table that the server mounts and describes."""

from bot.api import body, deliveries, directory, routes, running, schemas, shapes, table_runs, waking
from bot.api.presenters import Json
from bot.api.route import Route
from store.types import Kind, Scope, State

_SEARCH: dict[str, Json] = {
    "state": {"type": "array", "items": {"type": "string", "enum": [state.value for state in State]}},
    "claimed": {"type": "boolean"},
    "stuck": {"type": "boolean", "const": True},
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    # Compared, and stored nowhere: of any length.
    "run_id": {"type": "string"},
    "operation_id": {"type": "string"},
    "cursor": {"type": "string"},
    "limit": {"type": "integer", "minimum": 1, "maximum": body.MAX_PAGE, "default": body.DEFAULT_PAGE},
    "wait": {"type": "integer", "minimum": 0, "maximum": body.MAX_WAIT, "default": 0},
}
_WAIT: dict[str, Json] = {
    "wait": _SEARCH["wait"],
    "for": {"type": "string", "enum": list(routes.ENDS), "default": "resolved"},
}

_DRY_RUN: dict[str, Json] = {"dry_run": {"type": "string", "enum": list(routes.DRY_RUN), "default": "0"}}

_APPROVAL: Json = {
    "run_id": "deploy-812",
    "title": "Deploy api 1.4.2 to production",
    "tool_name": "deploy.release",
    "input": {"service": "api", "version": "1.4.2"},
    "channels": ["C07DEPLOYS1"],
    "approvers": {"users": ["U07ANA4K2QX"]},
}
_QUESTIONS: Json = {
    "run_id": "report-48",
    "questions": [
        {
            "id": "region",
            "prompt": "Which region goes into the report?",
            "options": [{"id": "eu", "label": "Europe"}, {"id": "us", "label": "United States"}],
        }
    ],
    "channels": ["C07REPORTS2"],
    "respondents": {"users": ["U07ANA4K2QX"]},
}

_ATTEMPTS: dict[str, Json] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": deliveries.MOST, "default": deliveries.USUAL}
}

#: Everything under /v1, with the scope it takes.
ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/v1/approvals",
        scope=Scope.ASK,
        endpoint=routes.ask_approval,
        summary="Ask people to approve one action",
        sends=schemas.ApprovalIn,
        example=_APPROVAL,
        answer=shapes.Approval,
        creates=True,
        parameters=_DRY_RUN,
        previews=shapes.Previewed,
    ),
    Route(
        method="POST",
        path="/v1/questions",
        scope=Scope.ASK,
        endpoint=routes.ask_questions,
        summary="Ask people one to twenty questions",
        sends=schemas.QuestionsIn,
        example=_QUESTIONS,
        answer=shapes.QuestionSet,
        creates=True,
        parameters=_DRY_RUN,
        previews=shapes.Previewed,
    ),
    Route(
        method="GET",
        path="/v1/interactions/{id}",
        scope=Scope.READ,
        endpoint=routes.read,
        summary="One interaction, now or as soon as it is resolved, or finished",
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
        method="POST",
        path="/v1/interactions/{id}/wake",
        scope=Scope.ASK,
        endpoint=waking.wake,
        summary="Have its run told again",
        sends=waking.WakeIn,
        answer=shapes.Woken,
    ),
    Route(
        method="GET",
        path="/v1/interactions/{id}/deliveries",
        scope=Scope.READ,
        endpoint=deliveries.list_deliveries,
        summary="What was sent to its webhook, attempt by attempt, newest first",
        answer=shapes.Deliveries,
        parameters=_ATTEMPTS,
    ),
    Route(
        method="POST",
        path="/v1/interactions/{id}/deliveries/replay",
        scope=Scope.ADMIN,
        endpoint=deliveries.replay_delivery,
        summary="Send a message to its webhook again, by hand: same id, same bytes",
        sends=deliveries.ReplayIn,
        answer=shapes.Replayed,
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
        path="/v1/directory",
        scope=Scope.READ,
        endpoint=directory.look_up,
        summary="The id of a channel, a group or a person, by name",
        answer=shapes.Matched,
        parameters={"q": {"type": "string", "minLength": 1, "maxLength": directory.MAX_NAME}},
        required=frozenset({"q"}),
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
