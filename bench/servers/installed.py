"""`serve` as it is where only its own packages are installed: structlog loads rich, a development package, if it can."""

import sys

sys.modules["rich"] = None  # type: ignore[assignment]

from bot.cli import main  # noqa: E402  # after what it must not find

if __name__ == "__main__":
    main(["serve"])
