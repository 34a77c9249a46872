"""What this process has seen of copies: saves a look at the database after most clicks. Knowing nothing is no fault."""

from collections import OrderedDict
from datetime import datetime

#: Copies remembered; the one seen longest ago is forgotten first.
MOST = 20_000

#: Interaction id, channel and ts of one message.
Place = tuple[str, str, str]


class Copies:
    """One per process. The database knows them all, and decides; this only spares asking it."""

    def __init__(self) -> None:
        self._painted: OrderedDict[Place, datetime | None] = OrderedDict()

    def saw(self, place: Place) -> None:
        """It has a row."""
        self._put(place, self._painted.get(place))

    def painted(self, place: Place, *, read_at: datetime) -> None:
        """It shows the state that was read then, or a newer one."""
        self._put(place, read_at)

    def knows(self, place: Place) -> bool:
        return place in self._painted

    def shows(self, place: Place, *, since: datetime) -> bool:
        """Whether it was painted from a state read at that instant or later."""
        read_at = self._painted.get(place)
        return read_at is not None and read_at >= since

    def _put(self, place: Place, read_at: datetime | None) -> None:
        self._painted[place] = read_at
        self._painted.move_to_end(place)
        if len(self._painted) > MOST:
            self._painted.popitem(last=False)
