"""The description of this API, OpenAPI 3.1, made from the same table and the same models that answer requests."""

from typing import Any

from pydantic.json_schema import models_json_schema

from bot.api.route import PLACE, Route
from bot.api.shapes import ProblemOut

_Model = tuple[Any, Any]  # pydantic's own type for a model and its mode is not public
_REF = "#/components/schemas/{model}"
_PROBLEMS = {
    "400": "Not acceptable JSON",
    "401": "No valid key",
    "403": "The key may not do this",
    "404": "No such thing in this tenant",
    "409": "It stands against what is stored",
    "413": "The body is too large",
    "422": "Not valid, or not possible yet",
    "429": "Too many requests without a valid key",
    "503": "Not confirmed; repeat the same request",
}
_OF_READING = frozenset({"401", "403", "404", "422", "429"})


def describe(routes: tuple[Route, ...], *, version: str) -> dict[str, Any]:
    schemas = _schemas(routes)
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Signoff", "version": version},
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _schemas(routes: tuple[Route, ...]) -> dict[str, Any]:
    sent: list[_Model] = [(route.sends, "validation") for route in routes if route.sends is not None]
    answered: list[_Model] = [(route.answer, "serialization") for route in routes]
    models: list[_Model] = list(dict.fromkeys([*sent, *answered, (ProblemOut, "serialization")]))
    _, definitions = models_json_schema(models, ref_template=_REF)
    found: dict[str, Any] = definitions["$defs"]
    return found


def _operation(route: Route) -> dict[str, Any]:
    success = _content("application/json", route.answer.__name__)
    operation: dict[str, Any] = {
        "operationId": route.endpoint.__name__,
        "summary": route.summary,
        "description": f"Takes a key with the scope `{route.scope}`.",
        "parameters": _parameters(route),
        "responses": {
            **({"201": {"description": "Stored", "content": success}} if route.creates else {}),
            "200": {"description": "There before, as it is now" if route.creates else "Done", "content": success},
            **{
                status: {"description": words, "content": _content("application/problem+json", ProblemOut.__name__)}
                for status, words in _PROBLEMS.items()
                if route.sends is not None or status in _OF_READING
            },
        },
    }
    if route.sends is not None:
        operation["requestBody"] = {"required": True, "content": _content("application/json", route.sends.__name__)}
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in PLACE.findall(route.path)
    ]
    in_query = [{"name": name, "in": "query", "schema": schema} for name, schema in route.parameters.items()]
    return in_path + in_query


def _content(media: str, model: str) -> dict[str, Any]:
    return {media: {"schema": {"$ref": _REF.format(model=model)}}}
