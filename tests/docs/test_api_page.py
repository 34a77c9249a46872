"""docs/api.md against the code: routes, scopes, error codes, fields and limits, in both directions; every curl is run."""

import ast
import json
import re
from typing import get_args

import aiohttp
import pytest
from aiohttp import web
from pydantic import BaseModel

from blocks import ids
from bot import input_schema
from bot.api import auth, body, schemas, schemas_content, schemas_runs, shapes, shapes_runs, table
from bot.api.app import add_api
from bot.console import Wanted, create_key
from sandbox.seed import ANA, DEPLOYS, REPORTS
from store import answers, digest
from store.deliveries import KEPT
from store.runs import RunErrorCode
from store.types import ActorKind, State
from tests.docs.page import TOP, blocks, curl, page, quoted, section, tables
from tests.e2e.house import place
from tests.parts import open_parts

PAGE = page("api.md")
HEADING = re.compile(r"^### `(GET|POST) (\S+)`$", re.MULTILINE)


class AnyAddress:
    def problem(self, _: str) -> str | None:
        return None


async def served() -> set[tuple[str, str]]:
    """Every route that the API adds to an application."""
    app = web.Application()
    async with open_parts("memory://") as parts:
        add_api(
            app,
            service=parts.service,
            lookups=parts.lookups,
            store=parts.store,
            clock=parts.clock,
            guard=AnyAddress(),
        )
    return {(route.method, route.resource.canonical) for route in app.router.routes() if route.method != "HEAD"}


async def test_the_page_describes_the_routes_that_are_there_and_no_others() -> None:
    described = HEADING.findall(PAGE)

    assert len(described) == len(set(described))
    assert set(described) == await served()


def test_each_route_is_described_with_its_scope() -> None:
    said = re.findall(r"^### `(GET|POST) (/v1\S+)`\n\nScope `(\w+)`\.", PAGE, re.MULTILINE)

    assert {(method, path): scope for method, path, scope in said} == {
        (route.method, route.path): route.scope.value for route in table.ROUTES
    }


def test_each_route_comes_with_one_curl() -> None:
    parts = re.split(r"^### ", PAGE.partition("## An interaction")[0], flags=re.MULTILINE)[1:]

    assert [len(blocks(part, "sh")) for part in parts] == [1] * len(HEADING.findall(PAGE))


def raised() -> set[tuple[int | None, str]]:
    """Every (status, code) in the code of the API; None where the status is what HTTP said."""
    calls = [
        node
        for path in (TOP / "bot" / "api").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"Problem", "_Row"}
    ]
    # The one call without a word of its own hands on what a row of the table says.
    return {
        (status.value if isinstance(status, ast.Constant) else None, code.value)
        for status, code in (call.args[:2] for call in calls)
        if isinstance(code, ast.Constant)
    }


def test_the_page_names_the_error_codes_that_are_there_and_no_others() -> None:
    (rows,) = tables(section(PAGE, "Errors"))
    named = {(int(status), quoted(code)[0]) for status, code, _ in rows}

    assert len(named) == len(rows)
    assert named | {(None, "refused")} == raised()
    assert "the code `refused`" in section(PAGE, "Errors")


def test_the_page_names_what_later_versions_bring() -> None:
    listed = next(line for line in PAGE.splitlines() if line.startswith("These names come with later versions"))

    assert set(quoted(listed.partition("until then:")[2])) == body.NOT_YET


def test_the_page_names_every_field_of_an_interaction() -> None:
    common, approval, question = tables(section(PAGE, "An interaction"))
    shared = set(shapes.Approval.model_fields) & set(shapes.QuestionSet.model_fields)

    assert named_in(common) == shared
    assert named_in(approval) == set(shapes.Approval.model_fields) - shared
    assert named_in(question) == set(shapes.QuestionSet.model_fields) - shared
    cells = {row[0]: row[1] for row in common}
    assert quoted(cells["`state`"]) == [state.value for state in State]
    assert set(quoted(cells["`resolved_by`"])[2:]) == {kind.value for kind in ActorKind}


def named_in(rows: list[list[str]]) -> set[str]:
    return {name for row in rows for name in quoted(row[0])}


