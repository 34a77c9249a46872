"""The elements of rich_text, the only rich form that we send. Untrusted words come in through `text` alone."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from blocks.limits import URL
from blocks.surface import Block
from blocks.visible import visible

_USER = re.compile(r"[UW][A-Z0-9]{1,20}")
_GROUP = re.compile(r"S[A-Z0-9]{1,20}")
_CHANNEL = re.compile(r"[CG][A-Z0-9]{2,20}")
_PLAIN_URL = re.compile(
    r"https?://(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?P<port>:[0-9]{1,5})?(?P<path>/[!-~]*|[?#][!-~]*)?"
)
_SHOWN_URL = 40
DAY_AND_TIME = "{date_short_pretty} at {time}"
TIME = "{time}"


def text(words: str, *, bold: bool = False, italic: bool = False, strike: bool = False, code: bool = False) -> Block:
    element: Block = {"type": "text", "text": visible(words)}
    styles = {"bold": bold, "italic": italic, "strike": strike, "code": code}
    if any(styles.values()):
        element["style"] = {name: True for name, is_on in styles.items() if is_on}
    return element


def bold(words: str) -> Block:
    return text(words, bold=True)


def code(words: str) -> Block:
    return text(words, code=True)


def emoji(name: str) -> Block:
    return {"type": "emoji", "name": name}


def user(id: str) -> Block:
    """A mention; an id that is none (a key, a forged one) is words."""
    return {"type": "user", "user_id": id} if _USER.fullmatch(id) else text(id)


def usergroup(id: str) -> Block:
    return {"type": "usergroup", "usergroup_id": id} if _GROUP.fullmatch(id) else text(id)


def channel(id: str) -> Block:
    """A channel by its name, as Slack shows it to whoever reads it; an id that is none is words."""
    return {"type": "channel", "channel_id": id} if _CHANNEL.fullmatch(id) else text(id)


def is_user(id: str) -> bool:
    return _USER.fullmatch(id) is not None


def date(at: datetime, form: str = DAY_AND_TIME) -> Block:
    """A moment, in the zone of whoever reads it. `at` must be aware."""
    return {
        "type": "date",
        "timestamp": int(at.timestamp()),
        "format": form,
        "fallback": at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def link(url: str | None, label: str) -> Block:
    """A link of ours (a permalink): its label says what it is. No usable address: the label alone."""
    if url is None or not is_plain_url(url):
        return text(label)
    return {"type": "link", "url": url, "text": visible(label)}


def is_plain_url(url: str) -> bool:
    """http(s), a host that cannot be mistaken (no user part, no foreign letters), of a length that fits."""
    return len(url) <= URL and _PLAIN_URL.fullmatch(url) is not None


def shown_url(url: str) -> str:
    """What a foreign link shows: its real host, whole, and the path as far as it is short."""
    found = _PLAIN_URL.fullmatch(url)
    if found is None:
        return url
    host = f"{found['host'].lower()}{found['port'] or ''}"
    path = found["path"] or ""
    bare = re.split(r"[?#]", path, maxsplit=1)[0]
    is_cut = bare != path
    if len(host) + len(bare) > _SHOWN_URL:
        kept = bare[: max(_SHOWN_URL - len(host), 1)]
        bare, is_cut = kept[: kept.rfind("/") + 1], True
    if bare == "/" and not is_cut:
        return host
    return f"{host}{bare}…" if is_cut else f"{host}{bare}"


def section(*elements: Block) -> Block:
    return {"type": "rich_text_section", "elements": _merged(elements)}


def quote(*elements: Block) -> Block:
    return {"type": "rich_text_quote", "elements": _merged(elements)}


def preformatted(words: str) -> Block:
    return {"type": "rich_text_preformatted", "elements": [text(words or " ")], "border": 0}


def listing(items: Sequence[Sequence[Block]], *, ordered: bool = False, indent: int = 0, offset: int = 0) -> Block:
    """A list, one sequence of elements an item. `offset`: how many numbers the first item skips."""
    element: Block = {
        "type": "rich_text_list",
        "style": "ordered" if ordered else "bullet",
        "indent": indent,
        "elements": [section(*item) for item in items],
    }
    if offset:
        element["offset"] = offset
    return element


def rich_text(block_id: str, *elements: Block) -> Block:
    return {"type": "rich_text", "block_id": block_id, "elements": list(elements)}


def _merged(elements: Sequence[Block]) -> list[Block]:
    """Without empty texts, which Slack refuses, and neighbours of one style as one."""
    merged: list[Block] = []
    for element in elements:
        if element.get("text") == "" and element["type"] == "text":
            continue
        last = merged[-1] if merged else None
        if last and last["type"] == element["type"] == "text" and last.get("style") == element.get("style"):
            merged[-1] = {**last, "text": last["text"] + element["text"]}
        else:
            merged.append(element)
    return merged or [text(" ")]
