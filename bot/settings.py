"""Settings, read once from the environment, frozen, and refused by name when something is missing."""

import re
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

DEFAULT_DATABASE = "sqlite:///signoff.db"
SLACK_API = "https://slack.com/api/"
#: A person in Slack, as ids look.
PERSON = re.compile(r"[UW][A-Z0-9]{1,30}")


class HalfConfigured(Exception):
    """Something is missing or malformed; the message says what, and what to do."""


T = TypeVar("T", bound="DatabaseSettings")
Listed = Annotated[tuple[str, ...], NoDecode]
Secrets = Annotated[tuple[SecretStr, ...], NoDecode]


class DatabaseSettings(BaseSettings):
    """What commands need that only talk to the database."""

    # An empty variable is one that was not set: that is how platforms and .env files leave one out.
    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True)

    database_url: str = Field(default=DEFAULT_DATABASE, alias="DATABASE_URL")

    @field_validator("database_url")
    @classmethod
    def _database(cls, given: str) -> str:
        url = given.strip() or DEFAULT_DATABASE
        scheme = url.partition(":")[0].partition("+")[0]
        if "://" not in url or scheme not in {"memory", "sqlite", "postgres", "postgresql"}:
            raise ValueError("write sqlite:///file.db, sqlite:////absolute/file.db or postgresql://user@host/name")
        if scheme == "sqlite":
            from store.sql.url import sqlite_path

            sqlite_path(url)
        return url


class SlackSettings(DatabaseSettings):
    """What commands need that look something up in Slack; without a token they ask it nothing."""

    slack_bot_token: SecretStr = Field(default=SecretStr(""), alias="SLACK_BOT_TOKEN")
    slack_api_url: str = Field(default=SLACK_API, alias="SLACK_API_URL")

    @field_validator("slack_api_url")
    @classmethod
    def _slash(cls, given: str) -> str:
        if not given.startswith(("http://", "https://")):
            raise ValueError("must be an http(s) address that ends in /api/")
        return given if given.endswith("/") else given + "/"


class WebhookSettings(DatabaseSettings):
    """What sending webhooks needs."""

    webhook_secret: Secrets = Field(default=(), alias="SIGNOFF_WEBHOOK_SECRET")
    webhook_allow: Listed = Field(default=(), alias="SIGNOFF_WEBHOOK_ALLOW")

    @field_validator("webhook_allow", "webhook_secret", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        return _listed(given)

    @field_validator("webhook_secret")
    @classmethod
    def _signing(cls, given: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        # Loaded only where there is one: commands that talk to the database alone sign nothing.
        from bot.resume.signing import read_secret

        for secret in given:
            read_secret(secret.get_secret_value())
        return given

    @field_validator("webhook_allow")
    @classmethod
    def _networks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for network in given:
            ip_network(network)
        return given


class Settings(SlackSettings, WebhookSettings):
    """What `serve` and `work` need."""

    host: str = Field(default="127.0.0.1", alias="HOST")
    port: int = Field(default=8300, alias="PORT", ge=0, le=65535)
    slack_signing_secret: Secrets = Field(default=(), alias="SLACK_SIGNING_SECRET")
    slack_app_token: SecretStr = Field(default=SecretStr(""), alias="SLACK_APP_TOKEN")
    operators: Listed = Field(default=(), alias="SIGNOFF_OPERATORS")
    app: str | None = Field(default=None, alias="SIGNOFF_APP")
    log_level: str = Field(default="INFO", alias="SIGNOFF_LOG_LEVEL")
    #: Seconds for which a worker holds a hosted run without renewing; it is told, and renews three times as often.
    run_lease: int = Field(default=60, alias="SIGNOFF_RUN_LEASE", ge=2, le=3600)

    @field_validator("operators", "slack_signing_secret", mode="before")
    @classmethod
    def _split_ours(cls, given: object) -> object:
        return _listed(given)

    @field_validator("operators")
    @classmethod
    def _people(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for person in given:
            if PERSON.fullmatch(person) is None:
                raise ValueError(f"{person!r} is no Slack user id (U…); names are not looked up")
        return given

    @field_validator("log_level")
    @classmethod
    def _level(cls, given: str) -> str:
        if given.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return given.upper()

    @model_validator(mode="after")
    def _complete(self) -> Self:
        missing = list(_missing(self))
        if missing:
            raise ValueError("\n".join(missing))
        return self


def _listed(given: object) -> object:
    """Comma-separated, newest first where order matters; blanks are nothing."""
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(",") if part.strip())
    return given


def _missing(settings: Settings) -> Iterator[str]:
    """Everything at once: nobody likes to be told of the next thing at each start."""
    bot = settings.slack_bot_token.get_secret_value()
    app = settings.slack_app_token.get_secret_value()
    if not bot:
        yield "SLACK_BOT_TOKEN is missing: install the app to your workspace and copy the Bot User OAuth Token (xoxb-…)"
    elif bot.startswith("xapp-"):
        yield "SLACK_BOT_TOKEN is an app-level token: this one goes into SLACK_APP_TOKEN; the bot's begins with xoxb-"
    if not settings.slack_signing_secret and not app:
        yield (
            "SLACK_SIGNING_SECRET is missing: copy it from Basic Information, or set SLACK_APP_TOKEN (xapp-…) "
            "to use Socket Mode"
        )
    if app and not app.startswith("xapp-"):
        yield "SLACK_APP_TOKEN must be an app-level token (xapp-…) with the scope connections:write"


def load_settings() -> Settings:
    """Raises HalfConfigured with one line for each thing that is missing or malformed."""
    return _loaded(Settings)


def load_database_settings() -> DatabaseSettings:
    """Raises as `load_settings`."""
    return _loaded(DatabaseSettings)


def load_slack_settings() -> SlackSettings:
    """Raises as `load_settings`."""
    return _loaded(SlackSettings)


def load_webhook_settings() -> WebhookSettings:
    """Raises as `load_settings`."""
    return _loaded(WebhookSettings)


def shown(database_url: str) -> str:
    """The address without user, password and options, for sentences."""
    parts = urlsplit(database_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def missing_file(database_url: str) -> Path | None:
    """The whole path of the SQLite file that is not there; None where it is, and for every other database."""
    if not database_url.startswith("sqlite"):
        return None
    from store.sql.url import sqlite_path

    path = sqlite_path(database_url).absolute()
    return None if path.exists() else path


def not_there(path: Path) -> str:
    """Of a SQLite file: what to do where a command that makes none finds none."""
    return (
        f"{path} is not there yet. `signoff-bot serve` makes it: run this in the directory where that runs, "
        "or set DATABASE_URL to the same"
    )


def _loaded(kind: type[T]) -> T:
    try:
        return kind()
    except ValidationError as error:
        raise HalfConfigured("\n".join(_line(dict(found)) for found in error.errors())) from None


def _line(found: dict[str, object]) -> str:
    """One sentence, without the value: it may be a secret."""
    message = str(found["msg"]).removeprefix("Value error, ")
    place = found["loc"]
    name = str(place[0]) if isinstance(place, tuple) and place else ""
    return f"{name}: {message}" if name else message
