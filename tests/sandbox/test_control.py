"""The control API that the page stands on, over real HTTP."""

import asyncio
import json
import signal
import sys

import aiohttp
import pytest
from kit import actions, button, home, input_block, modal, multi, option, plain, section, select, text_input
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import seed
from sandbox.server import Sandbox


class Page:
    def __init__(self, http, url):
        self._http = http
        self._url = url

    async def get(self, path, status=200):
        async with self._http.get(f"{self._url}/sandbox/{path}") as answer:
            assert answer.status == status, await answer.text()
            return await answer.json()

    async def post(self, name, status=200, **body):
        async with self._http.post(f"{self._url}/sandbox/{name}", json=body) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json()


@pytest.fixture
async def page(slack):
    async with aiohttp.ClientSession() as http:
        yield Page(http, slack.url)


async def post(web, *blocks):
    return (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=list(blocks)))["ts"]


async def test_people_names_everybody(page):
    told = await page.get("people")
    assert (told["team"]["name"], told["bot"]) == ("Acme", seed.BOT_USER)
    by_id = {person["id"]: person for person in told["people"]}
    assert by_id[seed.GUEST]["is_restricted"] is True
    assert by_id[seed.GONE]["deleted"] is True
    assert by_id[seed.BOT_USER]["is_bot"] is True
    assert by_id[seed.ANA]["real_name"] == "Ana Ruiz"


async def test_state_is_what_one_person_sees(slack, web, page):
    await web.chat_postMessage(channel=seed.ANA, text="hi")
    ana = await page.get(f"state?as={seed.ANA}")
    chidi = await page.get(f"state?as={seed.CHIDI}")
    assert ana["me"] == seed.ANA
    names = {channel["name"]: channel for channel in ana["channels"]}
    assert names["leads"]["kind"] == "private"
    assert (names["directmessage"]["with"], names["directmessage"]["unread"]) == (seed.BOT_USER, 1)
    assert names["old-project"]["archived"] is True
    assert not {"leads", "directmessage"} & {channel["name"] for channel in chidi["channels"]}
    assert (ana["home"], ana["modal"], ana["notices"], ana["commands"]) == (None, [], [], ["/pending", "/signoff"])
    assert ana["usergroups"][seed.ONCALL]["handle"] == "oncall-leads"
    assert ana["app"] == {"name": "Signoff", "bot_user": seed.BOT_USER}
    await page.get("state?as=U07NOBODY00", status=404)


async def test_reading_a_channel_makes_it_read(web, page):
    await post(web, section(text=plain("a & b")))
    await page.get(f"channel/{seed.DEPLOYS}?as={seed.ANA}")
    state = await page.get(f"state?as={seed.ANA}")
    assert next(c for c in state["channels"] if c["id"] == seed.DEPLOYS)["unread"] == 0


async def test_a_channel_shows_messages_and_own_ephemerals_in_order(web, page):
    await post(web, section(text=plain("a & b")))
    await web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="psst")
    await page.post("message", **{"as": seed.BEN, "channel": seed.DEPLOYS, "text": "hello"})
    ana = (await page.get(f"channel/{seed.DEPLOYS}?as={seed.ANA}"))["messages"]
    ben = (await page.get(f"channel/{seed.DEPLOYS}?as={seed.BEN}"))["messages"]
    assert [(m["text"], m["ephemeral"]) for m in ana] == [("t", False), ("psst", True), ("hello", False)]
    assert [m["text"] for m in ben] == ["t", "hello"]
    assert ana[0]["blocks"][0]["text"]["text"] == "a & b"
    await page.get(f"channel/{seed.LEADS}?as={seed.CHIDI}", status=404)


async def test_an_act_is_a_click_with_the_whole_state(web, app, page):
    ts = await post(web, input_block(multi(), block_id="m"), actions(button(value="v"), block_id="act"))
    where = {"as": seed.ANA, "surface": "message", "channel": seed.DEPLOYS, "ts": ts}
    told = await page.post("act", **where, block_id="act", action_id="go", value="v", state={"m": {"picks": ["1"]}})
    assert told == {"ok": True}
    sent = app.got[0].payload
    assert sent["state"]["values"]["m"]["picks"]["selected_options"][0]["value"] == "1"


