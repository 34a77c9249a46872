"""The Slack app manifest, held against Slack's own schema (kept beside this file, with its licence)."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from bot.manifest import render, template

SCHEMA = json.loads((Path(__file__).parent / "manifest_schema" / "manifest.schema.1.0.0.json").read_text("utf-8"))


def check(text: str) -> None:
    jsonschema.validate(yaml.safe_load(text), SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        template(),
        render(url="https://signoff.acme.com/", socket_mode=False),
        render(url="", socket_mode=True),
    ],
    ids=["as shipped", "over HTTPS", "Socket Mode"],
)
def test_the_manifest_is_valid(text) -> None:
    check(text)


def test_the_check_can_fail() -> None:
    with pytest.raises(jsonschema.ValidationError):
        check(template().replace("description: What waits for you", "words: What waits for you"))


def test_an_own_address_replaces_every_example() -> None:
    text = render(url="https://signoff.acme.com/", socket_mode=False)

    assert "signoff.example.com" not in text
    assert text.count("https://signoff.acme.com/slack/events") == 5


def test_socket_mode_names_no_address() -> None:
    found = yaml.safe_load(render(url="https://signoff.acme.com", socket_mode=True))

    assert found["settings"]["socket_mode_enabled"] is True
    assert "https" not in json.dumps(found)
