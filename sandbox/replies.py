"""What apps put into their answers: to a slash command, to a look-up of options."""

import json
from typing import Any, Final

from sandbox.model import Json
from sandbox.responses import ResponseUrls, content_of
from sandbox.validate.objects import OPTION, OPTION_GROUP
from sandbox.validate.spec import Items, Run

_OPTIONS: Final = Items(OPTION, 0, 100)
_GROUPS: Final = Items(OPTION_GROUP, 0, 100)


def command_reply(urls: ResponseUrls, key: str, body: str, command: str) -> str | None:
    """Show the answer of a slash command. Returns the warning of a refused one."""
    if not body.strip():
        return None
    parsed = _parsed(body)
    reply: Json = parsed if isinstance(parsed, dict) else {"text": body}
    if not reply:
        return None
    content = content_of(reply)
    if isinstance(content, str):
        return f'{command} failed with the error "invalid_command_response"'
    urls.say(urls.known(key), reply, content)
    return None


def options_of(body: str) -> tuple[list[Json], str | None]:
    """(options, warning) of the answer to a look-up; groups are flattened. A refused answer offers nothing."""
    parsed = _parsed(body)
    if not isinstance(parsed, dict) or ("options" in parsed) == ("option_groups" in parsed):
        return [], "Oh no, something went wrong: the app sent no options."
    run = Run("modal")
    name = "options" if "options" in parsed else "option_groups"
    (_OPTIONS if name == "options" else _GROUPS).check(parsed[name], f"/{name}", run)
    if run.problems:
        return [], f"Oh no, something went wrong: {run.problems[0].sentence('')}"
    if name == "options":
        return list(parsed[name]), None
    return [option for group in parsed[name] for option in group["options"]], None


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
