"""What anybody on the network can send without a key: refused, quiet, and never a 500."""

import asyncio
import json
import logging
from urllib.parse import urlsplit

from blocks import ids
from tests.e2e.house import ANA, DEPLOYS, REPORTS, plain
from tests.e2e.test_bad_input import click, send

GARBAGE = b"POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde"


async def raw(here, sent: bytes) -> bytes:
    address = urlsplit(here.house.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(sent)
    await writer.drain()
    line = await reader.readline()
    writer.close()
    return line


async def test_a_body_that_is_no_gzip_is_a_400(here) -> None:
    assert b" 400 " in await raw(here, GARBAGE)


async def test_a_caller_that_hangs_up_in_the_middle_leaves_no_traceback(here, caplog) -> None:
    caplog.set_level(logging.ERROR)
    address = urlsplit(here.house.url)
    _, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(b"POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\npay")
    await writer.drain()
    writer.transport.abort()

    assert b" 401 " in await raw(here, b"POST /slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
    assert not caplog.records


async def test_what_no_database_keeps_is_kept_as_near_as_it_can_be(here) -> None:
    asked = await here.ask_question(questions=[{"id": "note", "prompt": "Anything to add?"}])
    await here.card(REPORTS)
    typed = {ids.question_block(0): {ids.TEXT: {"type": "plain_text_input", "value": "a\x00b\ud800c"}}}

    status, _ = await send(here, click(ids.SUBMIT, asked["id"], state={"values": typed}))

    assert status == 200
    read = await here.read(asked["id"], wait=5)
    assert read["answers"]["note"]["value"] == "a\ufffdb\ufffdc"


async def test_an_id_that_is_no_text_leads_nowhere(here) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)

    status, _ = await send(here, click(ids.APPROVE, asked["id"], user={"id": "U\ud800"}))

    assert status == 200
    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_deeply_nested_metadata_is_nobodys(here) -> None:
    body = {
        "type": "view_submission",
        "team": {"id": "T07ACME00"},
        "user": {"id": ANA, "team_id": "T07ACME00"},
        "view": {"id": "V1", "type": "modal", "callback_id": ids.VIEW_DENY, "private_metadata": "[" * 100_000},
    }

    status, text = await send(here, json.dumps(body).encode(), content_type="application/json")

    assert status == 200
    assert "errors" in text


async def test_an_address_that_is_none_still_leaves_a_note(here) -> None:
    await here.ask()
    await here.card(DEPLOYS)

    await send(here, click(ids.APPROVE, "apr_1", response_url="http://[::1"))

    notes = await here.slack.wait_for(lambda _: here.slack.person(ANA).ephemerals(DEPLOYS))
    assert "not here any more" in plain(notes[0])