async def test_an_act_checks_values_unless_forged(web, app, page):
    ts = await post(web, actions(select(), block_id="act"))
    where = {
        "as": seed.ANA,
        "surface": "message",
        "channel": seed.DEPLOYS,
        "ts": ts,
        "block_id": "act",
        "action_id": "pick",
    }
    assert (await page.post("act", status=400, **where, value="9"))["ok"] is False
    assert app.got == []
    assert await page.post("act", **where, value="9", forge=True) == {"ok": True}


async def test_an_act_on_a_card_repainted_since_still_reaches_the_app(web, app, page):
    ts = await post(web, input_block(text_input(), block_id="t"), actions(button(), block_id="act"))
    await web.chat_update(channel=seed.DEPLOYS, ts=ts, text="done", blocks=[section()])
    where = {
        "as": seed.ANA,
        "surface": "message",
        "channel": seed.DEPLOYS,
        "ts": ts,
        "block_id": "act",
        "action_id": "go",
    }
    assert await page.post("act", **where, state={"t": {"text": "typed"}}) == {"ok": True}
    assert len(app.got) == 1


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("act", {}),
        ("act", {"as": seed.ANA, "surface": "paper", "action_id": "go"}),
        ("act", {"as": seed.ANA, "surface": "message", "channel": seed.DEPLOYS, "ts": "1.1", "action_id": "go"}),
        ("act", {"as": seed.ANA, "surface": "home", "action_id": "go"}),
        ("act", {"as": seed.GONE, "surface": "home", "action_id": "go"}),
        ("submit", {"as": seed.ANA, "view_id": "VNONE"}),
        ("submit", {"as": seed.ANA, "view_id": "VNONE", "state": []}),
        ("close", {"as": seed.ANA, "view_id": "VNONE"}),
        ("command", {"as": seed.ANA, "channel": seed.DEPLOYS}),
        ("message", {"as": seed.ANA, "channel": seed.OLD, "text": "x"}),
        ("delete", {"channel": seed.DEPLOYS, "ts": "1.1"}),
        ("options", {"as": seed.ANA, "surface": "home", "action_id": "x"}),
    ],
)
async def test_what_nobody_could_do_is_400_with_the_reason(page, name, body):
    told = await page.post(name, status=400, **body)
    assert told["ok"] is False
    assert told["error"]


async def test_a_body_that_is_no_object_is_400(slack):
    async with aiohttp.ClientSession() as http:
        for body in (b"{bad", b"[]", b"\xff"):
            async with http.post(f"{slack.url}/sandbox/act", data=body) as answer:
                assert answer.status == 400


async def test_modals_are_submitted_and_closed(slack, web, app, page):
    trigger = (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).payload["trigger_id"]
    view = (
        await web.views_open(
            trigger_id=trigger,
            view=modal(input_block(text_input(), block_id="t", label=plain("A & B")), submit=plain()),
        )
    )["view"]
    shown = (await page.get(f"state?as={seed.ANA}"))["modal"]
    assert [one["id"] for one in shown] == [view["id"]]
    assert shown[0]["blocks"][0]["label"]["text"] == "A & B"
    who = {"as": seed.ANA, "view_id": view["id"]}
    assert await page.post("submit", **who, state={"t": {"text": ""}}) == {
        "ok": True,
        "errors": {"t": "Please complete this required field."},
    }
    app.replies("no", status=500)
    assert (await page.post("submit", **who, state={"t": {"text": "x"}}))["ok"] is False
    assert len((await page.get(f"state?as={seed.ANA}"))["notices"]) == 1
    assert await page.post("close", **who) == {"ok": True}
    assert (await page.get(f"state?as={seed.ANA}"))["modal"] == []


async def test_home_commands_options_and_deletions(slack, web, app, page):
    assert await page.post("home", **{"as": seed.ANA}) == {"ok": True}
    await web.views_publish(
        user_id=seed.ANA, view=home(actions({"type": "external_select", "action_id": "ext"}, block_id="b"))
    )
    app.replies({"options": [option("x")]})
    told = await page.post(
        "options", **{"as": seed.ANA, "surface": "home", "block_id": "b", "action_id": "ext", "query": "q"}
    )
    assert (told["ok"], told["options"][0]["value"]) == (True, "x")
    app.replies("note")
    assert await page.post(
        "command", **{"as": seed.ANA, "channel": seed.DEPLOYS, "command": "/pending", "text": ""}
    ) == {"ok": True}
    ts = await post(web, section())
    assert await page.post("delete", channel=seed.DEPLOYS, ts=ts) == {"ok": True}
    assert [m["text"] for m in (await page.get(f"channel/{seed.DEPLOYS}?as={seed.ANA}"))["messages"]] == ["note"]


