"""What Slack asks an address before and between deliveries: the challenge of the Events API, the probe of a command."""

import json
from dataclasses import dataclass
from urllib.parse import urlencode

from sandbox import seed
from sandbox.deliver import FORM, Deliverer
from sandbox.ids import letters
from sandbox.model import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Probed:
    """`challenge`: the app gave it back, as text or JSON. `ssl_check`: it answered 200. `answers`: what it said."""

    challenge: bool
    ssl_check: bool
    answers: tuple[str, str]


async def probe(deliverer: Deliverer) -> Probed:
    """Ask both, signed as everything else is."""
    challenge = letters(20)
    asked: Json = {"token": seed.VERIFICATION_TOKEN, "challenge": challenge, "type": "url_verification"}
    raw = json.dumps(asked).encode()
    first = await deliverer.by_http("url_verification", asked, raw, {"Content-Type": "application/json"})
    check = {"ssl_check": "1", "token": seed.VERIFICATION_TOKEN}
    second = await deliverer.by_http("ssl_check", check, urlencode(check).encode(), FORM)
    return Probed(
        challenge=first.ok and _given_back(first.body) == challenge,
        ssl_check=second.ok,
        answers=(first.failure or first.body, second.failure or second.body),
    )


def _given_back(body: str) -> str:
    try:
        answer = json.loads(body)
    except ValueError:
        return body.strip()
    return str(answer.get("challenge", "")) if isinstance(answer, dict) else str(answer)
