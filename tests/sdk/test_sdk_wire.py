"""When a request is sent again, and when it is not: the flow alone, with a clock that tests move."""

import json

import pytest

from signoff import errors
from signoff.flows import POLL, claim, wait
from signoff.reading import call
from signoff.types import Me
from signoff.wire import FIRST_PATIENCE, SLACK, Lost, Pause, Reply, Request, Wire, exchange
from tests.sdk.answers import approval

READ = Request(method="GET", path="/v1/me")
DECIDE = Request(method="POST", path="/v1/approvals/apr_1/decide", body=b"{}", is_repeatable=False)
LOST = Lost(why="the connection was reset", was_sent=True)
REFUSED = Lost(why="connection refused", was_sent=False)
OK = Reply(status=200, headers={}, body=b"{}")


def problem(status, code, **headers):
    body = json.dumps({"code": code, "detail": "Words.", "status": status}).encode()
    return Reply(status=status, headers={"content-type": "application/problem+json", **headers}, body=body)


class Course:
    """A flow driven by hand: `hears` answers its next request and passes its pauses, which take their time."""

    def __init__(self, *, has_heard=True, chance=0.0, patience=60.0) -> None:
        self.now = 100.0
        self.wire = Wire(
            url="http://so", clock=lambda: self.now, chance=lambda: chance, patience=patience, has_heard=has_heard
        )
        self.pauses = []
        self.sent = []

    def drive(self, flow, *heard):
        replies = iter(heard)
        step = next(flow)
        try:
            while True:
                if isinstance(step, Pause):
                    self.pauses.append(step.seconds)
                    self.now += step.seconds
                    step = flow.send(None)
                else:
                    self.sent.append(step)
                    reply = next(replies)
                    step = flow.send(reply(self) if callable(reply) else reply)
        except StopIteration as ended:
            return ended.value

    def after(self, seconds, reply):
        def later(_):
            self.now += seconds
            return reply

        return later


def test_a_lost_reply_is_asked_for_again_later_and_later() -> None:
    course = Course()

    assert course.drive(exchange(course.wire, READ), LOST, LOST, REFUSED, problem(503, "unconfirmed"), OK) is OK

    assert course.pauses == [0.1, 0.2, 0.4, 0.8]
    assert course.sent == [READ] * 5


def test_delays_are_cut_by_chance_so_that_not_all_come_back_at_once() -> None:
    course = Course(chance=0.5)

    course.drive(exchange(course.wire, READ), LOST, LOST, OK)

    assert course.pauses == pytest.approx([0.075, 0.15])


def test_delays_stop_growing_and_patience_ends() -> None:
    course = Course(patience=30)

    with pytest.raises(errors.Unreachable, match="reset"):
        course.drive(exchange(course.wire, READ), *[LOST] * 20)

    assert max(course.pauses) == 5.0
    assert 25 <= sum(course.pauses) <= 30


def test_a_client_that_never_heard_anything_gives_up_sooner() -> None:
    course = Course(has_heard=False)

    with pytest.raises(errors.Unreachable):
        course.drive(exchange(course.wire, READ), *[REFUSED] * 20)

    assert sum(course.pauses) <= FIRST_PATIENCE


def test_what_may_not_arrive_twice_is_repeated_only_where_it_never_arrived() -> None:
    course = Course()

    assert course.drive(exchange(course.wire, DECIDE), REFUSED, OK) is OK
    with pytest.raises(errors.Unreachable):
        course.drive(exchange(course.wire, DECIDE), LOST)
    unconfirmed = problem(503, "unconfirmed")
    assert course.drive(exchange(course.wire, DECIDE), unconfirmed) is unconfirmed


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 500])
def test_what_was_answered_is_not_asked_again(status) -> None:
    course = Course()

    assert course.drive(exchange(course.wire, READ), problem(status, "x")).status == status

    assert course.pauses == []


def test_retry_after_is_kept_to_and_does_not_outlast_patience() -> None:
    course = Course()
    slow = problem(429, "too_many_tries", **{"retry-after": "7"})

    assert course.drive(exchange(course.wire, DECIDE), slow, OK) is OK
    assert course.pauses == [7.0]

    never = problem(429, "too_many_tries", **{"retry-after": "61"})
    assert course.drive(exchange(course.wire, READ), never) is never


