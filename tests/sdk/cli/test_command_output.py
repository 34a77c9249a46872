"""The command's output passes through as it is, and a bounded, plain end of it stands on the card."""

import hashlib
import os
import signal
import sys

import pytest

from blocks import ids
from signoff.cli.plain import without_orders
from signoff.cli.spans import in_words, read_span
from signoff.cli.tables import cut
from signoff.cli.tail import MOST_CHARACTERS, Tail
from signoff.plain import one_line
from tests.e2e.house import plain
from tests.sdk.cli.test_command_approve import ASK, click


def python(source: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", source)


async def detail(here) -> str:
    return (await here.api("GET", "/v1/interactions")).json["items"][0]["execution"]["detail"]


async def test_megabytes_pass_whole_and_only_the_end_is_reported(here, machine) -> None:
    source = "import sys\nfor n in range(200_000): print(f'line {n} ' + 'x' * 60)\nsys.exit(5)"
    asking = await machine.start(*ASK, *python(source))
    await click(here, ids.APPROVE)

    said = await asking.ended()

    expected = "".join(f"line {n} {'x' * 60}\n" for n in range(200_000))
    assert said.code == 5
    assert hashlib.sha256(said.out.encode()).digest() == hashlib.sha256(expected.encode()).digest()
    reported = (await detail(here)).split("\n")
    assert reported[0].startswith("exit code 5 after ")
    assert reported[1:] == [f"line {n} {'x' * 60}" for n in range(199_990, 200_000)]


async def test_hostile_bytes_pass_as_they_are_and_are_plain_on_the_card(here, machine) -> None:
    raw = r"b'\x1b[31mred\x1b[0m \xff\xfe \x00 \xe2\x80\xae backwards\n\x1b]0;title\x07<!channel> @here\n10%\r50%\r100%\n'"
    asking = await machine.start(*ASK, *python(f"import sys; sys.stdout.buffer.write({raw})"))
    card = await click(here, ids.APPROVE)

    said = await asking.ended()
    reported = (await detail(here)).split("\n")[1:]

    assert said.code == 0
    assert "\x1b[31mred\x1b[0m" in said.out
    assert reported == ["red \ufffd\ufffd  ⟦U+202E⟧ backwards", "<!channel> @here", "100%"]
    await here.shows(card, "<!channel> @here")
    assert "\x1b" not in plain(card)


async def test_secrets_of_the_environment_stand_on_no_card(here, machine) -> None:
    script = "import os; print('token', os.environ['DEPLOY_TOKEN'], os.environ['SIGNOFF_KEY'])"
    asking = await machine.start(*ASK, *python(script), DEPLOY_TOKEN="hunter2hunter2")
    await click(here, ids.APPROVE)

    said = await asking.ended()

    assert said.code == 0
    assert (await detail(here)).split("\n")[1:] == ["token ••• •••"]


async def test_without_a_tail_no_output_is_reported(here, machine) -> None:
    asking = await machine.start(*ASK, "--tail", "0", "--", "echo", "secret")
    await click(here, ids.APPROVE)

    assert (await asking.ended()).out == "secret\n"
    assert "secret" not in await detail(here)


async def test_a_command_that_cannot_start_is_reported_failed(here, machine) -> None:
    asking = await machine.start(*ASK, "--", "no-such-command", "x")
    card = await click(here, ids.APPROVE)

    said = await asking.ended()

    assert said.code == 127
    assert "no-such-command could not be started: there is no such command" in said.lines
    await here.shows(card, "Failed")
    await here.shows(card, "no such command")


async def test_what_a_command_leaves_running_is_not_waited_for(here, machine) -> None:
    asking = await machine.start(*ASK, "--", "sh", "-c", "sleep 60 & echo $! > left; echo done")
    await click(here, ids.APPROVE)

    said = await asking.ended()
    os.kill(int((machine.folder / "left").read_text()), signal.SIGKILL)

    assert (said.code, said.out) == (0, "done\n")


async def test_with_json_the_output_of_the_command_goes_to_standard_error(here, machine) -> None:
    asking = await machine.start(*ASK, "--json", "--", "echo", "hello")
    await click(here, ids.APPROVE)

    said = await asking.ended()

    assert said.out.startswith('{"id": "apr_')
    assert "hello" in said.err.splitlines()


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("2h", 7200), ("1h30m", 5400), ("1d", 86400)])
def test_spans_are_read(text, seconds) -> None:
    assert read_span(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "2 h", "-1h", "1w", "h", "1.5h", "２h"])
def test_what_is_no_span_is_refused(text) -> None:
    with pytest.raises(ValueError, match="no span of time"):
        read_span(text)


def test_spans_are_said_in_two_units() -> None:
    assert [in_words(each) for each in (0, 42, 61, 3600, 5400, 90061)] == [
        "0 s", "42 s", "1 min 1 s", "1 h", "1 h 30 min", "1 d 1 h",
    ]  # fmt: skip


def test_a_tail_is_bounded_whatever_comes() -> None:
    tail = Tail(lines=100)
    for _ in range(1000):
        tail.feed(b"\xf0\x9f\x98\x80" * 1000)

    assert len(tail.text()) <= MOST_CHARACTERS
    assert len(b"".join(tail._kept)) < 32_768


def test_text_is_one_line_and_hides_nothing() -> None:
    assert one_line("a\n\tb\x07\u2066c") == "a b⟦U+0007⟧⟦U+2066⟧c"
    assert without_orders("a\x1b[1mb\x9b2Jc\x1b(Bd") == "abcd"


def test_cutting_counts_columns() -> None:
    assert cut("日本語です", 5) == "日本…"
