"""Logging: fixed words with fields, one JSON line each (or readable on a terminal), and no secrets in any of them."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_SECRET = re.compile(
    r"xox[a-z](?:\.xox[a-z])?-[\w-]+|xapp-[\w-]+|whsec_[\w+/=-]+|so_[0-9A-Za-z]{6,}_[\w-]+"
    r"|https?://hooks\.slack(?:-gov)?\.com/\S+|(?i:bearer\s+)\S+|v0=[0-9a-f]{64}"
)
_SECRET_KEYS = frozenset({"token", "secret", "authorization", "signature", "response_url", "trigger_id", "password"})
HIDDEN = "[hidden]"


def hide(text: str) -> str:
    """The text without anything that looks like a credential of Slack's or ours."""
    return _SECRET.sub(HIDDEN, text)


def _redact(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if key.lower() in _SECRET_KEYS:
            event[key] = HIDDEN
        elif isinstance(value, str):
            event[key] = hide(value)
    return event


class _Strangers(logging.Filter):
    """What anybody on the network can cause without a key is one line of information, and never a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception) and type(error).__module__.startswith("aiohttp"):
            record.levelno, record.levelname = logging.INFO, "INFO"
            record.msg, record.args = "request_malformed %s", (type(error).__name__,)
            record.exc_info = None
        return True


def configure_logging(level: str = "INFO") -> None:
    """Route everything, the libraries' lines too, through one redacting formatter to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _redact,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    terminal = sys.stderr.isatty()
    renderer: Any = structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("aiohttp.server").addFilter(_Strangers())
    # These speak of every call and job at INFO; Bolt and the SDK also quote bodies at DEBUG.
    for noisy in ("slack_bolt", "slack_sdk", "apscheduler", "aiohttp.access", "alembic", "asyncio", "aiosqlite"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # A tick that lasts longer than its period on a busy machine is nothing to warn of; `/readyz` knows one that hangs.
    logging.getLogger("apscheduler.scheduler").setLevel(logging.ERROR)
