"""DBOS: a durable workflow in `recv_async`, woken by `send_async`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dbos import DBOS, DBOSConfig, SetWorkflowID

from bench.peers.harness import Candidate, Effects, main


class Workflows:
    def __init__(self, effects: Effects) -> None:
        self._effects = effects

        @DBOS.workflow()
        async def wait_for_a_person(number: int) -> str:
            answer = await DBOS.recv_async("answer", timeout_seconds=3600)
            effects.happened(number)
            return str(answer)

        self._workflow = wait_for_a_person

    async def start(self, number: int) -> None:
        with SetWorkflowID(f"run-{number}"):
            await DBOS.start_workflow_async(self._workflow, number)

    async def decide(self, number: int) -> None:
        await DBOS.send_async(f"run-{number}", "approved", "answer")


@asynccontextmanager
async def opened(database: str, effects: Effects) -> AsyncIterator[Candidate]:
    config: DBOSConfig = {"name": "bench", "system_database_url": database, "log_level": "ERROR"}
    DBOS(config=config)
    workflows = Workflows(effects)
    DBOS.launch()
    try:
        yield workflows
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    main(opened)
