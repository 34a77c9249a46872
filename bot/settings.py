"""Settings, read once from the environment, frozen, and refused by name when something is missing."""

from ipaddress import ip_network
from typing import Annotated, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

DEFAULT_DATABASE = "sqlite:///signoff.db"
SLACK_API = "https://slack.com/api/"


class HalfConfigured(Exception):
    """Something is missing or malformed; the message says what, and what to do."""


Listed = Annotated[tuple[str, ...], NoDecode]
Secrets = Annotated[tuple[SecretStr, ...], NoDecode]


class DatabaseSettings(BaseSettings):
    """What commands need that only talk to the database."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    database_url: str = Field(default=DEFAULT_DATABASE, alias="DATABASE_URL")

    @field_validator("database_url")
    @classmethod
    def _not_empty(cls, given: str) -> str:
        return given.strip() or DEFAULT_DATABASE


class Settings(DatabaseSettings):
    """What `serve` and `work` need."""

    host: str = Field(default="127.0.0.1", alias="HOST")
    port: int = Field(default=8300, alias="PORT", ge=0, le=65535)
    slack_bot_token: SecretStr = Field(default=SecretStr(""), alias="SLACK_BOT_TOKEN")
    slack_signing_secret: Secrets = Field(default=(), alias="SLACK_SIGNING_SECRET")
    slack_app_token: SecretStr = Field(default=SecretStr(""), alias="SLACK_APP_TOKEN")
    slack_api_url: str = Field(default=SLACK_API, alias="SLACK_API_URL")
    operators: Listed = Field(default=(), alias="SIGNOFF_OPERATORS")
    app: str | None = Field(default=None, alias="SIGNOFF_APP")
    webhook_secret: Secrets = Field(default=(), alias="SIGNOFF_WEBHOOK_SECRET")
    webhook_allow: Listed = Field(default=(), alias="SIGNOFF_WEBHOOK_ALLOW")
    log_level: str = Field(default="INFO", alias="SIGNOFF_LOG_LEVEL")

    @field_validator("operators", "webhook_allow", "webhook_secret", "slack_signing_secret", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        """Comma-separated, newest first where order matters; blanks are nothing."""
        if isinstance(given, str):
            return tuple(part.strip() for part in given.split(",") if part.strip())
        return given

    @field_validator("webhook_allow")
    @classmethod
    def _networks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for network in given:
            ip_network(network)
        return given

    @field_validator("slack_api_url")
    @classmethod
    def _slash(cls, given: str) -> str:
        if not given.startswith(("http://", "https://")):
            raise ValueError("must be an http(s) address that ends in /api/")
        return given if given.endswith("/") else given + "/"

    @field_validator("log_level")
    @classmethod
    def _level(cls, given: str) -> str:
        if given.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return given.upper()

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.slack_bot_token.get_secret_value():
            raise ValueError(
                "SLACK_BOT_TOKEN is missing: install the app to your workspace and copy the Bot User OAuth Token (xoxb-…)"
            )
        if not self.slack_signing_secret and not self.slack_app_token.get_secret_value():
            raise ValueError(
                "SLACK_SIGNING_SECRET is missing: copy it from Basic Information, or set SLACK_APP_TOKEN (xapp-…) "
                "to use Socket Mode"
            )
        token = self.slack_app_token.get_secret_value()
        if token and not token.startswith("xapp-"):
            raise ValueError("SLACK_APP_TOKEN must be an app-level token (xapp-…) with the scope connections:write")
        return self


def load_settings() -> Settings:
    """Raises HalfConfigured with one line for each thing that is missing or malformed."""
    try:
        return Settings()
    except ValidationError as error:
        raise HalfConfigured("\n".join(_line(dict(found)) for found in error.errors())) from None


def load_database_settings() -> DatabaseSettings:
    return DatabaseSettings()


def _line(found: dict[str, object]) -> str:
    """One sentence, without the value: it may be a secret."""
    message = str(found["msg"]).removeprefix("Value error, ")
    place = found["loc"]
    name = str(place[0]) if isinstance(place, tuple) and place else ""
    return f"{name}: {message}" if name else message
