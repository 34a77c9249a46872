"""Which run asks: as the program says, or as its CI system names the job. Nothing is invented here."""

import hashlib
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass

#: The API's limit on a run's name.
MOST_CHARACTERS = 200
_MARK = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """A run, and the one ask within it where that is named."""

    run_id: str
    operation_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entered:
    named: Named | None
    outer: "_Entered | None"


#: Said by `with so.run("deploy-812"):`, for this thread or task and the tasks it starts.
_entered: ContextVar[_Entered | None] = ContextVar("signoff_run", default=None)


def enter(named: Named | None) -> None:
    _entered.set(_Entered(named=named, outer=_entered.get()))


def leave() -> None:
    """Back to what held before."""
    inner = _entered.get()
    _entered.set(None if inner is None else inner.outer)


def current() -> Named | None:
    inner = _entered.get()
    return None if inner is None else inner.named


@dataclass(frozen=True, kw_only=True, slots=True)
class _System:
    """`sign`: the variable that only this system sets. `parts`: what names one attempt of one job."""

    name: str
    sign: str
    parts: tuple[str, ...]


_SYSTEMS = (
    _System(
        name="github",
        sign="GITHUB_ACTIONS",
        parts=("GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB"),
    ),
    _System(name="gitlab", sign="GITLAB_CI", parts=("CI_PROJECT_PATH", "CI_JOB_ID")),
    _System(name="jenkins", sign="JENKINS_URL", parts=("BUILD_TAG",)),
    _System(name="buildkite", sign="BUILDKITE", parts=("BUILDKITE_BUILD_ID", "BUILDKITE_JOB_ID")),
    _System(name="circleci", sign="CIRCLECI", parts=("CIRCLE_WORKFLOW_ID", "CIRCLE_JOB", "CIRCLE_BUILD_NUM")),
    _System(name="azure", sign="TF_BUILD", parts=("BUILD_BUILDID", "SYSTEM_JOBID", "SYSTEM_JOBATTEMPT")),
    _System(name="bitbucket", sign="BITBUCKET_PIPELINE_UUID", parts=("BITBUCKET_PIPELINE_UUID", "BITBUCKET_STEP_UUID")),
    _System(name="travis", sign="TRAVIS", parts=("TRAVIS_JOB_ID",)),
    _System(name="codebuild", sign="CODEBUILD_BUILD_ID", parts=("CODEBUILD_BUILD_ID",)),
    _System(name="drone", sign="DRONE", parts=("DRONE_REPO", "DRONE_BUILD_NUMBER", "DRONE_STAGE_NUMBER")),
)


def run_from(environment: Mapping[str, str]) -> str | None:
    """SIGNOFF_RUN_ID, or what the CI system calls this attempt of this job; None where neither is there.

    Jobs of a matrix share a name in some systems: give each of their asks an operation_id, or name the run.
    """
    given = environment.get("SIGNOFF_RUN_ID", "").strip()
    if given:
        return _short(given)
    for system in _SYSTEMS:
        if environment.get(system.sign):
            parts = [environment.get(part, "").strip() for part in system.parts]
            if all(parts):
                return _short("/".join([system.name, *parts]))
    return None


def _short(name: str) -> str:
    """What is too long keeps its start, and its identity by a digest."""
    if len(name) <= MOST_CHARACTERS:
        return name
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{name[: MOST_CHARACTERS - _MARK - 1]}-{mark}"
