"""apps.connections.open: a ticket for one socket."""

from typing import Any

from sandbox import seed
from sandbox.refusal import Refusal
from sandbox.webapi.call import Call


def connections_open(call: Call) -> dict[str, Any]:
    if call.verb != "POST":
        raise Refusal("insecure_request")
    ticket = call.core.tickets.issue()
    host = call.core.url.removeprefix("http://")
    return {"url": f"ws://{host}/link/?ticket={ticket}&app_id={seed.APP_ID}"}
