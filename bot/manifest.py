"""The Slack app manifest of this version, for one's own address."""

from importlib import resources
from pathlib import Path

_EXAMPLE = "https://signoff.example.com"
_TOP = Path(__file__).parent.parent / "manifest.yml"


def template() -> str:
    """The manifest as it ships: beside the package in a checkout, inside it when installed."""
    inside = resources.files("bot").joinpath("manifest.yml")
    return inside.read_text("utf-8") if inside.is_file() else _TOP.read_text("utf-8")


def render(*, url: str, socket_mode: bool) -> str:
    """YAML text. In Socket Mode no address is needed, and none is named."""
    lines = [line for line in template().splitlines() if not line.startswith("#")]
    if socket_mode:
        lines = [line for line in lines if _EXAMPLE not in line]
        text = "\n".join(lines).replace("socket_mode_enabled: false", "socket_mode_enabled: true")
    else:
        text = "\n".join(lines).replace(_EXAMPLE, url.rstrip("/"))
    return text + "\n"
