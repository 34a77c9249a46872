"""Modals and Home: opening, stacking, submitting, closing."""

import pytest
from kit import actions, boxes, button, home, input_block, modal, multi, option, plain, section, text_input
from slack_sdk.errors import SlackApiError

from sandbox import seed
from sandbox.entries import Impossible
from sandbox.outcome import TROUBLE


@pytest.fixture
def ana(slack):
    return slack.person(seed.ANA)


async def trigger(slack, web, app, user=seed.ANA):
    """A trigger id that the app was just given."""
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=[actions(button())]))["ts"]
    return (await slack.person(user).click(seed.DEPLOYS, ts, "go")).payload["trigger_id"]


async def opened(slack, web, app, view):
    return (await web.views_open(trigger_id=await trigger(slack, web, app), view=view))["view"]


async def error(call):
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response["error"]


FORM = modal(input_block(text_input(min_length=2, max_length=5), block_id="t"), submit=plain("Send"))


async def test_a_trigger_opens_one_modal_for_who_clicked(slack, web, app, ana):
    used = await trigger(slack, web, app)
    view = (await web.views_open(trigger_id=used, view=FORM))["view"]
    assert ana.modal.id == view["id"] == view["root_view_id"]
    assert (view["state"], view["previous_view_id"], view["app_id"]) == ({"values": {}}, None, seed.APP_ID)
    assert await error(web.views_open(trigger_id=used, view=FORM)) == "exchanged_trigger_id"
    assert await error(web.views_open(trigger_id="1.2.abc", view=FORM)) == "invalid_trigger_id"
    assert slack.person(seed.BEN).modal is None


async def test_a_trigger_lives_three_seconds(slack, web, app, clock):
    old = await trigger(slack, web, app)
    clock.advance(3.0)
    in_time = await trigger(slack, web, app)
    assert (await web.views_open(trigger_id=old, view=FORM))["ok"]
    clock.advance(3.001)
    assert await error(web.views_open(trigger_id=in_time, view=FORM)) == "expired_trigger_id"


async def test_a_bad_view_is_refused_in_the_shape_of_views_and_costs_no_trigger(slack, web, app):
    used = await trigger(slack, web, app)
    with pytest.raises(SlackApiError) as caught:
        await web.views_open(trigger_id=used, view=modal(title=plain("x" * 25)))
    assert caught.value.response.data == {
        "ok": False,
        "error": "invalid_arguments",
        "response_metadata": {
            "messages": [
                "[ERROR] failed to match all allowed schemas [json-pointer:/view]",
                "[ERROR] must be less than 25 characters [json-pointer:/view/title/text]",
            ],
        },
    }
    assert await error(web.views_open(trigger_id=used, view=home())) == "invalid_arguments"
    assert (
        await error(web.views_open(trigger_id=used, view=modal(*[section(text=plain("ü" * 3000)) for _ in range(50)])))
        == "view_too_large"
    )
    assert (await web.views_open(trigger_id=used, view=FORM))["ok"]


async def test_a_stack_holds_three(slack, web, app, ana):
    await opened(slack, web, app, modal(actions(button("more"))))
    for depth in (2, 3):
        pushed = await ana.click_view("more")
        view = (await web.views_push(trigger_id=pushed.payload["trigger_id"], view=modal(actions(button("more")))))[
            "view"
        ]
        assert (len(ana.modals), view["previous_view_id"], view["root_view_id"]) == (
            depth,
            ana.modals[-2].id,
            ana.modals[0].id,
        )
    pushed = await ana.click_view("more")
    assert await error(web.views_push(trigger_id=pushed.payload["trigger_id"], view=modal())) == "push_limit_reached"


async def test_push_needs_a_modal(slack, web, app):
    assert await error(web.views_push(trigger_id=await trigger(slack, web, app), view=modal())) == "not_found"


async def test_update_by_id_and_hash(slack, web, app, ana):
    view = await opened(slack, web, app, modal(section(), external_id="mine"))
    newer = (
        await web.views_update(
            view_id=view["id"], hash=view["hash"], view=modal(section(), title=plain("Two"), external_id="mine")
        )
    )["view"]
    assert (ana.modal.content["title"]["text"], newer["hash"] != view["hash"]) == ("Two", True)
    assert await error(web.views_update(view_id=view["id"], hash=view["hash"], view=modal())) == "hash_conflict"
    assert await error(web.views_update(view_id=view["id"], hash="", view=modal())) == "hash_conflict"
    assert (await web.views_update(external_id="mine", view=modal()))["ok"]
    assert await error(web.views_update(view_id="VNONE", view=modal())) == "not_found"


async def test_an_external_id_is_used_once(slack, web, app):
    await opened(slack, web, app, modal(external_id="one"))
    used = await trigger(slack, web, app, user=seed.BEN)
    assert await error(web.views_open(trigger_id=used, view=modal(external_id="one"))) == "duplicate_external_id"


