"""Where Signoff is and what opens it, from the arguments or the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from signoff.errors import NotConfigured

DEFAULT_URL = "http://127.0.0.1:8300"
_LIKE = f"SIGNOFF_URL or url= is like {DEFAULT_URL}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    url: str
    key: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        from signoff import __version__

        return {"Authorization": f"Bearer {self.key}", "User-Agent": f"signoff/{__version__}"}


def read_settings(*, url: str | None, key: str | None, environment: Mapping[str, str]) -> Settings:
    """Raises NotConfigured: says what is missing, and never shows a key."""
    url = url or environment.get("SIGNOFF_URL", "").strip() or DEFAULT_URL
    key = (environment.get("SIGNOFF_KEY", "") if key is None else key).strip()
    if not key:
        raise NotConfigured(
            "There is no key.",
            setting="key",
            is_missing=True,
            hint="Set SIGNOFF_KEY, or give key=. An operator makes one with: "
            "signoff-bot keys create --scopes ask,read --name NAME",
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise NotConfigured(
            "The key holds characters that no key has.", setting="key", hint="Copy it again, as one line."
        )
    return Settings(url=_address(url), key=key)


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise NotConfigured(f"{url!r} is no address.", setting="url", hint=_LIKE)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise NotConfigured(
            "The address of Signoff holds no user, no query and no fragment; the key goes in SIGNOFF_KEY.",
            setting="url",
            hint=_LIKE,
        )
    return url.rstrip("/")
