"""How long a text is once Slack has stored it: `&`, `<` and `>` become entities."""

import re

_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")
_CONTROL = re.compile(r"<[^<>\n]+>")


def escape(text: str) -> str:
    """Every `&`, `<`, `>` as an entity, as Slack echoes plain text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_mrkdwn(text: str) -> str:
    """Entities stay, `<…>` control sequences stay, the rest is escaped."""
    parts: list[str] = []
    last = 0
    for control in _CONTROL.finditer(text):
        parts += [_bare(text[last : control.start()]), control.group()]
        last = control.end()
    return "".join([*parts, _bare(text[last:])])


def _bare(text: str) -> str:
    return _BARE_AMPERSAND.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
