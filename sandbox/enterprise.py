"""Workspaces of an Enterprise organisation: what is different in payloads and answers."""

from typing import Any, Final, Literal

from sandbox.model import Json

# None: no organisation. "workspace": one of its workspaces installed the app. "org": the organisation itself did.
Enterprise = Literal["workspace", "org"] | None
ID: Final = "E07ACMEORG0"
NAME: Final = "Acme Group"


def dress_payload(payload: Json, enterprise: Enterprise) -> Json:
    """An interaction, command or event as an organisation sends it. The payload given stays as it is."""
    if enterprise is None:
        return payload
    org = enterprise == "org"
    if "command" in payload:
        flag = "true" if org else "false"
        return payload | {"enterprise_id": ID, "enterprise_name": NAME, "is_enterprise_install": flag}
    if payload.get("type") == "event_callback":
        return payload | {
            "enterprise_id": ID,
            "authorizations": [_authorized(one, org=org) for one in payload["authorizations"]],
        }
    made = payload | {"enterprise": {"id": ID, "name": NAME}, "is_enterprise_install": org}
    team = payload["team"]
    made["team"] = None if org else {**team, "enterprise_id": ID, "enterprise_name": NAME}
    if org and payload["type"] == "block_suggestion":
        made["user"] = {**payload["user"], "team_id": ID}
    if org and "view" in payload:
        made["view"] = dress_view(payload["view"], enterprise)
    return made


def _authorized(one: Json, *, org: bool) -> Json:
    return one | {"enterprise_id": ID, "is_enterprise_install": org} | ({"team_id": None} if org else {})


def dress_view(view: Json, enterprise: Enterprise) -> Json:
    """A view object: where the app is installed."""
    return view | {"app_installed_team_id": ID} if enterprise == "org" else view


def dress_answer(body: dict[str, Any], enterprise: Enterprise) -> dict[str, Any]:
    """An answer of the Web API."""
    if enterprise is None:
        return body
    made = dict(body)
    if "view" in made:
        made["view"] = dress_view(made["view"], enterprise)
    if "is_enterprise_install" in made:
        made |= {"enterprise_id": ID, "is_enterprise_install": enterprise == "org"}
    if "user" in made and isinstance(made["user"], dict):
        made["user"] = _user(made["user"])
    if "members" in made:
        made["members"] = [_user(one) if isinstance(one, dict) else one for one in made["members"]]
    return made


def _user(user: Json) -> Json:
    return user | {
        "enterprise_user": {
            "id": user["id"],
            "enterprise_id": ID,
            "enterprise_name": NAME,
            "is_admin": False,
            "is_owner": False,
            "teams": [user["team_id"]],
        },
    }