def test_a_wait_asks_in_long_polls_up_to_its_end() -> None:
    course = Course()
    pending = Reply(status=200, headers={}, body=approval(state="pending"))

    with pytest.raises(errors.StillWaiting):
        course.drive(
            wait(course.wire, "apr_1", timeout=60.5),
            course.after(POLL, pending),
            course.after(10, pending),
            course.after(0, pending),
        )

    assert [request.query for request in course.sent] == [(("wait", "50"),), (("wait", "10"),), ()]
    assert [request.timeout for request in course.sent] == [POLL + SLACK, 10 + SLACK, SLACK]
    assert course.now == pytest.approx(160.5)


def test_a_server_that_answers_a_wait_at_once_is_not_asked_in_a_tight_loop() -> None:
    course = Course()
    pending = Reply(status=200, headers={}, body=approval(state="pending"))
    approved = Reply(status=200, headers={}, body=approval(state="approved"))

    found = course.drive(wait(course.wire, "apr_1", timeout=None), pending, pending, approved)

    assert (found.state, course.pauses) == ("approved", [1.0, 1.0])


def test_a_wait_outlasts_a_server_that_is_away_for_minutes() -> None:
    course = Course()
    approved = Reply(status=200, headers={}, body=approval(state="approved"))

    found = course.drive(wait(course.wire, "apr_1", timeout=None), *[REFUSED] * 50, approved)

    assert found.state == "approved"
    assert sum(course.pauses) > 200


def test_a_claim_is_repeated_in_the_same_words() -> None:
    course = Course()
    claimed = b'{"claimed": true, "execute": true, "claim_id": "c1", "approval": %s}' % approval(state="approved")

    course.drive(
        claim(course.wire, "apr_1", claim_id="c1", terms={"digest": "d"}),
        LOST,
        Reply(status=200, headers={}, body=claimed),
    )

    assert course.sent[0] == course.sent[1]


def test_fields_of_a_newer_server_are_passed_over() -> None:
    course = Course()
    body = b'{"tenant": "t", "name": "ci", "scopes": ["ask", "fly"], "policies": [], "colour": {"is": "blue"}}'

    found = course.drive(call(course.wire, READ, Me), Reply(status=200, headers={}, body=body))

    assert found == Me(tenant="t", name="ci", scopes=("ask", "fly"))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(status=200, headers={}, body=b"<html>hello"), "cannot read"),
        (Reply(status=200, headers={}, body=b"[]"), "cannot read"),
        (Reply(status=200, headers={}, body=b'{"a":' * 100_000), "cannot read"),
        (Reply(status=301, headers={"location": "https://so"}, body=b"moved"), "301 as Signoff does not"),
        (Reply(status=404, headers={"content-type": "text/html"}, body=b"<html>no"), "404 as Signoff does not"),
        (Reply(status=404, headers={"content-type": "application/problem+json"}, body=b"no"), "cannot be read"),
    ],
)
def test_whoever_is_not_signoff_is_told_apart(reply, words) -> None:
    course = Course()

    with pytest.raises(errors.BadReply, match=words):
        course.drive(call(course.wire, READ, Me), reply)


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (401, "unauthorized", errors.Unauthorized),
        (403, "policy", errors.Forbidden),
        (404, "not_found", errors.NotFound),
        (409, "conflict", errors.Conflict),
        (409, "resolved", errors.AlreadyResolved),
        (409, "digest_mismatch", errors.DigestMismatch),
        (409, "not_claimant", errors.NotClaimant),
        (422, "invalid", errors.Invalid),
        (500, "internal", errors.Refused),
        (418, "of_a_newer_server", errors.Refused),
    ],
)
def test_a_problem_is_the_error_of_its_code(status, code, error) -> None:
    course = Course()

    with pytest.raises(error, match=rf"^Words\. \({status} {code}\)") as refused:
        course.drive(call(course.wire, READ, Me), problem(status, code))

    assert type(refused.value) is error