async def test_publish_needs_no_trigger_and_minds_the_hash(web, ana):
    view = (await web.views_publish(user_id=seed.ANA, view=home(section())))["view"]
    assert (ana.home.id, view["type"]) == (view["id"], "home")
    newer = (await web.views_publish(user_id=seed.ANA, view=home(), hash=view["hash"]))["view"]
    assert newer["id"] == view["id"]
    assert await error(web.views_publish(user_id=seed.ANA, view=home(), hash=view["hash"])) == "hash_conflict"
    assert await error(web.views_publish(user_id="U07NOBODY00", view=home())) == "invalid_arguments"
    assert await error(web.views_publish(user_id=seed.ANA, view=modal())) == "invalid_arguments"


async def test_opening_home_tells_the_app_and_its_buttons_work(web, app, ana):
    assert (await ana.open_home()).ok
    event = app.got[-1].payload["event"]
    assert (event["type"], event["tab"], event["channel"], "view" in event) == (
        "app_home_opened",
        "home",
        ana.dm,
        False,
    )
    await web.views_publish(user_id=seed.ANA, view=home(actions(button(value="v"))))
    outcome = await ana.click_home("go")
    assert (outcome.payload["container"]["type"], outcome.payload["view"]["type"]) == ("view", "home")
    assert "response_url" not in outcome.payload
    await ana.open_home()
    assert app.got[-1].payload["event"]["view"]["id"] == ana.home.id


async def test_a_submission_carries_what_was_entered_and_what_stood_there(slack, web, app, ana):
    view = await opened(
        slack,
        web,
        app,
        modal(
            input_block(text_input(), block_id="t"),
            input_block(multi(initial_options=[option("1")]), block_id="m"),
            submit=plain(),
            private_metadata="pm",
            callback_id="cb",
        ),
    )
    outcome = await ana.submit(view["id"], {"t": {"text": "hello"}})
    sent = app.got[-1].payload
    assert (outcome.ok, sent["type"], sent["view"]["private_metadata"], sent["view"]["callback_id"]) == (
        True,
        "view_submission",
        "pm",
        "cb",
    )
    values = sent["view"]["state"]["values"]
    assert values["t"]["text"] == {"type": "plain_text_input", "value": "hello"}
    assert values["m"]["picks"]["selected_options"][0]["value"] == "1"
    assert ana.modal is None


async def test_inputs_are_checked_before_anything_is_sent(slack, web, app, ana):
    await opened(slack, web, app, FORM)
    sent = len(app.got)
    assert (await ana.submit()).errors == {"t": "Please complete this required field."}
    assert "at least 2" in (await ana.submit(state={"t": {"text": "x"}})).errors["t"]
    assert "at most 5" in (await ana.submit(state={"t": {"text": "xxxxxx"}})).errors["t"]
    assert len(app.got) == sent
    assert (await ana.submit(state={"t": {"text": "xxx"}})).ok


async def test_an_optional_input_may_stay_empty(slack, web, app, ana):
    await opened(slack, web, app, modal(input_block(boxes(), optional=True), submit=plain()))
    assert (await ana.submit()).ok


async def submit_with(slack, web, app, ana, answer, *, status=200):
    await opened(slack, web, app, FORM)
    app.replies(answer, status=status)
    return await ana.submit(state={"t": {"text": "abc"}})


async def test_errors_are_shown_under_inputs(slack, web, app, ana):
    outcome = await submit_with(slack, web, app, ana, {"response_action": "errors", "errors": {"t": "No."}})
    assert (outcome.ok, outcome.errors, len(ana.modals)) == (True, {"t": "No."}, 1)


@pytest.mark.parametrize(
    "answer",
    [
        {"response_action": "errors", "errors": {"other": "No."}},
        {"response_action": "errors", "errors": {}},
        {"response_action": "update", "view": modal(title=plain(""))},
        {"response_action": "update"},
        {"response_action": "close"},
        {"text": "hi"},
        "ok",
        "[]",
    ],
)
async def test_an_answer_that_slack_would_not_take_is_trouble(slack, web, app, ana, answer):
    outcome = await submit_with(slack, web, app, ana, answer)
    assert (outcome.ok, outcome.warning, len(ana.modals)) == (False, TROUBLE, 1)


async def test_an_answer_may_update_push_or_clear(slack, web, app, ana):
    await submit_with(slack, web, app, ana, {"response_action": "update", "view": modal(section(), title=plain("Two"))})
    assert (len(ana.modals), ana.modal.content["title"]["text"]) == (1, "Two")
    app.replies("")
    await submit_with(slack, web, app, ana, {"response_action": "push", "view": FORM})
    assert len(ana.modals) == 2
    app.replies({"response_action": "clear"})
    assert (await ana.submit(state={"t": {"text": "abc"}})).ok
    assert ana.modals == []


async def test_a_failed_submission_leaves_the_modal_open(slack, web, app, ana):
    outcome = await submit_with(slack, web, app, ana, "no", status=500)
    assert (outcome.ok, outcome.status, len(ana.modals)) == (False, 500, 1)


