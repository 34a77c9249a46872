"""Each error of the store has its answer, and no caller ever reads a traceback."""

import inspect
import logging

import pytest

from bot.api.errors import from_store
from bot.service import Service
from store import errors
from tests.api.site import Reply, Site, open_site
from tests.parts import ForgetfulStore, Parts

#: These stop a start; no request can meet them.
AT_THE_START = {errors.WorkspaceMismatch, errors.SchemaOutdated, errors.AlreadyServing}


def test_every_error_that_a_request_can_meet_is_in_the_table() -> None:
    found = {kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.StoreError)}
    answered = {kind for kind in found if _is_answered(kind)}

    assert found - answered == {errors.StoreError} | AT_THE_START


def _is_answered(kind: type[errors.StoreError]) -> bool:
    error = kind.__new__(kind)
    for name in ("id", "run_id", "saves", "expected", "given", "interaction"):
        setattr(error, name, _Anything())
    return from_store(error) is not None


class _Anything:
    def __getattr__(self, _: str) -> "_Anything":
        return self


async def test_a_lost_reply_is_503_and_the_same_request_gets_the_answer(parts: Parts) -> None:
    forgetful = ForgetfulStore(parts.store, lost=1)
    parts.service = Service(store=forgetful, clock=parts.clock, hub=parts.hub, directory=parts.directory)
    async with open_site(parts) as site:
        asked = await parts.ask(site.key)
        await parts.decide(asked)
        body = {"digest": asked.digest, "claim_id": "mine"}
        lost = await site.call("POST", f"/v1/approvals/{asked.id}/claim", body)
        again = await site.call("POST", f"/v1/approvals/{asked.id}/claim", body)

    assert (lost.status, lost.code, lost.headers["Retry-After"]) == (503, "unconfirmed", "1")
    assert (again.json["claimed"], again.json["execute"]) == (True, True)


async def test_a_fault_of_ours_is_500_with_a_token_and_nothing_else(
    parts: Parts, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def __getattr__(self, name: str) -> None:
            raise RuntimeError("the secret of the house")

    caplog.set_level(logging.CRITICAL)
    parts.service = Service(store=Broken(), clock=parts.clock, hub=parts.hub, directory=parts.directory)  # type: ignore[arg-type]  # broken on purpose
    async with open_site(parts) as site:
        reply = await _claim_nothing(site)

    assert (reply.status, reply.code) == (500, "internal")
    assert len(reply.json["token"]) == 8
    assert b"secret" not in reply.raw


async def _claim_nothing(site: Site) -> Reply:
    return await site.call("POST", "/v1/approvals/apr_1/claim", {"digest": "0" * 64})
