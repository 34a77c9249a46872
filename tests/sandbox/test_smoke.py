from sandbox import seed


async def test_a_click_on_a_posted_button_reaches_the_app(slack, web, app):
    blocks = [{"type": "actions", "block_id": "act", "elements": [{"type": "button", "action_id": "go", "value": "v", "text": {"type": "plain_text", "text": "A & B"}}]}]
    posted = await web.chat_postMessage(channel=seed.DEPLOYS, text="hi", blocks=blocks)
    outcome = await slack.person(seed.ANA).click(seed.DEPLOYS, posted["ts"], "go")
    assert outcome.ok, outcome
    sent = app.got[0].payload
    assert sent["actions"][0]["text"]["text"] == "A &amp; B"
    assert sent["actions"][0]["value"] == "v"
    assert sent["message"]["ts"] == posted["ts"]
    print(sent)
