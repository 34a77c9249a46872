"""Which run asks: nobody invents it, and each CI system says it in its own words."""

import pytest

from signoff.runs import MOST_CHARACTERS, run_from

GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_REPOSITORY": "acme/api",
    "GITHUB_RUN_ID": "812",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_JOB": "deploy",
}


@pytest.mark.parametrize(
    ("environment", "run_id"),
    [
        (GITHUB, "github/acme/api/812/2/deploy"),
        ({"GITLAB_CI": "true", "CI_PROJECT_PATH": "acme/api", "CI_JOB_ID": "4711"}, "gitlab/acme/api/4711"),
        ({"JENKINS_URL": "https://ci", "BUILD_TAG": "jenkins-api-812"}, "jenkins/jenkins-api-812"),
        (
            {"BUILDKITE": "true", "BUILDKITE_BUILD_ID": "b-1", "BUILDKITE_JOB_ID": "j-1"},
            "buildkite/b-1/j-1",
        ),
        (
            {"CIRCLECI": "true", "CIRCLE_WORKFLOW_ID": "w-1", "CIRCLE_JOB": "deploy", "CIRCLE_BUILD_NUM": "7"},
            "circleci/w-1/deploy/7",
        ),
        (
            {"TF_BUILD": "True", "BUILD_BUILDID": "7", "SYSTEM_JOBID": "j-1", "SYSTEM_JOBATTEMPT": "1"},
            "azure/7/j-1/1",
        ),
        ({"TRAVIS": "true", "TRAVIS_JOB_ID": "7"}, "travis/7"),
        ({"CODEBUILD_BUILD_ID": "api:b-1"}, "codebuild/api:b-1"),
        ({**GITHUB, "SIGNOFF_RUN_ID": " mine "}, "mine"),
        ({**GITHUB, "GITHUB_RUN_ATTEMPT": ""}, None),
        ({"CI": "true"}, None),
        ({}, None),
    ],
)
def test_the_job_says_which_run_it_is(environment, run_id) -> None:
    assert run_from(environment) == run_id


def test_another_attempt_is_another_run() -> None:
    assert run_from(GITHUB) != run_from({**GITHUB, "GITHUB_RUN_ATTEMPT": "3"})


def test_a_long_name_stays_different_from_others_that_begin_the_same() -> None:
    one, other = (run_from({"SIGNOFF_RUN_ID": "x" * 300 + end}) for end in "ab")

    assert len(one) == len(other) == MOST_CHARACTERS
    assert one != other
