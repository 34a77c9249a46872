"""`signoff-bot` on a machine whose wall clock is set while it runs: `STEP` names a file with seconds that it is ahead.

Only what reads the wall clock is touched; the database's clock and the monotonic one go on as they are.
"""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apscheduler.schedulers.base

import bot.clock
from bot.cli import main

_FILE = Path(os.environ["STEP"])


class Stepped(datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz or UTC) + timedelta(seconds=float(_FILE.read_text() or 0))


if __name__ == "__main__":
    apscheduler.schedulers.base.datetime = Stepped
    bot.clock.datetime = Stepped
    main()
