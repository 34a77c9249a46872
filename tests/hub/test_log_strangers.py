"""The log of malformed requests: one line of information each."""

import logging

import pytest
from aiohttp import http_exceptions

from bot.log import _Strangers


def record(error: Exception) -> logging.LogRecord:
    info = (type(error), error, None)
    return logging.LogRecord("aiohttp.server", logging.ERROR, __file__, 1, "Error handling request", (), info)


def test_what_a_stranger_caused_is_information_without_a_traceback() -> None:
    said = record(http_exceptions.BadStatusLine("x"))

    assert _Strangers().filter(said)

    assert (said.levelname, said.exc_info, said.getMessage()) == ("INFO", None, "request_malformed BadStatusLine")


@pytest.mark.parametrize("error", [RuntimeError("ours"), KeyError("ours")])
def test_a_fault_of_ours_keeps_its_traceback(error) -> None:
    said = record(error)

    assert _Strangers().filter(said)

    assert (said.levelname, said.exc_info[1]) == ("ERROR", error)
