"""Trigger ids: the right to open a modal for the person who just did something. Three seconds, once."""

from dataclasses import dataclass, field
from typing import Final

from sandbox.clock import Clock
from sandbox.ids import Ids
from sandbox.refusal import Refusal

LIFE: Final = 3.0


@dataclass(slots=True)
class _Trigger:
    user: str
    born: float
    view_id: str | None
    used: bool = False


@dataclass(slots=True)
class Triggers:
    """Trigger ids that were sent to the app."""

    clock: Clock
    ids: Ids
    _known: dict[str, _Trigger] = field(default_factory=dict, init=False)

    def mint(self, user: str, *, view_id: str | None = None) -> str:
        """A new id for `user`; `view_id`: the modal in which the person acted."""
        made = self.ids.trigger_id()
        self._known[made] = _Trigger(user=user, born=self.clock.now(), view_id=view_id)
        return made

    def spend(self, trigger_id: str) -> tuple[str, str | None]:
        """Use it up: (user, the modal it came from). Raises Slack's three refusals."""
        trigger = self._known.get(trigger_id)
        if trigger is None:
            raise Refusal("invalid_trigger_id")
        if trigger.used:
            raise Refusal("exchanged_trigger_id")
        if self.clock.now() - trigger.born > LIFE:
            raise Refusal("expired_trigger_id")
        trigger.used = True
        return trigger.user, trigger.view_id