async def test_notices_can_be_dismissed(slack, page):
    slack.workspace.warn(seed.ANA, "careful")
    notice = (await page.get(f"state?as={seed.ANA}"))["notices"][0]
    assert notice["text"] == "careful"
    await page.post("dismiss", **{"as": seed.ANA, "id": notice["id"]})
    assert (await page.get(f"state?as={seed.ANA}"))["notices"] == []


async def next_event(stream):
    while not (line := await stream.readline()).startswith(b"data: "):
        assert line, "the stream ended"
    return json.loads(line.removeprefix(b"data: "))


async def test_the_stream_tells_what_one_person_can_see(slack, web):
    async with aiohttp.ClientSession() as http, http.get(f"{slack.url}/sandbox/stream?as={seed.ANA}") as answer:
        assert answer.content_type == "text/event-stream"
        assert (await answer.content.readline()).startswith(b":")
        await web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.BEN, text="not for ana")
        slack.workspace.post(seed.LEADS, seed.BEN, "for leads")
        slack.workspace.warn(seed.BEN, "not for ana")
        await web.views_publish(user_id=seed.ANA, view=home())
        first, second = await next_event(answer.content), await next_event(answer.content)
    assert (first["what"], first["channel"]) == ("message", seed.LEADS)
    assert (second["what"], second["version"] > first["version"]) == ("home", True)


async def test_a_stream_ends_with_the_sandbox():
    async with aiohttp.ClientSession() as http:
        async with Sandbox() as slack:
            answer = await http.get(f"{slack.url}/sandbox/stream?as={seed.ANA}")
            await answer.content.readline()
        assert await answer.content.read() in (b"", b"\n")


async def test_a_window_that_was_closed_is_no_error(caplog):
    async with Sandbox() as slack:
        async with aiohttp.ClientSession() as http:
            answer = await http.get(f"{slack.url}/sandbox/stream?as={seed.ANA}")
            await answer.content.readline()
            answer.close()
        for number in range(50):
            slack.workspace.post(seed.DEPLOYS, seed.BEN, f"message {number}")
            await asyncio.sleep(0)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


async def test_the_page_and_permalinks_are_served(slack):
    async with aiohttp.ClientSession() as http:
        for path in ("/", f"/archives/{seed.DEPLOYS}/p1796047320000000"):
            async with http.get(slack.url + path) as answer:
                assert answer.status == 200


async def test_the_command_line_prints_its_address_and_stops_on_a_signal():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "sandbox", "--port", "0", "--bot-token", "xoxb-mine", stdout=asyncio.subprocess.PIPE
    )
    try:
        line = (await process.stdout.readline()).decode()
        url = line.split()[-1]
        assert (await AsyncWebClient(token="xoxb-mine", base_url=f"{url}/api/").auth_test())["ok"]
    finally:
        process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


async def test_the_modal_on_top_needs_no_name(slack, web, app, page):
    assert (await page.post("submit", 400, **{"as": seed.ANA}))["error"] == "no modal is open"
    trigger = (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).payload["trigger_id"]
    await web.views_open(trigger_id=trigger, view=modal(submit=plain()))
    assert await page.post("submit", **{"as": seed.ANA}) == {"ok": True}
    assert app.got[-1].payload["type"] == "view_submission"
    assert slack.person(seed.ANA).modal is None


async def test_people_reply_in_threads_and_not_where_nobody_may(slack, page):
    root = (await page.post("message", **{"as": seed.ANA, "channel": seed.DEPLOYS, "text": "root"}))["ts"]
    reply = {"as": seed.BEN, "channel": seed.DEPLOYS, "text": "reply", "thread_ts": root}
    slack.workspace.restrict(seed.DEPLOYS, "thread_only")
    assert (await page.post("message", **reply))["ok"]
    assert slack.workspace.messages(seed.DEPLOYS)[-1].thread_ts == root
    assert "replies" in (await page.post("message", 400, **{**reply, "thread_ts": None}))["error"]
    assert "1.1" in (await page.post("message", 400, **{**reply, "thread_ts": "1.1"}))["error"]
    slack.workspace.restrict(seed.DEPLOYS, "read_only")
    assert "nobody" in (await page.post("message", 400, **reply))["error"]
