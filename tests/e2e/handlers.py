"""Handlers that the end-to-end tests load as `--app` does; each records what it was handed."""

from bot.resume import Resumed, on_resume

RAN: list[tuple[str, bool]] = []
TOLD: list[tuple[str, str]] = []


@on_resume("deploy")
async def deploy(resumed: Resumed) -> None:
    async with resumed.execution(worker="handler") as action:
        RAN.append((resumed.interaction.id, action.execute))


@on_resume("breaks")
async def breaks(resumed: Resumed) -> None:
    async with resumed.execution(worker="handler"):
        raise RuntimeError("zone 1 is not healthy")


@on_resume("report")
async def report(resumed: Resumed) -> None:
    TOLD.append((resumed.interaction.id, str(resumed.interaction.state)))
