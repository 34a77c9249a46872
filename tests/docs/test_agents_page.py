"""docs/agents.md, followed: each sample is a process of its own that asks, and Ana answers in the sandbox."""

import inspect
import signal

import pytest

from blocks import ids
from signoff import Signoff, executing, outcomes, types
from tests.docs.guide import approve, deny, ended, reader, sample
from tests.docs.page import blocks, page, quoted, section, tables
from tests.e2e.house import ANA, DEPLOYS, REPORTS, place

PAGE = page("agents.md")


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


@pytest.fixture
def person(here, tmp_path):
    """Who pastes the samples."""
    return reader(here, tmp_path)


def of(heading: str) -> str:
    (code,) = blocks(section(PAGE, heading), "python")
    return code


@pytest.mark.parametrize("heading", ["One call", "A tool that asks"])
async def test_a_call_runs_with_what_was_approved(here, person, heading) -> None:
    waiting = await person.start(of(heading))
    card = await approve(here, DEPLOYS)

    assert await ended(waiting) == "Refunded 120 € to customer 1042.\n"
    await here.shows(card, "Done")


async def test_a_denied_call_gives_its_reason(here, person) -> None:
    waiting = await person.start(of("One call"))
    await deny(here, DEPLOYS, "Offer 50 €.")

    assert await ended(waiting) == "No: Offer 50 €.\n"


async def test_a_denied_tool_returns_what_the_model_reads(here, person) -> None:
    waiting = await person.start(of("A tool that asks"))
    await deny(here, DEPLOYS, "Offer 50 €.")

    assert f"`{(await ended(waiting)).strip()}`" in section(PAGE, "What the model reads")


async def test_the_sentences_for_the_model_are_those_of_the_client(here, person) -> None:
    code = of("A tool that asks")
    waiting = await person.start(code.replace('approvers="@ana"', 'approvers="@ana", timeout=1'))
    not_yet = await ended(waiting)
    done = await person.start(code)
    await approve(here, DEPLOYS)
    await ended(done)
    again = await ended(await person.start(code))
    shown = quoted(section(PAGE, "What the model reads"))

    assert "apr_… is not decided yet. The ask stays open. …" in shown
    assert " is not decided yet. The ask stays open. " in not_yet
    assert "It already ran on laptop, and succeeded. It is not run again." in shown
    assert again.startswith("It already ran on ")
    assert again.endswith(", and succeeded. It is not run again.\n")
    assert "Nobody decided apr_… in time. Nothing ran." in shown
    assert 'f"Nobody decided {found.id} in time. Nothing ran."' in inspect.getsource(outcomes)


async def test_the_loop_goes_on_from_a_no_and_prints_what_the_page_says(here, person) -> None:
    code = of("A loop")
    assert all(module in {"json", "signoff"} for module in imported(code))
    waiting = await person.start(code)
    await deny(here, DEPLOYS, "Offer 50 €.")
    await approve(here, DEPLOYS, count=2)

    (expected,) = blocks(section(PAGE, "A loop"), "text")
    assert await ended(waiting) == expected


def imported(code: str) -> set[str]:
    lines = [line.split() for line in code.splitlines() if line.startswith(("import ", "from "))]
    return {words[1] for words in lines}


async def test_a_run_that_was_killed_while_it_waited_finds_its_ask_again(here, person) -> None:
    waiting = await person.start(of("A tool that asks"))
    await here.card(DEPLOYS)
    waiting.send_signal(signal.SIGKILL)
    await waiting.wait()
    again = await person.start(of("A tool that asks"))
    await approve(here, DEPLOYS)

    assert await ended(again) == "Refunded 120 € to customer 1042.\n"
    assert len(here.cards(DEPLOYS)) == 1


async def test_the_same_operation_with_other_arguments_is_a_conflict(here, person) -> None:
    code = of("A tool that asks").replace('"agent-43"', '"agent-43", operation_id="call_1"')
    waiting = await person.start(code)
    await here.card(DEPLOYS)
    other = await ended(await person.start(code.replace("amount=120", "amount=121"), name="other.py"), code=1)
    waiting.kill()
    await waiting.wait()

    assert other.startswith("signoff.errors.Conflict")
    assert len(here.cards(DEPLOYS)) == 1


async def test_the_function_gets_what_the_approver_made_of_its_input(here, person) -> None:
    waiting = await person.start(of("Changed by the approver"))
    card = await here.card(DEPLOYS)
    (asked,) = (await here.api("GET", "/v1/interactions?state=pending")).json["items"]
    ana = here.slack.person(ANA)
    await ana.click(DEPLOYS, card.ts, ids.MORE, value=ids.encode_menu(ids.Verb.EDIT, asked["id"]))
    await here.slack.wait_for(lambda _: ana.modal and ana.modal.content["callback_id"] == ids.VIEW_EDIT)
    ana.fill_view(ids.TEXT, "50", block_id=ids.field_block(1))
    assert (await ana.submit()).ok
    assert (await ana.submit()).ok

    assert await ended(waiting) == "Refunded 50 € to customer 1042.\n"


async def test_a_person_is_asked_and_their_answer_comes_back(here, person) -> None:
    waiting = await person.start(of("Questions"))
    card = await here.card(REPORTS)
    assert (await here.slack.person(ANA).click(REPORTS, card.ts, f"{ids.PICK}.1")).ok

    assert await ended(waiting) == "Enterprise\n"


async def test_what_was_asked_is_run_by_whoever_comes_for_it(here, person) -> None:
    waiting = await person.start(sample(section(PAGE, "How long it waits"), "request_approval"))
    await approve(here, DEPLOYS)
    assert await ended(waiting) == "asked\nDropped staging\n"

    late = await ended(await person.start(sample(PAGE, "agent-47"), name="late.py"))
    assert late.startswith("asked\nIt already ran on ")


def test_a_decorated_tool_looks_to_a_framework_as_it_did() -> None:
    def refund(customer: int, amount: int = 5) -> str:
        """Refund part of an order."""
        return ""

    so = Signoff(key="so_x", environment={})
    tool = so.requires_approval(to="#deploys", approvers="@ana")(refund)
    so.close()

    assert inspect.signature(tool) == inspect.signature(refund)
    assert (tool.__name__, tool.__doc__, tool.__annotations__) == ("refund", refund.__doc__, refund.__annotations__)


def test_the_numbers_are_those_of_the_code() -> None:
    assert executing.REPORT_WITHIN / 3 == 20
    assert "every 20 seconds" in PAGE
    waits = {quoted(row[1])[0].partition("=")[0] for row in tables(section(PAGE, "How long it waits"))[0]}
    assert waits == {"expires_in", "timeout", "run_within", "report_within"}
    assert types.Approvers().require_reason is False
