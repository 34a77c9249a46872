"""Names of an operator's, looked up in Slack: the only part of `signoff-bot policy` that needs it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import click

from bot.listed import Listed
from bot.policy_names import Resolved, names_channels, names_people, with_ids
from bot.policy_options import IDS, Said
from bot.settings import HalfConfigured, load_slack_settings
from bot.slack.client import Failed, SlackClient, Trouble, open_session
from bot.slack.roster import Roster, TooMany, Unlisted

_OR_IDS = f"or write the id, which needs no Slack ({IDS})"


@dataclass(frozen=True, kw_only=True, slots=True)
class LookedUp:
    """`team`: the workspace that was asked, by id."""

    team: str
    resolved: Resolved


async def look_up(said: Said) -> LookedUp:
    """Raises HalfConfigured: no token, no answer, or a name that means nobody or more than one."""
    settings = load_slack_settings()
    token = settings.slack_bot_token.get_secret_value()
    if not token:
        raise HalfConfigured(
            f"names with @ and # are looked up in Slack: set SLACK_BOT_TOKEN as for `signoff-bot serve`, {_OR_IDS}"
        )
    async with open_session() as session:
        client = SlackClient(token=token, base_url=settings.slack_api_url, session=session)
        try:
            team, known = await _read(Roster(client, pause=_pause), said)
        except Unlisted as refused:
            raise HalfConfigured(_why(refused.failed)) from refused
        except TooMany as many:
            raise HalfConfigured(
                f"Slack lists more {many} here than are looked through, so names stay in doubt; write the id ({IDS})"
            ) from many
    return LookedUp(team=team, resolved=with_ids(said, known))


async def _read(roster: Roster, said: Said) -> tuple[str, Sequence[Listed]]:
    """Only what is named is listed: each list takes a scope of its own."""
    team = await roster.team()
    known: list[Listed] = []
    if names_people(said):
        known += [*await roster.groups(team), *await roster.people(team)]
    if names_channels(said):
        known += await roster.channels(team)
    return team, known


async def _pause(seconds: float) -> None:
    click.echo(f"Slack asks to wait {seconds:g} s", err=True)
    await asyncio.sleep(seconds)


def _why(failed: Failed) -> str:
    if failed.trouble in {Trouble.DOWN, Trouble.RETRY}:
        return f"Slack does not answer {failed.method} {failed.error}: try again, {_OR_IDS}"
    if failed.trouble is Trouble.LIMITED:
        return f"Slack is asked too often just now ({failed.method}): try again in a minute, {_OR_IDS}"
    if failed.needed is not None:
        again = "Update the app's manifest and reinstall the app"
        return f"Slack: {failed.method} takes the scope {failed.needed}. {again}, {_OR_IDS}"
    return f"Slack: {failed.method} says {failed.error}. Check SLACK_BOT_TOKEN, {_OR_IDS}"
