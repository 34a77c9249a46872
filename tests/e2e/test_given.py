"""What a run gives with its ask, and what we know of the last time: shown beside the action, never in its place."""

from dataclasses import replace

from blocks import ids
from bot.console import Wanted, create_key
from tests.e2e.house import ANA, BEN, DANA, DEPLOYS, GENERAL, REPORTS, plain

PLAN = "\n".join(f"~ module.region[{number}].api: ami-0{number:03} -> ami-1{number:03}" for number in range(120))
GIVEN = {
    "facts": [{"label": "Traffic", "value": "12,400 requests/min"}],
    "links": [{"label": "What changed", "url": "https://github.com/acme/api/compare/v1.4.1...v1.4.2"}],
}


def version(number: str) -> dict[str, object]:
    return {"operation_id": f"v{number}", "input": {"service": "api", "version": number, "strategy": {"zones": 3}}}


def seen(card) -> str:
    """The line about the last time."""
    blocks = [block for block in card.blocks if block["block_id"].startswith("seen.")]
    return plain(replace(card, blocks=blocks))


async def run(here, asked, card, status="succeeded") -> None:
    await here.slack.person(ANA).click(card.channel, card.ts, ids.APPROVE)
    assert (await here.claim(asked, claim_id=asked["id"])).json["execute"]
    path = f"/v1/approvals/{asked['id']}/report"
    assert (await here.api("POST", path, {"claim_id": asked["id"], "status": status})).status == 200


async def test_a_card_says_what_differs_from_the_last_time_that_this_key_had_this_tool_approved(here) -> None:
    name = here.slack.workspace.users[ANA].real_name
    first = await here.ask(**version("1.4.1"))
    card = await here.card(DEPLOYS)
    assert seen(card) == "First time for this tool: none was approved before."
    await run(here, first, card)

    # Each in a channel of its own: one message a second is posted in each.
    second = await here.ask(**version("1.4.2"), channels=[REPORTS])
    card = await here.card(REPORTS)
    assert seen(card).startswith(f"Last approved by {name}, ")
    assert seen(card).endswith(" (done). Only version differs.")
    await run(here, second, card, "failed")
    again = {**version("1.4.2"), "operation_id": "again"}
    await here.ask(**again, channels=[GENERAL])
    card = await here.card(GENERAL)
    assert seen(card).endswith(" (failed). Nothing differs.")
    # It stands above the action, and hides none of it.
    order = [block["block_id"].split(".")[0] for block in card.blocks]
    assert order.index("seen") < order.index("input")
    assert '"1.4.2"' in plain(card)

    wanted = Wanted(
        tenant="default", name="other", scopes="ask", any_approvers=True, expires=None, owner=None, both=False
    )
    other = await create_key(here.house.store, wanted)
    ask = {**again, "run_id": "r2", "title": "Other", "users": [BEN], "approvers": {"users": [ANA]}}
    assert (await here.api("POST", "/v1/approvals", {**ask, "tool_name": "deploy.release"}, token=other)).status == 201
    await here.slack.wait_for(lambda _: here.slack.person(BEN).dm)
    assert seen(await here.card(here.slack.person(BEN).dm)).startswith("First time")


async def test_what_changed_is_said_wherever_it_can_be_decided(here) -> None:
    name = here.slack.workspace.users[ANA].real_name
    await run(here, await here.ask(**version("1.4.1")), await here.card(DEPLOYS))
    await here.ask(**version("1.4.2"), channels=[REPORTS], details=PLAN)
    card = await here.card(REPORTS)
    ana, dana = here.slack.person(ANA), here.slack.person(DANA)
    says = f"Last approved by {name}, "

    listed = (await ana.command(GENERAL, "/pending")).body
    assert says in listed
    assert " differs. The details differ." in listed
    assert says not in (await dana.command(GENERAL, "/pending")).body
    await ana.open_home()
    await here.slack.wait_for(lambda _: ana.home and says in str(ana.home.content))
    await ana.click(REPORTS, card.ts, ids.REVIEW)
    await here.slack.wait_for(lambda _: ana.modal and says in str(ana.modal.content))
    await ana.click_view(ids.suffixed(ids.PAGE, "next"))
    await here.slack.wait_for(lambda _: ana.modal.content.get("submit") is not None)

    assert says in str(ana.modal.content)


async def test_a_closed_card_compares_nothing(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    await run(here, asked, card)

    await here.shows(card, "Done")

    assert "First time" not in plain(card)


async def test_facts_stand_above_the_action_and_links_show_where_they_lead(here) -> None:
    await here.ask(**GIVEN)
    card = await here.card(DEPLOYS)

    words = plain(card)

    assert words.index("Traffic\n12,400 requests/min") < words.index("Will run")
    assert "What changed: github.com/acme/api/compare/…" in words
    assert ids.APPROVE in str(card.blocks)


async def test_details_that_do_not_fit_are_read_to_their_end_before_they_can_be_approved(here) -> None:
    asked = await here.ask(details=PLAN)
    card = await here.card(DEPLOYS)
    assert f"'{ids.APPROVE}'" not in str(card.blocks)
    assert "Approve is at the end of them." in plain(card)
    ana = here.slack.person(ANA)
    listed = (await ana.command(GENERAL, "/pending")).body
    assert f'"{ids.APPROVE}"' not in listed
    assert f'"{ids.REVIEW}"' in listed
    await ana.click(DEPLOYS, card.ts, ids.REVIEW)
    await here.slack.wait_for(lambda _: ana.modal)
    seen_pages = str(ana.modal.content)
    while ana.modal.content.get("submit") is None:
        before = ana.modal.content
        await ana.click_view(ids.suffixed(ids.PAGE, "next"))
        await here.slack.wait_for(lambda _, before=before: ana.modal.content != before)
        seen_pages += str(ana.modal.content)
    assert [row for row in PLAN.split("\n") if row not in seen_pages] == []

    assert (await ana.submit()).ok

    assert (await here.read(asked["id"], wait=5))["state"] == "approved"


async def test_details_that_fit_stand_on_the_card_beside_approve_and_are_part_of_what_is_approved(here) -> None:
    asked = await here.ask(details="1 to change, 0 to destroy")
    bare = await here.ask(operation_id="bare", channels=[GENERAL])
    card = await here.card(DEPLOYS)

    assert "Details1 to change, 0 to destroy" in plain(card)
    assert f"'{ids.APPROVE}'" in str(card.blocks)
    assert asked["digest"] != bare["digest"]


async def test_everything_that_was_given_is_under_show_all(here) -> None:
    asked = await here.ask(**GIVEN, details=PLAN)
    card = await here.card(DEPLOYS)
    dana = here.slack.person(DANA)

    await dana.click(DEPLOYS, card.ts, ids.MORE, value=ids.encode_menu(ids.Verb.SHOW, asked["id"]))
    await here.slack.wait_for(lambda _: dana.modal and "Everything" in str(dana.modal.content))
    await dana.click_view(ids.suffixed(ids.PAGE, "next"))
    await here.slack.wait_for(lambda _: "Traffic" in str(dana.modal.content))

    assert "github.com/acme/api/compare/…" in str(dana.modal.content)
