"""The use cases: what can be done with interactions, whatever door it comes through. Knows no Slack, HTTP or SQL."""

from bot.usecases.answering import Answering
from bot.usecases.deciding import Deciding
from bot.usecases.hosting import Hosting
from bot.usecases.operating import Operating
from bot.usecases.working import Working


class Service(Hosting, Working, Deciding, Answering, Operating):
    """One per process."""
