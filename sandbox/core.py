"""What every part of a sandbox shares: settings, time, state, and the two kinds of one-time permission."""

from dataclasses import dataclass, field

from sandbox import scopes, seed
from sandbox.clock import Clock
from sandbox.enterprise import Enterprise
from sandbox.entries import Entries
from sandbox.faults import Faults
from sandbox.logs import ApiCall, Delivery
from sandbox.rates import Rates
from sandbox.responses import ResponseUrls
from sandbox.tickets import Tickets
from sandbox.triggers import Triggers
from sandbox.weather import Weather
from sandbox.workspace import Workspace


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Fixed for the life of a sandbox. `ack_seconds`: how long the app may take to answer a delivery."""

    bot_token: str = seed.BOT_TOKEN
    app_token: str = seed.APP_TOKEN
    signing_secret: str = seed.SIGNING_SECRET
    ack_seconds: float = 3.0
    retry_delays: tuple[float, ...] = (0.0, 60.0, 300.0)
    strict_rate: bool = False
    scopes: frozenset[str] = scopes.DEFAULT
    enterprise: Enterprise = None


@dataclass(kw_only=True, slots=True)
class Core:
    """`url` is the sandbox's own address without a slash at the end; known once it listens."""

    settings: Settings
    clock: Clock
    workspace: Workspace
    triggers: Triggers
    responses: ResponseUrls
    tickets: Tickets
    faults: Faults = field(default_factory=Faults)
    weather: Weather = field(default_factory=Weather)
    entries: Entries = field(default_factory=Entries)
    calls: list[ApiCall] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    bot_url: str | None = None
    url: str = ""
    rates: Rates = field(default_factory=Rates)

    def permalink(self, channel: str, ts: str) -> str:
        return f"{self.url}/archives/{channel}/p{ts.replace('.', '')}"


def make(settings: Settings, clock: Clock, bot_url: str | None) -> Core:
    workspace = Workspace(clock)
    return Core(
        settings=settings,
        clock=clock,
        workspace=workspace,
        triggers=Triggers(clock, workspace.ids),
        responses=ResponseUrls(clock, workspace),
        tickets=Tickets(workspace.ids),
        bot_url=bot_url,
    )
