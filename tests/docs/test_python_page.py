"""docs/python.md against the package: every public name, parameter, field and error in both directions; samples are run."""

import dataclasses
import inspect
import re
from typing import get_args

import pytest

import signoff
from signoff import approving, asks, errors, executing, flows, hosted, runs, runtime, settings, starting, types, wire
from signoff.asynchronous import AsyncSignoff
from signoff.client import Signoff
from signoff.wire import Wire
from tests.docs.guide import approve, ended, reader, sample
from tests.docs.page import page, quoted, section, tables
from tests.e2e.house import DEPLOYS, place

PAGE = page("python.md")
CALL = re.compile(r"(\w+)\((.*)\)")


def rows(heading: str, number: int = 0) -> list[list[str]]:
    return tables(section(PAGE, heading))[number]


def named(cell: str) -> list[str]:
    """Names in backticks, without what they are called with."""
    return [found.partition("(")[0] for found in quoted(cell) if re.match(r"[A-Za-z_]+(\(|$)", found)]


def first_column(heading: str, number: int = 0) -> list[str]:
    return [name for row in rows(heading, number) for name in named(row[0])]


def public(what: type) -> set[str]:
    return {name for name in dir(what) if not name.startswith("_")}


def test_every_public_name_of_the_package_is_on_the_page() -> None:
    text = set(re.findall(r"\w+", " ".join(quoted(PAGE))))

    assert set(signoff._HOME_OF) - text == set()
    assert set(first_column("Names of hosted runs")) == set(runtime.__all__)


@pytest.mark.parametrize("client", [Signoff, AsyncSignoff])
def test_the_client_takes_what_the_page_says(client) -> None:
    assert first_column("The client") == list(inspect.signature(client).parameters)
    assert settings.DEFAULT_URL in rows("The client")[0][1]
    assert f"default {inspect.signature(client).parameters['patience'].default:.0f}" in rows("The client")[2][1]


@pytest.mark.parametrize("client", [Signoff, AsyncSignoff])
def test_each_call_is_described_with_its_parameters_and_no_other_is(client) -> None:
    cells = [words for row in rows("Calls") for words in quoted(row[0])]
    said = {found[1]: found[2] for words in cells if (found := CALL.fullmatch(words))}

    assert set(said) == public(client)
    for name, given in said.items():
        of_call = inspect.signature(getattr(client, name)).parameters.values()
        wanted = [one.name for one in of_call if one.name != "self" and one.kind is not one.VAR_KEYWORD]
        written = [word for word in given.split(", ") if word]
        assert written == wanted, name


def test_the_terms_of_a_list_and_of_a_claim_are_named() -> None:
    by_call = {named(row[0])[0]: set(quoted(row[1])) for row in rows("Calls")}

    assert by_call["list"] - {"Page", "claimed=False"} == set(flows.Listing.__annotations__)
    assert by_call["claim"] - {"Claim", "execute", "execution"} == set(flows.Claiming.__annotations__)


def test_what_a_start_says_and_what_comes_of_it_is_named() -> None:
    said = {named(row[0])[0]: set(named(row[1])) for row in rows("Hosted runs from outside", 1)}
    by_call = {named(row[0])[0]: set(quoted(row[1])) for row in rows("Calls")}

    assert set(first_column("Hosted runs from outside")) == set(starting.Starting.__annotations__)
    assert by_call["list_runs"] - {"RunPage"} == set(starting.RunListing.__annotations__)
    assert set(said) == set(signoff._HOMES["hosted"])
    for name, fields in said.items():
        struct = getattr(signoff, name)
        inherited = public(hosted.RunSummary) if name == "HostedRun" else set()
        assert fields - set(get_args(hosted.RunStatus)) == public(struct) - inherited, name


def test_what_an_ask_says_is_described_for_the_ask_that_takes_it() -> None:
    said = {name: row[1] for row in rows("What an ask says") for name in named(row[0])}
    approvals = set(asks.AskingApproval.__annotations__)
    questions = set(asks.AskingQuestions.__annotations__)

    assert {name for name, of in said.items() if of == "both"} == approvals & questions
    assert {name for name, of in said.items() if of == "approvals"} == approvals - questions
    assert {name for name, of in said.items() if of == "questions"} == questions - approvals


def test_the_parts_of_an_ask_have_these_fields() -> None:
    for row in rows("What an ask says", 1):
        (name,) = named(row[0])
        assert [word for word in named(row[1]) if not word[0].isupper()] == list(
            getattr(signoff, name).__struct_fields__
        ), name


def test_how_it_is_run_has_these_terms() -> None:
    of_approved = set(approving._Running.__annotations__)

    assert set(first_column("How it is run")) == set(executing.Executing.__annotations__) | of_approved
    assert f"{executing.REPORT_WITHIN} unless said" in rows("How it is run")[2][1]


