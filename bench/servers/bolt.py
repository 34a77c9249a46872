"""Bolt behind its own aiohttp adapter: what Bolt itself costs.

`python -m bench.servers.bolt ack|ack-defaults|decide-defaults`: our settings or Bolt's own; a listener that only
acknowledges, or that decides through our use cases first.
"""

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult

from bench.servers.listening import serve
from blocks import ids
from bot.settings import load_settings
from bot.slack.payloads import parse_click
from bot.wiring import running
from sandbox import seed
from store.outcomes import Decided
from store.types import Decision, Surface

Listener = Callable[..., Awaitable[None]]
#: What `bot/slack/app.py` gives to Bolt; the signature stays with Bolt, as there is no front here.
_OURS = {
    "process_before_response": True,
    "ssl_check_enabled": False,
    "url_verification_enabled": False,
    "attaching_function_token_enabled": False,
    "attaching_conversation_kwargs_enabled": False,
}


async def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
    return AuthorizeResult(
        enterprise_id=enterprise_id,
        team_id=team_id,
        bot_id=seed.BOT_ID,
        bot_user_id=seed.BOT_USER,
        bot_token=os.environ["SLACK_BOT_TOKEN"],
    )


async def only_ack(ack: Callable[..., Awaitable[Any]]) -> None:
    await ack()


async def deciding(stack: AsyncExitStack) -> Listener:
    house = await stack.enter_async_context(running(load_settings(), web_side=False, worker=False))

    async def decide(ack: Callable[..., Awaitable[Any]], body: dict[str, Any]) -> None:
        click = parse_click(body, at=house.service._clock.now())
        target = ids.decode(click.choice or "")
        assert target is not None
        outcome = await house.service.decide(
            tenant="default",
            id=target.id,
            person=click.origin.person,
            decision=Decision.ALLOW_ONCE,
            at=click.origin.at,
            surface=Surface.CARD,
        )
        assert isinstance(outcome, Decided)
        assert not outcome.already_resolved
        await ack()

    return decide


async def main(kind: str) -> None:
    async with AsyncExitStack() as stack:
        listener = await deciding(stack) if kind.startswith("decide") else only_ack
        given: dict[str, Any] = {} if kind.endswith("defaults") else _OURS
        bolt = AsyncApp(signing_secret=os.environ["SLACK_SIGNING_SECRET"], authorize=authorize, **given)
        bolt.action(re.compile(""))(listener)
        await serve(bolt.web_app("/slack/events"))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
