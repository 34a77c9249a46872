"""What must stay equal: the two clients, what is exported, and what the service answers."""

import importlib
import inspect
import re
from pathlib import Path

import msgspec
import pytest

import signoff
from bot.api import schemas, schemas_runs, shapes, shapes_runs
from signoff import asks, asynchronous, client, errors, hosted, previews, reading, starting, types

TOP = Path(__file__).parents[2]


def public(cls) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(member)
        for name, member in inspect.getmembers(cls, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize(
    ("sync", "later"),
    [(client.Calls, asynchronous.AsyncCalls), (client.Signoff, asynchronous.AsyncSignoff)],
)
def test_both_clients_take_the_same_words(sync, later) -> None:
    one, other = public(sync), public(later)

    assert one.keys() == other.keys()
    for name, signature in one.items():
        assert signature.parameters == other[name].parameters, name


def test_every_exported_name_is_there_and_is_known_to_type_checkers() -> None:
    text = (TOP / "sdk" / "signoff" / "__init__.py").read_text("utf-8")
    typed = {name: home for home, name in re.findall(r"from signoff\.(\w+) import (\w+) as \2", text)}

    assert typed == signoff._HOME_OF
    for name, home in typed.items():
        assert getattr(signoff, name) is getattr(importlib.import_module(f"signoff.{home}"), name)
    assert set(typed) <= set(dir(signoff))
    with pytest.raises(AttributeError, match="nothing"):
        _ = signoff.nothing


def test_every_error_is_in_the_tree_of_its_module() -> None:
    named = {
        name
        for name, member in vars(errors).items()
        if inspect.isclass(member) and issubclass(member, Exception) and member.__module__ == errors.__name__
    }

    assert named <= set(re.findall(r"\w+", errors.__doc__))


#: Of calls that this client does not make: those of workers, and of operators.
ELSEWHERE = {"lease_lost", "stopping", "nothing_sent"}


def test_every_code_of_the_service_is_an_error_of_its_own() -> None:
    words = (TOP / "docs" / "api.md").read_text("utf-8")
    codes = set(re.findall(r"^\| 4\d\d \| `(\w+)` \|", words, re.MULTILINE))

    assert codes - set(reading._BY_CODE) == {"method_not_allowed", "too_many_tries"} | ELSEWHERE


PAIRS = {
    shapes.Approval: types.Approval,
    shapes.QuestionSet: types.QuestionSet,
    shapes.ActorOut: types.Actor,
    shapes.PolicyOut: types.PolicyRef,
    shapes.HopOut: types.Hop,
    shapes.StopOut: types.Stop,
    shapes.FactOut: types.Fact,
    shapes.LinkOut: types.Link,
    shapes.EditedOut: types.Edited,
    shapes.SettledOut: types.Settlement,
    shapes.PostingOut: types.Posting,
    shapes.ResumeOut: types.ResumeState,
    shapes.ApproversOut: types.Approvers,
    shapes.VoteOut: types.Vote,
    shapes.ExecutionOut: types.ExecutionState,
    shapes.OptionOut: types.Option,
    shapes.QuestionOut: types.AskedQuestion,
    shapes.AnswerOut: types.Answer,
    shapes.InteractionPage: types.Page,
    shapes.Claimed: types.Claim,
    shapes.Reported: types.Reported,
    shapes.Withdrawn: types.Withdrawal,
    shapes.Decided: types.Decided,
    shapes.Answered: types.Answered,
    shapes.Me: types.Me,
    shapes.MatchOut: types.Match,
    shapes.Matched: types.Matches,
    shapes.CardOut: previews.Card,
    shapes.PlaceOut: previews.Place,
    shapes.DeciderOut: previews.Decider,
    shapes.LeftOut: previews.LeftOut,
    shapes.CanDecideOut: previews.CanDecide,
    shapes_runs.Run: hosted.HostedRun,
    shapes_runs.RunSummary: hosted.RunSummary,
    shapes_runs.RunActionOut: hosted.RunAction,
    shapes_runs.RunErrorOut: hosted.RunFailure,
    shapes_runs.RunStopOut: hosted.RunStop,
    shapes_runs.RunPage: hosted.RunPage,
    shapes_runs.StoppedRun: hosted.StoppedRun,
}


@pytest.mark.parametrize(("shape", "struct"), PAIRS.items(), ids=lambda each: each.__name__)
def test_every_field_of_an_answer_has_its_place(shape, struct) -> None:
    there = {field.encode_name for field in msgspec.structs.fields(struct)}

    assert there == set(shape.model_fields) - {"kind"} | (there & {"kind"})


#: What an ask calls otherwise than the HTTP API does.
OTHERWISE = {"channels", "users", "resume", "title", "questions", "input", "tool_name", "revalidate"}
OURS = {"to", "webhook", "handler", "approver_keys", "quorum", "denials", "allow_requester", "require_reason"}


@pytest.mark.parametrize(
    ("model", "fields"), [(schemas.ApprovalIn, asks.AskingApproval), (schemas.QuestionsIn, asks.AskingQuestions)]
)
def test_every_field_of_an_ask_can_be_said(model, fields) -> None:
    said = set(fields.__annotations__)

    assert set(model.model_fields) - OTHERWISE == said - OURS - OTHERWISE
    assert {"input", "tool_name", "revalidate"} <= set(asks.AskingApproval.__annotations__)


def test_every_field_of_a_start_can_be_said() -> None:
    said = set(starting.Starting.__annotations__)
    audience = set(schemas_runs.AudienceIn.model_fields) - {"channels", "users"} | {"to"}
    rule = set(schemas.ApproversIn.model_fields) - {"users", "groups", "keys"} | {"approver_keys"}

    assert said == audience | rule | set(schemas_runs.StartRunIn.model_fields) - {"code", "input", "audience"}