def test_the_page_names_every_field_that_an_ask_takes() -> None:
    asks = PAGE.partition("### `POST /v1/approvals`")[2].partition("### `GET")[0]
    approval, previewed, question = tables(asks)

    assert named_in(approval) == set(schemas.ApprovalIn.model_fields)
    assert named_in(question) == set(schemas_content.QuestionIn.model_fields)
    assert named_in(previewed) == set(shapes.Previewed.model_fields)
    warned = next(line for line in asks.splitlines() if line.startswith("Codes of warnings"))
    assert set(quoted(warned)) == set(get_args(shapes.WarningCode))
    nested = (
        schemas.RemindersIn,
        schemas.HoursIn,
        schemas.EscalationIn,
        schemas_content.FactIn,
        schemas_content.LinkIn,
    )
    for model in (schemas.QuestionsIn, schemas_content.OptionIn, schemas.ApproversIn):
        assert set(model.model_fields) <= set(quoted(asks))
    for model in nested:
        assert all(f'"{name}"' in asks for name in model.model_fields), model
    (claim,) = tables(PAGE.partition("/claim`\n")[2].partition("\n### ")[0])
    assert named_in(claim) == set(schemas.ClaimIn.model_fields)


def test_the_page_names_every_field_of_a_delivery() -> None:
    about = PAGE.partition("/deliveries`\n")[2].partition("\n### ")[0]
    said = about[about.index("Each has ") :].partition(". ")[0]

    assert [name for name in quoted(said) if name != "webhook-id"] == list(shapes.DeliveryOut.model_fields)
    assert f"The last {KEPT} attempts of each message are kept" in about
    assert f"The last {KEPT} of each message are kept" in page("operations.md")


def limits() -> dict[str, str]:
    """Every limit of a field, in the words of the page, by its path."""
    found: dict[str, str] = {}
    for route in table.ROUTES:
        of_body = [(named_on_page(route.path, path), words) for path, words in limits_of_body(route.sends)]
        for path, words in [*of_body, *limits_of_query(route.parameters)]:
            assert found.setdefault(path, words) == words, path
    return found


def named_on_page(route: str, path: str) -> str:
    """A run asks what others ask, and says whom as they do: these have the limits of asks."""
    if route.startswith("/v1/stops"):
        return f"stops.{path}"
    if route in {"/v1/work/renew", "/v1/work/release"}:
        return f"renew.{path}"
    return path.removeprefix("audience.").removeprefix("action.request.")


def limits_of_body(model: type[BaseModel] | None) -> list[tuple[str, str]]:
    if model is None:
        return []
    schema = model.model_json_schema()
    return list(walk(schema, "", schema.get("$defs", {})))


def limits_of_query(parameters: dict[str, dict]) -> list[tuple[str, str]]:
    # Texts of a query are compared, and not stored: the door has no limit of its own for them.
    return [(name, words) for name, schema in parameters.items() if "maximum" in schema and (words := said(schema))]


def walk(schema: dict, path: str, defs: dict):
    if "$ref" in schema:
        yield from walk(defs[schema["$ref"].rpartition("/")[2]], path, defs)
    if words := said(schema):
        yield path, words
    for other in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        yield from walk(other, path, defs)
    for name, inner in schema.get("properties", {}).items():
        yield from walk(inner, f"{path}.{name}" if path else name, defs)
    if "items" in schema:
        yield from walk(schema["items"], f"{path}[]", defs)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from walk(schema["additionalProperties"], f"{path}.*", defs)


def said(schema: dict) -> str:
    if "maxLength" in schema:
        return f"{schema['maxLength']:,} characters"
    if "maximum" in schema:
        return f"{schema['minimum']:,}–{schema['maximum']:,}"
    most = schema.get("maxItems", schema.get("maxProperties"))
    least = schema.get("minItems", 0)
    if most is None:
        return f"at least {least}" if least else ""
    return f"{least:,}–{most:,}" if least else f"at most {most:,}"


def test_the_page_names_the_limits_of_every_field_and_no_others() -> None:
    fields, _ = tables(section(PAGE, "Limits"))
    named = {name: words for cell, words in fields for name in quoted(cell)}
    together = named.pop("channels"), named.pop("users")
    expected = limits()
    most = schemas.MAX_DESTINATIONS

    assert (expected.pop("channels"), expected.pop("users")) == (f"at most {most}",) * 2
    assert together == (f"at most {most}, together 1–{most}",) * 2
    assert named == expected


