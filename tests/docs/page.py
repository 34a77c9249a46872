"""Reads a page of the documentation: headings, tables, code blocks, and `curl` as a request."""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.cli import main

TOP = Path(__file__).parents[2]


def page(name: str) -> str:
    return (TOP / "docs" / name).read_text("utf-8")


def readme() -> str:
    """Steps of a list are indented; here their blocks stand at the margin as all others do."""
    return re.sub(r"^   (?! )", "", (TOP / "README.md").read_text("utf-8"), flags=re.MULTILINE)


def section(text: str, heading: str) -> str:
    """What stands under `## heading`, up to the next of its kind."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


def tables(text: str) -> list[list[list[str]]]:
    """Tables as rows of cells, without their headers."""
    found: list[list[list[str]]] = []
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append(rows[2:])
            rows = []
    return found


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def quoted(text: str) -> list[str]:
    """What stands in backticks, outside of code blocks."""
    return re.findall(r"`([^`\n]+)`", without_code(text))


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def unknown_options(words: list[str]) -> set[str]:
    """Options in a command line of ours that this command does not have. Fails where there is no such command."""
    command: Any = main
    rest = words[1:]
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    assert command is not main, words
    known = {option for parameter in command.params for option in parameter.opts}
    return {word for word in rest if word.startswith("--")} - known


@dataclass(frozen=True, kw_only=True)
class Request:
    method: str
    url: str
    headers: dict[str, str]
    data: str | None


def curl(command: str, variables: Mapping[str, str]) -> Request:
    """The request that a `curl` of ours makes; whatever this does not know of curl fails the test."""
    text = re.sub(r"\$(\w+)", lambda found: variables[found[1]], command.replace("\\\n", " "))
    words = shlex.split(text)
    assert words.pop(0) == "curl"
    url, headers, data = "", {}, None
    method = None
    while words:
        word = words.pop(0)
        if word in {"-s", "-i"}:
            continue
        if word == "-H":
            name, _, value = words.pop(0).partition(":")
            headers[name] = value.strip()
        elif word == "-d":
            data = words.pop(0)
        elif word == "-X":
            method = words.pop(0)
        else:
            assert not word.startswith("-"), word
            assert not url, "two addresses"
            url = word
    return Request(method=method or ("GET" if data is None else "POST"), url=url, headers=headers, data=data)


def clean_environment(home: Path) -> dict[str, str]:
    """What a fresh shell has: no settings of ours."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(TOP)}
