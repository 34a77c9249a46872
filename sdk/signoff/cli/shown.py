"""The command line that is to run, as people see it on the card: what they approve is what runs."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

#: The tool's name for a command line. Policies and stops may name it.
TOOL = "command"
#: Names of variables whose value nobody wants to see in a channel.
_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|_KEY$|^PAT$|_PAT$", re.IGNORECASE
)
#: Shorter values are found in innocent words.
_FEWEST = 8


def as_input(command: Sequence[str]) -> dict[str, Any]:
    """Quoted as a shell reads it, which tells its words apart and reads best."""
    return {"command": shlex.join(command)}


def secrets_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that look like secrets by their names, with values long enough to be some."""
    return {
        name: value.strip()
        for name, value in environment.items()
        if _SECRET.search(name) and len(value.strip()) >= _FEWEST
    }


def secret_in(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The name of a variable whose value stands in the command line."""
    for name, value in secrets_of(environment).items():
        if any(value in word for word in command):
            return name
    return None
