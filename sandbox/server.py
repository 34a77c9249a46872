"""The sandbox as one object: start it, talk to it, act in it, stop it."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from aiohttp import web

from sandbox import core as cores
from sandbox import probe as probes
from sandbox import seed
from sandbox.clock import Clock, SystemClock
from sandbox.control import Control
from sandbox.core import Settings
from sandbox.deliver import Deliverer
from sandbox.enterprise import Enterprise
from sandbox.faults import Faults
from sandbox.hands import Hands
from sandbox.logs import ApiCall, Delivery
from sandbox.modals import Modals
from sandbox.model import Json
from sandbox.outcome import Outcome
from sandbox.person import Person
from sandbox.probe import Probed
from sandbox.scopes import DEFAULT
from sandbox.socket import Sockets
from sandbox.weather import Weather
from sandbox.webapi.route import WebApi
from sandbox.workspace import Workspace

T = TypeVar("T")
PAGE: Final = Path(__file__).parent / "page"
NO_PAGE: Final = "A sandbox Slack runs here; its page is not installed.\n"
BODY_LIMIT: Final = 4 * 1024 * 1024


class Sandbox:
    """A Slack workspace on 127.0.0.1.

    `port` 0 takes a free one. `bot_url` is where deliveries go (settable at any time); while a socket is connected they go
    there instead. `strict_rate`: Slack's tiers, and one message per second and channel, else 429. `scopes`: of the bot token
    (`scopes.DEFAULT`). `enterprise`: "workspace" of an organisation, or installed in the "org" itself. `ack_seconds`: how long the app may take to
    answer. `retry_delays`: seconds before each further try of an event. Use as an async context manager.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        bot_url: str | None = None,
        clock: Clock | None = None,
        bot_token: str = seed.BOT_TOKEN,
        app_token: str = seed.APP_TOKEN,
        signing_secret: str = seed.SIGNING_SECRET,
        strict_rate: bool = False,
        scopes: Iterable[str] | None = None,
        enterprise: Enterprise = None,
        ack_seconds: float = 3.0,
        retry_delays: tuple[float, ...] = (0.0, 60.0, 300.0),
    ) -> None:
        self._address = (host, port)
        settings = Settings(
            bot_token=bot_token,
            app_token=app_token,
            signing_secret=signing_secret,
            strict_rate=strict_rate,
            scopes=DEFAULT if scopes is None else frozenset(scopes),
            enterprise=enterprise,
            ack_seconds=ack_seconds,
            retry_delays=retry_delays,
        )
        self._core = cores.make(settings, clock or SystemClock(), bot_url)
        self.sockets = Sockets(self._core)
        self._deliverer = Deliverer(self._core, self.sockets)
        self.hands = Hands(self._core, self._deliverer)
        self._modals = Modals(self.hands)
        self._runner: web.AppRunner | None = None

    # -- life ---------------------------------------------------------------------------------------------------
    async def start(self) -> None:
        await self._deliverer.start()
        self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=1.0, handle_signals=False)
        await self._runner.setup()
        host, port = self._address
        await web.TCPSite(self._runner, host, port).start()
        self._core.url = f"http://{host}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        self.workspace.close()
        await self.sockets.close()
        await self._deliverer.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    # -- addresses and secrets ----------------------------------------------------------------------------------
    @property
    def url(self) -> str:
        """Without a slash at the end."""
        return self._core.url

    @property
    def api_url(self) -> str:
        """What SLACK_API_URL must be: with a slash at the end."""
        return f"{self._core.url}/api/"

    @property
    def bot_url(self) -> str | None:
        return self._core.bot_url

    @bot_url.setter
    def bot_url(self, url: str | None) -> None:
        self._core.bot_url = url

    @property
    def bot_token(self) -> str:
        return self._core.settings.bot_token

    @property
    def app_token(self) -> str:
        return self._core.settings.app_token

    @property
    def signing_secret(self) -> str:
        return self._core.settings.signing_secret

    # -- looking and acting -------------------------------------------------------------------------------------
    @property
    def workspace(self) -> Workspace:
        return self._core.workspace

    @property
    def faults(self) -> Faults:
        return self._core.faults

    @property
    def weather(self) -> Weather:
        """What happens to deliveries on their way."""
        return self._core.weather

    @property
    def calls(self) -> list[ApiCall]:
        """Every call of the Web API, oldest first."""
        return self._core.calls

    @property
    def deliveries(self) -> list[Delivery]:
        """Everything that was sent to the app, oldest first."""
        return self._core.deliveries

    def person(self, user_id: str) -> Person:
        """Somebody to act as; raises Impossible for bots and the deactivated."""
        return Person(self.hands.user(user_id).id, self.hands, self._modals)

    async def send_event(self, body: Json) -> Outcome:
        """Send the app any event of the Events API, e.g. `{"type": "app_uninstalled"}`."""
        return await self.hands.send_event(body)

    async def probe(self) -> Probed:
        """Ask the app what Slack asks: the challenge of the Events API, and the probe of a slash command."""
        return await probes.probe(self._deliverer)

    async def wait_for(self, look: Callable[[Workspace], T], *, timeout: float = 10.0) -> T:  # noqa: ASYNC109 - tests read best with it
        """Wait until `look(workspace)` is truthy; looks again after every change, call and delivery. Raises TimeoutError."""
        return await self.workspace.wait_for(look, timeout=timeout)

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=BODY_LIMIT)
        api = WebApi(self._core)
        app.router.add_get("/api/{method}", api.handle)
        app.router.add_post("/api/{method}", api.handle)
        app.router.add_post("/respond/{id}", self._core.responses.handle)
        app.router.add_get("/link/", self.sockets.handle)
        app.router.add_get("/archives/{channel}/{ts}", _index)  # a permalink: the page opens at this message
        app.add_routes(Control(self.hands, self._modals, self.sockets).routes())
        app.router.add_get("/", _index)
        if PAGE.is_dir():
            app.router.add_static("/", PAGE)
        return app


async def _index(_: web.Request) -> web.StreamResponse:
    index = PAGE / "index.html"
    return web.FileResponse(index) if index.is_file() else web.Response(text=NO_PAGE)
