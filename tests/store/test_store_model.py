"""Random lives of asks, step by step: memory, SQLite and Postgres agree with a small model of the design, and with each
other. `CI`: many; otherwise a sample.
"""

import asyncio
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.store.model.machine import Machine
from tests.store.model.trio import Trio

BATCHES = range(4 if os.environ.get("CI") else 1)
LIVES = 50 if os.environ.get("CI") else 20
SETTINGS = settings(
    max_examples=LIVES,
    stateful_step_count=50,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def trio(tmp_path, postgres_url) -> Iterator[Trio]:
    with asyncio.Runner() as runner:
        opened = Trio(runner, f"sqlite:///{tmp_path}/store.db", postgres_url)
        yield opened
        opened.close()


@pytest.mark.timeout(600)  # what fails is made small first, which takes its time
@pytest.mark.parametrize("batch", BATCHES)
def test_three_stores_agree_with_the_model_after_every_step(trio: Trio, batch: int) -> None:
    @seed(batch)
    class Lives(Machine):
        pass

    Lives.trio = trio
    run_state_machine_as_test(Lives, settings=SETTINGS)
