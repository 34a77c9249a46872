"""How often a worker repeats a call that nobody answers, by a clock that is given."""

import json

import pytest

from signoff.errors import Refused, Unreachable
from signoff.runtime import Pace
from signoff.runtime.work import Work


class Time:
    """Goes on only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def pace(self) -> Pace:
        async def sleep(seconds: float) -> None:
            self.now += seconds

        return Pace(clock=lambda: self.now, sleep=sleep, jitter=lambda: 0.0)


class Server:
    """Answers with these, one after the other; None is no answer. The last one stays."""

    def __init__(self, *answers: tuple[int, object] | None) -> None:
        self.answers = list(answers)
        self.bodies: list[bytes | None] = []

    async def call(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        self.bodies.append(body)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            raise ConnectionRefusedError("nobody there")
        return answer[0], json.dumps(answer[1]).encode()


DONE = (200, {"run": {"run_id": "r"}})
UNCONFIRMED = (503, {"code": "unconfirmed", "detail": "Not confirmed."})
INCIDENT = (500, {"code": "internal", "detail": "Something went wrong."})
LOST = (409, {"code": "lease_lost", "detail": "This lease is lost."})


def work(server: Server, time: Time, *, retry_for: float = 10.0) -> Work:
    return Work(server.call, worker="w", pace=time.pace(), retry_for=retry_for)


@pytest.mark.parametrize("failure", [None, UNCONFIRMED, INCIDENT], ids=["lost", "unconfirmed", "incident"])
async def test_a_checkpoint_without_an_answer_is_sent_again_as_it_was(failure) -> None:
    server, time = Server(failure, failure, DONE), Time()

    run = await work(server, time).checkpoint("r", "t", state={"a": 1})

    assert run.run_id == "r"
    assert len(server.bodies) == 3
    assert len(set(server.bodies)) == 1


async def test_a_checkpoint_is_given_up_when_its_time_is_over() -> None:
    server, time = Server(None), Time()

    with pytest.raises(Unreachable):
        await work(server, time, retry_for=10).checkpoint("r", "t", state=1)

    assert 5 < time.now <= 10


async def test_what_is_refused_is_not_sent_again() -> None:
    server = Server(LOST)

    with pytest.raises(Refused, match="lease is lost"):
        await work(server, Time()).checkpoint("r", "t", state=1)

    assert len(server.bodies) == 1


async def test_a_finish_is_sent_until_it_is_answered_however_long_that_takes() -> None:
    server, time = Server(*[None] * 200, DONE), Time()

    await work(server, time, retry_for=1).finish("r", "t", outcome=None)

    assert time.now > 150
    assert len(set(server.bodies)) == 1
