"""Hosted runs as lines of text from rows."""

from collections.abc import Iterator, Sequence

from bot.actors import who
from bot.console import moment
from store.protocol import Store
from store.runs import Run, RunAction, RunStatus, RunSummary


async def run_lines(
    store: Store, tenant: str, *, code: str | None, status: RunStatus | None, limit: int
) -> Sequence[str]:
    """Newest first; the last line says where there are more."""
    page = await store.list_runs(tenant=tenant, code=code, status=status, limit=limit)
    more = [] if page.next_cursor is None else ["There are more: narrow it by --code or --status, or raise --limit."]
    return [*(_row(run) for run in page.items), *more] or ["No runs."]


def show_run(run: Run) -> Sequence[str]:
    return [
        f"{run.id}  run  {run.status}",
        f"code       {run.code}",
        f"started by {who(run.started_by)} at {moment(run.created_at)}",
        f"input      {run.input_json}",
        f"state      {run.state_json}",
        *_holder(run),
        *(_action(run.action) if run.action is not None else ()),
        *_end(run),
    ]


def _row(run: RunSummary) -> str:
    detail = "" if run.error is None else f"  {run.error.code}: {run.error.message}"
    return f"{run.id:<36}  {run.status:<9}  {moment(run.created_at)}  {run.code}{detail}"


def _holder(run: Run) -> Iterator[str]:
    if run.begun_at is not None:
        yield f"begun      {moment(run.begun_at)}"
    if run.lease is not None:
        yield f"held by    {run.worker or 'nobody by name'} until {moment(run.lease.until)}"


def _action(action: RunAction) -> Iterator[str]:
    delivered = "" if action.delivered_at is None else f" · delivered {moment(action.delivered_at)}"
    yield f"asked      {action.operation_id} {action.kind} {action.interaction_id or 'not asked yet'}{delivered}"


def _end(run: Run) -> Iterator[str]:
    if run.stop is not None:
        yield f"to stop    {moment(run.stop.at)} by {who(run.stop.actor)}{f': {run.stop.reason}' if run.stop.reason else ''}"
    if run.ending is None:
        return
    error = run.ending.error
    how = f"outcome {run.ending.outcome_json}" if error is None else f"{error.code}: {error.message}"
    yield f"ended      {moment(run.finished_at)} · {how}"
