"""What the exit codes of `signoff` mean. A command that ran gives its own instead."""

from enum import IntEnum

#: Added to the number of a signal, as shells do.
SIGNALLED = 128


class Exit(IntEnum):
    YES = 0
    ERROR = 1
    USAGE = 2
    DENIED = 10
    EXPIRED = 11
    WITHDRAWN = 12
    ALREADY_RAN = 13
    STILL_WAITING = 14
    #: The command could not be started, in the numbers that shells use.
    NOT_EXECUTABLE = 126
    NOT_FOUND = 127
