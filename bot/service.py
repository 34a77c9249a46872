"""The use cases: what can be done with interactions, whatever door it comes through. Knows no Slack, HTTP or SQL."""

from bot.usecases.answering import Answering
from bot.usecases.asking import Asking
from bot.usecases.deciding import Deciding
from bot.usecases.ending import Ending
from bot.usecases.operating import Operating
from bot.usecases.running import Running


class Service(Asking, Deciding, Answering, Running, Ending, Operating):
    """One per process."""