def test_the_page_names_the_other_limits() -> None:
    _, others = tables(section(PAGE, "Limits"))

    assert dict(others) == {
        "a request's body": f"{body.MAX_BODY // 1024} KiB",
        "`input`, `input_schema`, `details`, `state`, `outcome`": f"{schemas_content.MAX_INPUT // 1024} KiB",
        "parts of an `input_schema`": f"{input_schema.MAX_PARTS:,}",
        "its parts, times bytes of the input": f"{input_schema.MAX_WORK:,}",
        "an answer in free text": f"{answers.MAX_TEXT:,} characters",
        "nesting": str(digest.MAX_DEPTH),
        "integers": f"±{digest.MAX_INTEGER:,}",
        "requests without a valid key, by address": f"{auth.MAX_FAILURES} in a minute",
    }


@pytest.fixture
async def here():
    async with place("memory://") as found:
        yield found


async def key_for(here, scope: str) -> str:
    wanted = Wanted(
        tenant="default", name=f"{scope}-bot", scopes=scope, any_approvers=False, expires=None, owner=None, both=False
    )
    return await create_key(here.house.store, wanted)


async def run(command: str, here, **more: str) -> tuple[int, str]:
    request = curl(command, {"URL": here.house.url, "KEY": here.token, **more})
    async with (
        aiohttp.ClientSession() as session,
        session.request(request.method, request.url, headers=request.headers, data=request.data) as reply,
    ):
        return reply.status, await reply.text()


def commands() -> dict[tuple[str, str], str]:
    parts = re.split(r"^### ", PAGE.partition("## An interaction")[0], flags=re.MULTILINE)[1:]
    return {HEADING.findall(f"### {part}")[0]: blocks(part, "sh")[0] for part in parts}


async def test_every_curl_of_the_page_does_what_it_says(here) -> None:
    given = commands()
    ask = ("POST", "/v1/approvals")
    read, claim, report = "/v1/interactions/{id}", "/v1/approvals/{id}/claim", "/v1/approvals/{id}/report"

    status, text = await run(given.pop(ask), here)
    assert status == 201
    asked = json.loads(text)
    card = await here.card(DEPLOYS)
    assert (await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)).ok
    known = {"ID": asked["id"], "DIGEST": asked["digest"], "CLAIM": "one"}

    assert json.loads((await run(given.pop(("GET", read)), here, **known))[1])["state"] == "approved"
    (found,) = json.loads((await run(given.pop(("GET", "/v1/interactions")), here))[1])["items"]
    assert found["id"] == asked["id"]
    claimed = json.loads((await run(given.pop(("POST", claim)), here, **known))[1])
    assert (claimed["claimed"], claimed["execute"], claimed["input"]) == (True, True, asked["input"])
    reported = json.loads((await run(given.pop(("POST", report)), here, **known))[1])
    assert reported["approval"]["execution"]["status"] == "succeeded"

    status, text = await run(given.pop(("POST", "/v1/questions")), here)
    assert status == 201
    question = {"ID": json.loads(text)["id"]}
    await here.card(REPORTS)
    key = await key_for(here, "decide")
    for path, about in (("/v1/approvals/{id}/decide", known), ("/v1/questions/{id}/answer", question)):
        status, text = await run(given.pop(("POST", path)), here, **{**about, "KEY": key})
        assert (status, json.loads(text)["code"]) == (403, "not_allowed")
    woken = json.loads((await run(given.pop(("POST", "/v1/interactions/{id}/wake")), here, **known))[1])
    assert woken["woken"] is False
    withdrawn = json.loads((await run(given.pop(("POST", "/v1/interactions/{id}/withdraw")), here, **question))[1])
    assert withdrawn["withdrawn"] is True

    admin = await key_for(here, "admin")
    settled = json.loads(
        (await run(given.pop(("POST", "/v1/approvals/{id}/settle")), here, **{**known, "KEY": admin}))[1]
    )
    assert settled["settled"] is False
    attempts = "/v1/interactions/{id}/deliveries"
    assert json.loads((await run(given.pop(("GET", attempts)), here, **known))[1]) == {"items": []}
    status, text = await run(given.pop(("POST", f"{attempts}/replay")), here, **{**known, "KEY": admin})
    assert (status, json.loads(text)["code"]) == (409, "nothing_sent")
    counts = {("POST", "/v1/stops"): 1, ("GET", "/v1/stops"): 1, ("POST", "/v1/stops/end"): 0}
    for route, count in counts.items():
        more = {"KEY": admin} if route[0] == "POST" else {}
        assert len(json.loads((await run(given.pop(route), here, **more))[1])["stops"]) == count

    given = {route: command for route, command in given.items() if not is_of_runs(route[1])}
    for command in given.values():
        assert (await run(command, here))[0] == 200
    assert {path for _, path in given} == {
        "/v1/directory",
        "/v1/me",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
    }


