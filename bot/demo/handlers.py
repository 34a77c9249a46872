"""The deploy of the demo, as a handler: what `signoff-bot serve --app MODULE` loads."""

import asyncio

import click

from bot.resume import Resumed, on_resume


@on_resume("deploy")
async def deploy(resumed: Resumed) -> None:
    """Claim, and run only on `execute`; the card follows what is reported."""
    async with resumed.execution(worker="demo") as action:
        if not action.execute:
            click.echo(f"  deploy   is {resumed.interaction.state}, nothing runs")
            return
        click.echo(f"  deploy   is allowed, and runs {action.input}")
        for zone in (1, 2, 3):
            await action.running(f"Zone {zone} of 3 is live")
            await asyncio.sleep(2)
    click.echo("  deploy   is done")
