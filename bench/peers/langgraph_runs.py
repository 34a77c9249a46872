"""LangGraph: a node that interrupts, its Postgres checkpointer; whoever decides resumes it in place."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bench.peers.harness import Candidate, Effects, main


class State(TypedDict):
    number: int
    answer: str


class Threads:
    def __init__(self, saver: AsyncPostgresSaver, effects: Effects) -> None:
        def ask(state: State) -> dict[str, str]:
            answer = interrupt("Approve?")
            effects.happened(state["number"])
            return {"answer": answer}

        graph = StateGraph(State)
        graph.add_node("ask", ask)
        graph.add_edge(START, "ask")
        graph.add_edge("ask", END)
        self._graph: Any = graph.compile(checkpointer=saver)

    async def start(self, number: int) -> None:
        await self._graph.ainvoke({"number": number, "answer": ""}, _thread(number))

    async def decide(self, number: int) -> None:
        await self._graph.ainvoke(Command(resume="approved"), _thread(number))


def _thread(number: int) -> RunnableConfig:
    return {"configurable": {"thread_id": f"run-{number}"}}


@asynccontextmanager
async def opened(database: str, effects: Effects) -> AsyncIterator[Candidate]:
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(database, min_size=16, max_size=16, kwargs=options, open=False) as pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        yield Threads(saver, effects)


if __name__ == "__main__":
    main(opened)