def is_of_runs(path: str) -> bool:
    return path.startswith(("/v1/runs", "/v1/work"))


async def test_every_curl_of_a_hosted_run_does_what_it_says(here) -> None:
    given = commands()
    works = {"KEY": await key_for(here, "work")}

    status, text = await run(given[("POST", "/v1/runs")], here)
    assert (status, json.loads(text)["status"]) == (201, "queued")
    (leased,) = json.loads((await run(given[("POST", "/v1/work/lease")], here, **works))[1])["runs"]
    works["TOKEN"] = leased["token"]
    assert leased["is_new"] is True
    renewed = json.loads((await run(given[("POST", "/v1/work/renew")], here, **works))[1])
    assert renewed == {"lost": [], "stopping": [], "answered": []}
    saved = json.loads((await run(given[("POST", "/v1/work/checkpoint")], here, **works))[1])
    assert saved["run"]["action"]["interaction"]["state"] == "pending"
    await here.card(REPORTS)
    assert json.loads((await run(given[("GET", "/v1/runs/{run_id}")], here))[1])["status"] == "waiting"
    (found,) = json.loads((await run(given[("GET", "/v1/runs")], here))[1])["items"]
    assert (found["run_id"], found["worker"]) == ("report-49", "pod-7")
    stopped = json.loads((await run(given[("POST", "/v1/runs/{run_id}/stop")], here))[1])
    assert (stopped["stopped"], stopped["run"]["stop"]["reason"]) == (False, "The data was wrong")
    # What it names is another run: of this token, it holds none.
    assert json.loads((await run(given[("POST", "/v1/work/release")], here, **works))[1]) == {"released": []}
    ended = json.loads((await run(given[("POST", "/v1/work/finish")], here, **works))[1])["run"]
    assert (ended["status"], ended["action"]["interaction"]["state"]) == ("completed", "withdrawn")


def test_the_page_names_every_field_of_a_hosted_run_and_of_what_its_starter_and_worker_send() -> None:
    (of_run,) = tables(section(PAGE, "Hosted runs"))
    (start,) = tables(PAGE.partition("### `POST /v1/runs`\n")[2].partition("\n### ")[0])
    (checkpoint,) = tables(PAGE.partition("/v1/work/checkpoint`\n")[2].partition("\n### ")[0])
    action = next(row for row in of_run if row[0] == "`action`")
    audience = next(row for row in start if row[0] == "`audience`")
    to_ask = next(row for row in checkpoint if row[0] == "`action`")

    assert named_in(of_run) == set(shapes_runs.Run.model_fields)
    assert named_in(start) == set(schemas_runs.StartRunIn.model_fields)
    assert named_in(checkpoint) == set(schemas_runs.CheckpointIn.model_fields)
    assert set(quoted(action[1])) == set(shapes_runs.RunActionOut.model_fields)
    assert set(quoted(audience[1])) == set(schemas_runs.AudienceIn.model_fields)
    assert set(schemas_content.ActionIn.model_fields) | {"questions"} <= set(quoted(to_ask[1]))
    finish = PAGE.partition("/v1/work/finish`\n")[2].partition("\n### ")[0]
    assert {code.value for code in RunErrorCode} == {word for word in quoted(finish) if word.startswith("RUN_")}