def test_an_action_has_these_attributes() -> None:
    said = set(first_column("How it is run", 1))
    of_any = vars(executing.AnyAction(approval=None, input=None, refusal=None))

    for kind in (signoff.Action, signoff.AsyncAction):
        assert said == {name for name in {*of_any, *dir(kind)} if not name.startswith("_")}


@pytest.mark.parametrize("decorator", [signoff.requires_approval, Signoff.requires_approval])
def test_the_decorator_takes_what_the_page_says(decorator) -> None:
    parameters = [name for name in inspect.signature(decorator).parameters if name not in {"self", "terms"}]

    assert first_column("A function that asks") == parameters


def test_what_comes_back_has_these_fields() -> None:
    said = {named(row[0])[0]: set(named(row[1])) for row in rows("What comes back")}
    common = set(types.Interaction.__struct_fields__) | public(types.Interaction)
    for name, fields in said.items():
        struct = getattr(signoff, name)
        wanted = (set(struct.__struct_fields__) | public(struct)) - {"code", "kind"}
        wanted |= {"code", "kind"} if name == "Interaction" else set()
        assert fields - {"execution", "multiple"} == (
            wanted - {"execution"} if name == "Interaction" else wanted - common - {"execution"}
        ), name
    assert "execution()" in quoted(rows("What comes back")[1][1])


def test_the_errors_are_those_that_there_are_with_what_they_have() -> None:
    said = {name: set(quoted(row[2])) for row in rows("Errors") for name in named(row[0])}
    there = {name: kind for name in signoff._HOME_OF if _is_error(kind := getattr(signoff, name))}

    assert set(said) == set(there) - {"SignoffError"}
    for name, kind in there.items():
        own = {attribute for attribute in vars(kind) if not attribute.startswith("_")}
        assert own <= said.get(name, set()), name
    described = section(PAGE, "Errors")
    for name, parent in (
        ("NotStartedInTime", "Expired"),
        ("Replaced", "Withdrawn"),
        ("StillWaiting", "TimeoutError"),
        ("StillRunning", "TimeoutError"),
        ("RunConflict", "Conflict"),
    ):
        assert issubclass(there[name], there.get(parent, TimeoutError))
        assert re.search(rf"^\| `{name}` .*Is an? `{parent}`", described, re.MULTILINE)


def _is_error(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, errors.SignoffError)


def test_the_systems_that_name_a_run_are_named() -> None:
    words = section(PAGE, "Which run asks").lower()

    assert [system.name for system in runs._SYSTEMS if system.name not in words] == []


def test_the_numbers_are_those_of_the_code() -> None:
    assert wire.FIRST_PATIENCE == 5
    assert "gives up after 5 seconds" in PAGE
    assert Wire(url="", clock=float, chance=float, patience=60).long_patience == 5 * 60
    assert "five times `patience`, which is 5 minutes unless said" in PAGE
    assert asks.Reminders(after=60).most == 3


def test_what_hosted_runs_have_is_what_the_page_says() -> None:
    said = {named(row[0])[0]: set(named(row[1])) for row in rows("Names of hosted runs")}
    for name in ("Access", "RunState", "RunInteraction", "RunExecution", "Saved", "Code"):
        assert public(getattr(runtime, name)) <= said[name] | set(re.findall(r"\w+", _cell(name))), name
    for name in ("RunAnswer", "Confirmation", "SavedAction", "Limits"):
        fields = {field.name for field in dataclasses.fields(getattr(runtime, name))} - {"opens"}
        assert fields <= said[name], name
    assert set(runtime.Proposal.__struct_fields__) == said["Proposal"]
    assert set(get_args(runtime.ErrorCode)) == said["ErrorCode"]


def _cell(name: str) -> str:
    (found,) = [row[1] for row in rows("Names of hosted runs") if named(row[0])[0] == name]
    return found


@pytest.fixture
async def here():
    async with place("memory://") as found:
        yield found


@pytest.mark.parametrize(
    ("marks", "printed"),
    [
        ("with Signoff() as so:", "Here your program deploys {'service': 'api', 'version': '1.4.2'}\n"),
        ("AsyncSignoff() as so", "Here your program deploys\n"),
        ("requires_approval", "api 1.4.4 is live\n"),
    ],
)
async def test_a_sample_asks_and_goes_on_when_ana_approves(here, tmp_path, marks, printed) -> None:
    waiting = await reader(here, tmp_path).start(sample(PAGE, marks))
    card = await approve(here, DEPLOYS)

    assert await ended(waiting) == printed
    await here.shows(card, "Done")


async def test_what_is_not_plain_json_is_refused_before_anything_is_asked(here) -> None:
    with (
        Signoff(url=str(here.house.url), key=here.token) as so,
        pytest.raises(TypeError, match=r"input\['when'\] is of the type tuple"),
    ):
        so.request_approval("Deploy", run_id="r", tool_name="deploy", input={"when": (1, 2)}, to="#deploys")
