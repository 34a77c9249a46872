"""Forms that we do not know (any more): who submits one is told in its place, and gets back what they typed."""

import pytest

from blocks import ids
from sandbox.model import View
from sandbox.server import Sandbox
from tests.e2e.house import ANA, BEN, DEPLOYS, REPORTS, at
from tests.e2e.house import plain as words

WORDS = "Two sentences, typed with care."
RETIRED = "This form is no longer in use."


@pytest.fixture(params=["http", "socket"])
async def by_either(request, database):
    async with Sandbox() as slack:
        more = {"SLACK_SIGNING_SECRET": "", "SLACK_APP_TOKEN": slack.app_token} if request.param == "socket" else {}
        async with at(slack, database, **more) as found:
            if more:
                await slack.wait_for(lambda _: len(slack.sockets))
            yield found


def field(block_id: str, action_id: str, label: str, **more) -> dict:
    element = {"type": "plain_text_input", "action_id": action_id}
    return {"type": "input", "block_id": block_id, "label": plain_text(label), "element": element, **more}


def plain_text(words: str) -> dict:
    return {"type": "plain_text", "text": words, "emoji": False}


def opened(here, callback_id: str, *blocks: dict, metadata: str = "", **more):
    """Somebody with this form open, as an older version (or somebody else) left it there."""
    content = {
        "type": "modal", "callback_id": callback_id, "title": plain_text("A form"), "submit": plain_text("Send"),
        "private_metadata": metadata, "blocks": list(blocks), **more,
    }  # fmt: skip
    here.slack.workspace.set_stack(ANA, [View(id="V0OLD", user=ANA, content=content, hash="1", root_id="V0OLD")])
    return here.slack.person(ANA)


async def test_a_form_that_no_listener_knows_says_so_and_gives_the_words_back(by_either) -> None:
    ana = opened(
        by_either,
        "expense_report",
        field("why", "x", "Why"),
        field("what", "y", "What"),
        field("who", "z", "Who", optional=True),
    )

    sent = await ana.submit(state={"why": {"x": WORDS}, "what": {"y": "And more."}})

    assert sent.ok
    shown = str(ana.modal.content)
    assert RETIRED in shown
    assert shown.index(WORDS) < shown.index("And more.")


async def test_with_nothing_typed_there_is_nothing_to_copy(here) -> None:
    ana = opened(here, "expense_report", field("why", "x", "Why", optional=True))

    await ana.submit()

    assert RETIRED in str(ana.modal.content)
    assert "Your text" not in str(ana.modal.content)


@pytest.mark.parametrize("metadata", ["", "{}", "not ours", '{"i": "usr_1"}', '["apr_1"]'])
@pytest.mark.parametrize("callback", sorted(ids.SUBMISSIONS))
async def test_a_form_of_ours_that_remembers_nothing_of_ours_is_retired_too(here, callback, metadata) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)
    ana = opened(here, callback, field(ids.REASON_BLOCK, ids.TEXT, "Reason"), metadata=metadata)

    await ana.submit(state={ids.REASON_BLOCK: {ids.TEXT: WORDS}})

    shown = str(ana.modal.content)
    assert RETIRED in shown
    assert WORDS in shown
    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_closing_a_form_that_we_do_not_know_says_nothing(by_either) -> None:
    ana = opened(by_either, "expense_report", field("why", "x", "Why"), notify_on_close=True)
    before = len(by_either.slack.calls)

    closed = await ana.close()

    assert closed.ok
    assert ana.modal is None
    assert len(by_either.slack.calls) == before


async def test_many_long_words_come_back_as_far_as_a_view_holds_them(here) -> None:
    fields = [field(f"b{n}", "x", f"Field {n}") for n in range(60)]
    ana = opened(here, "expense_report", *fields)

    sent = await ana.submit(state={f"b{n}": {"x": f"{n} " + "& ü" * 900} for n in range(60)})

    assert sent.ok
    assert RETIRED in str(ana.modal.content)
    assert "more characters" in str(ana.modal.content)


async def test_a_form_of_several_answers_that_comes_too_late_gives_all_of_them_back(here) -> None:
    first, last = ({"id": id, "prompt": f"The {id}?"} for id in ("first", "last"))
    asked = await here.ask_question(questions=[first, last], respondents={"users": [ANA, BEN]})
    ana, ben = here.slack.person(ANA), here.slack.person(BEN)
    await here.card(REPORTS)
    for person in (ana, ben):
        await person.command(DEPLOYS, "/pending")
        await person.click(DEPLOYS, person.ephemerals(DEPLOYS)[-1].ts, ids.FORM)
        await here.slack.wait_for(lambda _, person=person: person.modal)
    answers = {ids.question_block(n): {ids.TEXT: f"{WORDS} {n}"} for n in range(2)}
    await ben.submit(state=answers)
    assert (await here.read(asked["id"], wait=5))["state"] == "answered"

    await ana.submit(state=answers)

    shown = str(ana.modal.content)
    assert "Already answered" in shown
    assert f"{WORDS} 0" in shown
    assert f"{WORDS} 1" in shown


@pytest.mark.parametrize("action", sorted(ids.ACTIONS - ids.INPUTS - {ids.LIST_FILTER, ids.LIST_PAGE, ids.PRACTICE}))
async def test_a_button_that_points_at_nothing_of_ours_is_answered(here, action) -> None:
    await here.ask()
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)

    sent = await ana.click(DEPLOYS, card.ts, action, value="not ours", forge=True)

    assert sent.ok
    (note,) = await here.slack.wait_for(lambda _: ana.ephemerals(DEPLOYS))
    assert "Nothing changed." in words(note)
