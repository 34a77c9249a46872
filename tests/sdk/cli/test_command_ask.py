"""`signoff ask`: the answer on standard output, exit codes as those of approve."""

import json
import signal

from blocks import ids
from tests.e2e.house import ANA, REPORTS

ASK = ("ask", "Which region?", "--channel", REPORTS, "--respondent", ANA, "--run", "report-48")
OPTIONS = ("--option", "eu=Europe", "--option", "us=United States", "--option", "Mars")


async def test_one_choice_is_json_with_its_label_and_id(here, machine) -> None:
    asking = await machine.start(*ASK, *OPTIONS)
    card = await here.card(REPORTS)
    assert (await here.slack.person(ANA).click(REPORTS, card.ts, ids.suffixed(ids.PICK, 0))).ok

    said = await asking.ended()

    assert (said.code, json.loads(said.out)) == (0, {"is_skipped": False, "value": "Europe", "option_ids": ["eu"]})
    assert said.lines[-1] == "Answered by @ana."


async def test_several_choices_are_a_list(here, machine) -> None:
    asking = await machine.start(*ASK, *OPTIONS, "--multiple", "--default", "Mars")
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)
    ana.fill(REPORTS, card.ts, ids.VALUE, ["0", "2"])
    await ana.click(REPORTS, card.ts, ids.SUBMIT)

    said = await asking.ended()

    assert json.loads(said.out)["value"] == ["Europe", "Mars"]


async def test_plain_prints_the_values_alone_and_asking_again_does_not_ask_again(here, machine) -> None:
    asking = await machine.start(*ASK, *OPTIONS, "--multiple", "--plain")
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)
    ana.fill(REPORTS, card.ts, ids.VALUE, ["0", "1"])
    await ana.click(REPORTS, card.ts, ids.SUBMIT)
    assert (await asking.ended()).out == "Europe\nUnited States\n"

    again = await machine.run(*ASK, *OPTIONS, "--multiple", "--plain")

    assert (again.code, again.out) == (0, "Europe\nUnited States\n")
    assert len(here.cards(REPORTS)) == 1


async def test_without_options_it_takes_text_as_it_was_typed(here, machine) -> None:
    asking = await machine.start(*ASK)
    card = await here.card(REPORTS)
    ana = here.slack.person(ANA)
    ana.fill(REPORTS, card.ts, ids.TEXT, "sa-east, please\x1b[31m")
    await ana.click(REPORTS, card.ts, ids.SUBMIT)

    said = await asking.ended()

    assert (said.code, json.loads(said.out)["value"]) == (0, "sa-east, please\x1b[31m")
    assert "\x1b" not in said.out


async def test_a_skipped_question_is_an_answer(here, machine) -> None:
    asking = await machine.start(*ASK, *OPTIONS, "--multiple", "--skippable")
    card = await here.card(REPORTS)
    await here.slack.person(ANA).click(REPORTS, card.ts, ids.SKIP)

    said = await asking.ended()

    assert (said.code, json.loads(said.out)) == (0, {"is_skipped": True, "value": None})


async def test_no_answer_in_time_is_11_and_prints_nothing(here, machine) -> None:
    said = await machine.run(*ASK, "--expires", "1s")

    assert (said.code, said.out, said.lines[-1]) == (11, "", "Nobody answered in time.")


async def test_a_wait_that_ends_is_14_and_a_cancelled_one_leaves_the_question_outside_of_ci(here, machine) -> None:
    first = await machine.run(*ASK, "--wait", "0")
    asking = await machine.start(*ASK)
    await asking.says("card")
    asking.send(signal.SIGINT)
    second = await asking.ended()

    assert (first.code, second.code) == (14, 128 + signal.SIGINT)
    assert "Stopped waiting. The ask stays open." in second.lines
    (found,) = (await here.api("GET", "/v1/interactions?state=pending")).json["items"]
    assert f"Take it back: signoff withdraw {found['id']}" in second.lines