async def test_closing_tells_the_app_only_where_it_asked(slack, web, app, ana):
    view = await opened(slack, web, app, modal(section()))
    sent = len(app.got)
    await ana.close(view["id"])
    assert (ana.modal, len(app.got)) == (None, sent)
    await opened(slack, web, app, modal(section(), notify_on_close=True))
    await ana.close()
    assert (app.got[-1].payload["type"], app.got[-1].payload["is_cleared"]) == ("view_closed", False)
    with pytest.raises(Impossible):
        await ana.close()


async def test_typing_in_a_modal_survives_an_update_that_keeps_the_ids(slack, web, app, ana):
    view = await opened(slack, web, app, FORM)
    ana.fill_view("text", "abc")
    await web.views_update(
        view_id=view["id"], view=modal(input_block(text_input(initial_value="other"), block_id="t"), submit=plain())
    )
    await ana.submit()
    assert app.got[-1].payload["view"]["state"]["values"]["t"]["text"]["value"] == "abc"


async def test_options_are_looked_up_and_then_on_offer(slack, web, app, ana):
    element = {"type": "external_select", "action_id": "ext", "min_query_length": 0}
    await opened(slack, web, app, modal(input_block(element, block_id="e"), submit=plain()))
    app.replies({"options": [option("x"), option("y")]})
    found = await ana.options("ext", query="q")
    asked = app.got[-1].payload
    assert (asked["type"], asked["value"], asked["block_id"], asked["action_id"]) == (
        "block_suggestion",
        "q",
        "e",
        "ext",
    )
    assert [one["value"] for one in found.options] == ["x", "y"]
    with pytest.raises(Impossible):
        await ana.submit(state={"e": {"ext": "z"}})
    app.replies("")
    assert (await ana.submit(state={"e": {"ext": "y"}})).ok
    assert app.got[-1].payload["view"]["state"]["values"]["e"]["ext"]["selected_option"]["value"] == "y"


@pytest.mark.parametrize(
    "answer",
    ["", {"options": [{"text": plain(), "value": "v" * 151}]}, {"options": [option(str(n)) for n in range(101)]}, {}],
)
async def test_a_bad_answer_to_a_look_up_offers_nothing(slack, web, app, ana, answer):
    element = {"type": "external_select", "action_id": "ext"}
    await opened(slack, web, app, modal(input_block(element), submit=plain()))
    app.replies(answer)
    outcome = await ana.options("ext")
    assert (outcome.ok, outcome.options) == (False, [])


async def test_an_input_is_told_at_once_only_where_its_block_asks_for_it(slack, web, app, ana):
    loud = {"trigger_actions_on": ["on_character_entered"]}
    await opened(
        slack,
        web,
        app,
        modal(
            input_block(
                multi(options=[option("a")], initial_options=[option("a")]), block_id="m", dispatch_action=True
            ),
            input_block(text_input(dispatch_action_config=loud), block_id="each", dispatch_action=True),
            input_block(text_input(), block_id="at_enter", dispatch_action=True),
            input_block(text_input(), block_id="quiet"),
            submit=plain("Send"),
        ),
    )
    before = len(app.got)

    unheard = [await ana.enter_view("text", "x", block_id=block) for block in ("quiet", "at_enter")]
    with pytest.raises(Impossible, match="dispatch_action"):
        await ana.click_view("text", value="x", block_id="quiet")
    assert (unheard, len(app.got)) == ([None, None], before)
    await ana.enter_view("text", "ab", block_id="each")
    typed = await ana.enter_view("text", None, block_id="each")
    entered = await ana.click_view("text", value="sent", block_id="at_enter")
    emptied = await ana.enter_view("picks", [])

    assert [sent.payload["type"] for sent in (typed, entered, emptied)] == ["block_actions"] * 3
    (action,) = typed.payload["actions"]
    assert (action["type"], action["block_id"], action["value"]) == ("plain_text_input", "each", None)
    assert action["action_ts"]
    assert emptied.payload["actions"][0]["selected_options"] == []
    assert entered.payload["container"] == {"type": "view", "view_id": ana.modal.id}
    # What stood there from the start is not told before it is touched.
    assert entered.payload["view"]["state"]["values"] == {
        "m": {"picks": {"type": "multi_static_select", "selected_options": []}},
        "each": {"text": {"type": "plain_text_input", "value": None}},
        "at_enter": {"text": {"type": "plain_text_input", "value": "sent"}},
        "quiet": {"text": {"type": "plain_text_input", "value": "x"}},
    }
    assert "response_url" not in entered.payload


async def test_a_form_that_is_closed_tells_nothing_of_what_was_entered(slack, web, app, ana):
    form = modal(input_block(text_input(), block_id="t"), submit=plain("Send"), notify_on_close=True)
    await opened(slack, web, app, form)
    await ana.enter_view("text", "abc")

    closed = await ana.close()

    assert (closed.payload["type"], closed.payload["view"]["state"]) == ("view_closed", {"values": {}})
