"""The routes of hosted runs: of who starts them, and of who works on them."""

from bot.api import body, runs, schemas_runs, shapes_runs, working
from bot.api.presenters import Json
from bot.api.route import Route
from store.runs import RunStatus
from store.types import Scope

_WAIT: dict[str, Json] = {"wait": {"type": "integer", "minimum": 0, "maximum": body.MAX_WAIT, "default": 0}}
_LIST: dict[str, Json] = {
    # Compared, and stored nowhere: of any length.
    "code": {"type": "string"},
    "status": {"type": "string", "enum": [status.value for status in RunStatus]},
    "cursor": {"type": "string"},
    "limit": {"type": "integer", "minimum": 1, "maximum": body.MAX_PAGE, "default": body.DEFAULT_PAGE},
}

ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/v1/runs",
        scope=Scope.ASK,
        endpoint=runs.start_run,
        summary="Start a hosted run",
        sends=schemas_runs.StartRunIn,
        answer=shapes_runs.Run,
        creates=True,
    ),
    Route(
        method="GET",
        path="/v1/runs/{run_id}",
        scope=Scope.READ,
        endpoint=runs.read_run,
        summary="One hosted run, now or as soon as it is finished",
        answer=shapes_runs.Run,
        parameters=_WAIT,
    ),
    Route(
        method="GET",
        path="/v1/runs",
        scope=Scope.READ,
        endpoint=runs.list_runs,
        summary="Hosted runs, newest first",
        answer=shapes_runs.RunPage,
        parameters=_LIST,
    ),
    Route(
        method="POST",
        path="/v1/runs/{run_id}/stop",
        scope=Scope.ASK,
        endpoint=runs.stop_run,
        summary="Have a hosted run end",
        sends=schemas_runs.StopRunIn,
        answer=shapes_runs.StoppedRun,
    ),
    Route(
        method="POST",
        path="/v1/work/lease",
        scope=Scope.WORK,
        endpoint=working.lease,
        summary="Take runs to work on, as soon as there are any",
        sends=schemas_runs.LeaseIn,
        answer=shapes_runs.Leased,
    ),
    Route(
        method="POST",
        path="/v1/work/renew",
        scope=Scope.WORK,
        endpoint=working.renew,
        summary="Hold runs longer, and hear what became of them",
        sends=schemas_runs.RenewIn,
        answer=shapes_runs.Renewed,
    ),
    Route(
        method="POST",
        path="/v1/work/release",
        scope=Scope.WORK,
        endpoint=working.release,
        summary="Give runs back, for another worker to take at once",
        sends=schemas_runs.ReleaseIn,
        answer=shapes_runs.Released,
    ),
    Route(
        method="POST",
        path="/v1/work/checkpoint",
        scope=Scope.WORK,
        endpoint=working.checkpoint,
        summary="Save a run's state, ask for it, or say that its answer is delivered",
        sends=schemas_runs.CheckpointIn,
        answer=shapes_runs.Checkpointed,
    ),
    Route(
        method="POST",
        path="/v1/work/finish",
        scope=Scope.WORK,
        endpoint=working.finish,
        summary="End a run, with its outcome or an error",
        sends=schemas_runs.FinishIn,
        answer=shapes_runs.Checkpointed,
    ),
)
