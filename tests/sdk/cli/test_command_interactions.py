"""`signoff pending`, `show`, `withdraw` and `report`."""

import json

from blocks import ids
from tests.e2e.house import DEPLOYS
from tests.sdk.cli.test_command_approve import ASK, click


async def test_pending_is_a_table_by_deadline(here, machine) -> None:
    later = await here.ask(run_id="later", title="Later", expires_in=7200)
    sooner = await here.ask(run_id="sooner", title="Sooner", expires_in=3600)

    said = await machine.run("pending")
    one = await machine.run("pending", "--run", "later", "--json")

    lines = said.out.splitlines()
    assert lines[0].split() == ["CODE", "KIND", "RUN", "DECIDES", "UNTIL", "TITLE"]
    assert [line.split()[0] for line in lines[1:]] == [sooner["id"][-5:], later["id"][-5:]]
    assert [each["id"] for each in json.loads(one.out)] == [later["id"]]


async def test_nothing_pending_is_said(machine) -> None:
    assert (await machine.run("pending")).out == "Nothing waits.\n"


async def test_titles_of_others_steer_no_terminal(here, machine) -> None:
    await here.ask(title="Deploy \u202e\u009b31m now", body="b")

    said = await machine.run("pending")

    assert "Deploy ⟦U+202E⟧⟦U+009B⟧31m now" in said.out


async def test_show_takes_an_id_or_a_short_code(here, machine) -> None:
    asked = await here.ask()

    whole, short = await machine.run("show", asked["id"]), await machine.run("show", asked["id"][-5:].lower())

    assert whole.out == short.out
    assert "deploy.release" in whole.out
    assert asked["digest"] in whole.out


async def test_an_unknown_code_or_id_says_what_to_do(machine) -> None:
    code, id = await machine.run("show", "ZZZZZ"), await machine.run("show", "apr_nothing")

    assert (code.code, code.err) == (1, "Error: Nothing recent has the code ZZZZZ. Give the whole id.\n")
    assert (id.code, id.err) == (
        1,
        "Error: Signoff knows nothing by this id. `signoff pending` lists what waits, `signoff runs` hosted runs.\n",
    )


async def test_withdraw_takes_one_back_and_says_where_it_came_too_late(here, machine) -> None:
    asked = await here.ask()
    code = asked["id"][-5:]

    first = await machine.run("withdraw", code, "--reason", "The build was replaced")
    again = await machine.run("withdraw", code)
    other = await here.ask(run_id="other")
    await click(here, ids.DENY, count=2)
    late = await machine.run("withdraw", other["id"])

    assert (first.code, first.out) == (0, f"{asked['id']} is withdrawn.\n")
    assert again.code == 0
    assert late.code == 1
    assert "was denied by" in late.err


async def test_a_cleaned_up_job_withdraws_all_that_its_run_has_open(here, machine) -> None:
    mine = await here.ask(run_id="deploy-812")
    others = await here.ask(run_id="deploy-813")

    said = await machine.run("withdraw", "--this-run", SIGNOFF_RUN_ID="deploy-812")

    assert said.out == f"{mine['id']} is withdrawn.\n"
    assert (await here.read(others["id"]))["state"] == "pending"


async def test_what_was_approved_without_a_command_is_reported_from_where_it_was_claimed(here, machine) -> None:
    asking = await machine.start(*ASK, "--json")
    card = await click(here, ids.APPROVE)
    found = json.loads((await asking.ended()).out)

    said = await machine.run("report", found["id"], "succeeded", "--detail", "3 zones")
    elsewhere = await machine.run("report", found["id"], "failed", HOME=str(machine.folder / "other"))

    assert said.code == 0, said
    await here.shows(card, "3 zones")
    assert elsewhere.code == 1
    assert "was not claimed on this machine" in elsewhere.err


async def test_a_report_names_its_claim_where_another_machine_made_it(here, machine) -> None:
    asking = await machine.start(*ASK, "--json")
    card = await click(here, ids.APPROVE)
    found = json.loads((await asking.ended()).out)

    home = {"HOME": str(machine.folder / "other")}
    said = await machine.run("report", found["id"], "failed", "--claim", found["claim_id"], **home)

    assert said.code == 0, said
    await here.shows(card, "Failed")
    assert (await machine.run("withdraw", "--run", "x")).code == 2
    assert len(here.cards(DEPLOYS)) == 1
