"""Webhooks are checked: what Signoff sent is read, and everything else is one kind of error."""

import base64
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as some
from standardwebhooks import Webhook

from bot.resume import signing
from signoff import BadSecret, BadWebhook, verify_webhook
from signoff.webhook import TOLERANCE


def secret(byte: int) -> str:
    return "whsec_" + base64.b64encode(bytes([byte]) * 32).decode()


OLD, NEW, OTHER = secret(1), secret(2), secret(3)
AT = datetime(2026, 11, 30, 14, 2, 11, tzinfo=UTC)
NOW = AT.timestamp()
BODY = json.dumps(
    {
        "type": "interaction.resolved",
        "timestamp": "2026-11-30T14:02:11.512Z",
        "data": {
            "id": "apr_1",
            "kind": "approval",
            "run_id": "deploy-812",
            "operation_id": "release",
            "state": "approved",
            "wake": 0,
            "digest": "9f2c",
            "newer": True,
        },
    }
).encode()


def signed(with_secret=NEW, *, body=BODY, at=AT, id="msg_1"):
    """By the package of the standard's own authors."""
    return {
        "Webhook-Id": id,
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": Webhook(with_secret).sign(id, at, body.decode()),
    }


def test_what_signoff_sent_is_read() -> None:
    event = verify_webhook(BODY, signed(), NEW, now=NOW)

    assert (event.message_id, event.type, event.timestamp.utcoffset().total_seconds()) == (
        "msg_1",
        "interaction.resolved",
        0,
    )
    assert (event.data.id, event.data.state, event.data.digest, event.data.wake) == ("apr_1", "approved", "9f2c", 0)


def test_the_service_itself_signs_what_is_accepted() -> None:
    headers = signing.sign([signing.read_secret(NEW), signing.read_secret(OLD)], id="msg_1", at=AT, body=BODY)

    for known in (NEW, OLD, f"{NEW},{OLD}", f"{OTHER}, {OLD}", [OTHER, NEW]):
        assert verify_webhook(BODY, headers, known, now=NOW).data.id == "apr_1"
    with pytest.raises(BadWebhook):
        verify_webhook(BODY, headers, OTHER, now=NOW)


def test_headers_may_come_as_pairs_and_in_any_case() -> None:
    headers = [(name.upper(), value) for name, value in signed().items()]

    assert verify_webhook(BODY, headers, NEW, now=NOW).data.id == "apr_1"
    with pytest.raises(BadWebhook, match="came twice"):
        verify_webhook(BODY, [*headers, ("webhook-id", "msg_2")], NEW, now=NOW)


@pytest.mark.parametrize("late", [TOLERANCE, -TOLERANCE])
def test_five_minutes_are_tolerated_and_no_more(late) -> None:
    assert verify_webhook(BODY, signed(), NEW, now=NOW + late)
    with pytest.raises(BadWebhook, match="five minutes"):
        verify_webhook(BODY, signed(), NEW, now=NOW + late + (1 if late > 0 else -1))


@pytest.mark.parametrize("part", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_without_a_header_it_is_refused(part) -> None:
    headers = {name: value for name, value in signed().items() if name != part}

    with pytest.raises(BadWebhook):
        verify_webhook(BODY, headers, NEW, now=NOW)


@pytest.mark.parametrize(
    "changes",
    [
        {"Webhook-Id": "msg_2"},
        {"Webhook-Id": "msg_é"},
        {"Webhook-Timestamp": "now"},
        {"Webhook-Timestamp": "-1"},
        {"Webhook-Timestamp": "١٧٩٦"},
        {"Webhook-Timestamp": "1e9"},
        {"Webhook-Timestamp": "9" * 400},
        {"Webhook-Timestamp": "1796047332"},
        {"Webhook-Signature": ""},
        {"Webhook-Signature": "v1"},
        {"Webhook-Signature": "v1,"},
        {"Webhook-Signature": "v1,not base64!"},
        {"Webhook-Signature": "v1,é"},
        {"Webhook-Signature": "v1,AAAA"},
        {"Webhook-Signature": "v1,\x00\x00"},
        {"Webhook-Signature": signed()["Webhook-Signature"].replace("v1,", "v2,")},
        {"Webhook-Signature": signed()["Webhook-Signature"].replace("v1,", "v1a,")},
        {"Webhook-Signature": "v1,AAAA " * 16 + signed()["Webhook-Signature"]},
    ],
)
def test_hostile_headers_are_one_kind_of_error(changes) -> None:
    with pytest.raises(BadWebhook):
        verify_webhook(BODY, {**signed(), **changes}, NEW, now=NOW)


@given(id=some.text(), timestamp=some.text(), signature=some.text())
def test_whatever_a_stranger_sends_is_one_kind_of_error(id, timestamp, signature) -> None:
    headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}

    with pytest.raises(BadWebhook):
        verify_webhook(BODY, headers, NEW, now=NOW)


@given(timestamp=some.integers(min_value=-(10**15), max_value=10**15), signature=some.binary(max_size=40))
def test_well_formed_forgeries_are_refused_too(timestamp, signature) -> None:
    headers = {**signed(), "Webhook-Timestamp": str(timestamp)}
    headers["Webhook-Signature"] = f"v1,{base64.b64encode(signature).decode()}"

    with pytest.raises(BadWebhook):
        verify_webhook(BODY, headers, NEW, now=NOW)


def test_a_changed_body_is_refused() -> None:
    with pytest.raises(BadWebhook, match="No signature fits"):
        verify_webhook(BODY.replace(b"approved", b"denied"), signed(), NEW, now=NOW)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"type": "x"}', b"\xff", pytest.param(b'{"a":' * 100_000, id="deep")])
def test_a_signed_body_that_cannot_be_read_is_refused(body) -> None:
    headers = signing.sign([signing.read_secret(NEW)], id="msg_1", at=AT, body=body)

    with pytest.raises(BadWebhook, match="signed"):
        verify_webhook(body, headers, NEW, now=NOW)


@pytest.mark.parametrize("bad", ["", "whsec_", "whsec_AAAA", "hunter2", NEW[6:], f"{NEW},", "whsec_é", []])
def test_ones_own_bad_secret_is_said_without_showing_it(bad) -> None:
    with pytest.raises(BadSecret) as found:
        verify_webhook(BODY, signed(), bad, now=NOW)

    assert not {"AAAA", "hunter2", NEW[6:]} & set(str(found.value).split())
