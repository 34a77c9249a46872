"""Our signatures are those of Standard Webhooks, held against its own package."""

import base64
from datetime import UTC, datetime, timedelta

import pytest
import standardwebhooks
from hypothesis import given
from hypothesis import strategies as st

from bot.resume.signing import BadSecret, BadSignature, read_secret, sign, verify
from tests.resume.stage import OLD_SECRET, SECRET

BODY = b'{"type":"interaction.resolved","data":{"title":"\xc3\xa9"}}'
NOW = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)
SECRETS = [read_secret(SECRET), read_secret(OLD_SECRET)]


def _headers(at: datetime = NOW, body: bytes = BODY) -> dict[str, str]:
    return sign(SECRETS, id="apr_1_0", at=at, body=body)


@pytest.mark.parametrize("secret", [SECRET, OLD_SECRET])
def test_a_receiver_with_either_secret_accepts_what_we_sign(secret: str) -> None:
    now = datetime.now(UTC)  # the package reads the wall clock itself
    standardwebhooks.Webhook(secret).verify(BODY, _headers(now))

    assert verify([read_secret(secret)], headers=_headers(now), body=BODY, now=now) == "apr_1_0"


def test_we_accept_what_the_package_signs() -> None:
    signature = standardwebhooks.Webhook(SECRET).sign("msg_1", NOW, BODY.decode())
    headers = {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(int(NOW.timestamp())),
        "Webhook-Signature": f"v1a,AAAA v1,!!! v1,{base64.b64encode(b'wrong').decode()} {signature}",
    }

    assert verify(SECRETS, headers=headers, body=BODY, now=NOW) == "msg_1"


@pytest.mark.parametrize("change", [{"webhook-id": "apr_1_1"}, {"webhook-timestamp": str(int(NOW.timestamp()) + 1)}])
def test_a_changed_header_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        verify(SECRETS, headers={**_headers(), **change}, body=BODY, now=NOW)


def test_a_changed_body_and_a_foreign_secret_are_refused() -> None:
    with pytest.raises(BadSignature):
        verify(SECRETS, headers=_headers(), body=BODY + b" ", now=NOW)
    foreign = read_secret("whsec_" + base64.b64encode(b"x" * 32).decode())
    with pytest.raises(BadSignature):
        verify([foreign], headers=_headers(), body=BODY, now=NOW)


@pytest.mark.parametrize(("seconds", "is_refused"), [(-301, True), (-299, False), (299, False), (301, True)])
def test_old_and_future_messages_are_refused(seconds: int, is_refused: bool) -> None:
    headers = _headers(at=NOW.replace(microsecond=0))
    later = NOW.replace(microsecond=0) + timedelta(seconds=seconds)
    if is_refused:
        with pytest.raises(BadSignature):
            verify(SECRETS, headers=headers, body=BODY, now=later)
    else:
        verify(SECRETS, headers=headers, body=BODY, now=later)


_TEXTS = st.text(max_size=40) | st.sampled_from(["v1,", "v1,é", "v1,====", "v1, v1,", "١٢٣", "-1", "9" * 40, " 1"])


@given(id=_TEXTS, timestamp=_TEXTS, signature=_TEXTS, body=st.binary(max_size=40))
def test_hostile_headers_give_our_own_error_and_nothing_else(
    id: str, timestamp: str, signature: str, body: bytes
) -> None:
    headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}
    with pytest.raises(BadSignature):
        verify(SECRETS, headers=headers, body=body, now=NOW)
    with pytest.raises(BadSignature):
        verify(SECRETS, headers={**_headers(), "webhook-signature": signature}, body=BODY, now=NOW)


def test_no_headers_at_all_give_our_own_error() -> None:
    with pytest.raises(BadSignature):
        verify(SECRETS, headers={}, body=BODY, now=NOW)


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "whsec_",
        "whsec_AA==",
        base64.b64encode(b"x" * 32).decode(),
        "whsec_" + base64.b64encode(b"x" * 23).decode(),
        "whsec_" + base64.b64encode(b"x" * 65).decode(),
        "whsec_" + "x" * 30 + "é",
        "whsec_" + "!" * 32,
    ],
)
def test_a_weak_or_malformed_secret_is_refused_without_being_quoted(secret: str) -> None:
    with pytest.raises(BadSecret) as caught:
        read_secret(secret)

    assert len(secret) < 10 or secret not in str(caught.value)
