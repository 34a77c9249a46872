"""All that was asked, and what the design says becomes of it. Each call returns what the caller is to be told."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.store.model.life import MINUTE, Claim, Life, Line, Run, Shape, opening

WAKES = (MINUTE, 5 * MINUTE, 30 * MINUTE)


@dataclass
class Stopped:
    tenant: str
    id: str
    tool: str | None
    at: datetime

    def names(self, tool: str | None) -> bool:
        if self.tool is None or tool is None:
            return self.tool is None
        return tool.startswith(self.tool[:-1]) if self.tool.endswith("*") else tool == self.tool


@dataclass
class World:
    now: datetime
    lives: dict[str, Life] = field(default_factory=dict)
    stops: list[Stopped] = field(default_factory=list)

    # --- asking

    def ask(self, life: Life) -> object:
        """It is new: whoever asks again is answered by `ask_again`."""
        old = self.lives.get(life.replaces or "")
        if old is not None and not self._gives_way(old, life):
            return "AlreadyResolved"
        shape = life.shape
        life.lines = [Line("card", "C0DEPLOY"), Line("card", "U0ANA", channel=None)]
        life.said = ["created"]
        if shape.reminded_after is not None:
            life.timers["remind"] = (life.asked + shape.reminded_after, 0)
        if shape.steps:
            life.timers["escalate"] = (life.asked + shape.steps[0], 0)
        self._warn_later(life, 0)
        self.lives[life.id] = life
        return True

    def _gives_way(self, old: Life, new: Life) -> bool:
        """What is pending is replaced; what ended without a person's word, or without a run, stays as it is."""
        if old.is_late(new.asked):
            old.expires()
            return True
        if old.is_pending:
            old.successor = new.id
            old.ends("superseded", new.asked, ("api_key", "key_ci"))
            return True
        if old.state == "approved":
            return old.claim is not None and not old.claim.execute
        return old.by == ("deadline", "") or old.state == "withdrawn"

    def ask_again(self, life: Life, content: str) -> object:
        return False if content == life.content else "Conflict"

    # --- deciding

    def vote(self, life: Life, who: str, choice: str, *, at: datetime, **said: str | None) -> object:
        """`said`: digest, feedback, edited."""
        if said.get("digest") not in {None, "digest"}:
            return "DigestMismatch"
        if not life.is_pending:
            return True
        if life.is_late(at):
            life.expires()
            return True
        before, why = life.votes.get(who), said.get("feedback")
        if before is not None and before[0] == choice and (why is None or why == before[2]):
            return False
        life.votes[who] = (choice, at, why)
        denies = choice == "deny"
        alike = sum((each == "deny") == denies for each, _, _ in life.votes.values())
        if alike < (life.shape.denials if denies else life.shape.quorum):
            life.happens("voted")
            return False
        life.decision, life.feedback, life.edited = choice, why, said.get("edited")
        life.ends("denied" if denies else "approved", at, ("slack_user", who))
        return False

    def take_back(self, life: Life, who: str, at: datetime) -> bool:
        if who not in life.votes:
            return False
        if life.is_late(at):
            life.expires()
            return False
        if life.is_pending:
            del life.votes[who]
            life.happens("vote_taken_back")
            return True
        if life.state != "approved" or life.claim is not None or not life.is_open(at) or life.votes[who][0] == "deny":
            return False
        life.votes[who] = ("deny", at, None)
        life.state, life.decision, life.feedback, life.edited = "denied", "deny", None, None
        life.ended = life.taken_back = at
        life.by = ("slack_user", who)
        if life.settled is None:
            life.opened = at
        life.happens("taken_back")
        life.tell_anew(at, is_other=True)
        return True

    def answer(self, life: Life, who: str, at: datetime) -> bool:
        """Whether it was resolved already."""
        if not life.is_pending:
            return True
        if life.is_late(at):
            life.expires()
            return True
        life.ends("answered", at, ("slack_user", who))
        return False

    def withdraw(self, life: Life, at: datetime) -> bool:
        if not life.is_pending:
            return False
        if life.is_late(at):
            life.expires()
            return False
        life.reason = "no longer needed"
        life.ends("withdrawn", at, ("api_key", "key_ci"))
        return True

    # --- time

    def extend(self, life: Life, who: str, at: datetime) -> bool:
        if life.is_late(at):
            life.expires()
            return False
        if not life.is_pending or life.deadline is None or life.shape.more is None or life.extended:
            return False
        life.deadline += life.shape.more
        life.extended, life.warned = (who, at, life.deadline), None
        life.happens("extended")
        self._warn_later(life, 1)
        return True

    def expire_due(self, limit: int) -> list[str]:
        late = [life for life in self.lives.values() if life.is_late(self.now)]
        late.sort(key=lambda life: (life.deadline, life.id))
        for life in late[:limit]:
            life.expires()
        return [life.id for life in late[:limit]]

    def ring_due(self, limit: int) -> list[str]:
        due = [
            (when, life.tenant, life.id, kind, turn)
            for life in self.lives.values()
            for kind, (when, turn) in life.timers.items()
            if when <= self.now
        ]
        rung = []
        for _, _, id_, kind, turn in sorted(due)[:limit]:
            life = self.lives[id_]
            del life.timers[kind]
            if life.is_pending and not life.is_late(self.now) and self._ring(life, kind, turn):
                rung.append(id_)
        return rung

    def _ring(self, life: Life, kind: str, turn: int) -> bool:
        now, shape = self.now, life.shape
        says = True
        if kind == "remind":
            assert shape.reminded_after is not None
            if shape.keeps_hours and opening(now) > now:
                life.timers["remind"] = (opening(now), turn)
                return False
            life.reminded.append(now)
            if turn + 1 < shape.reminders:
                life.timers["remind"] = (now + shape.reminded_after * 2 ** (turn + 1), turn + 1)
        elif kind == "escalate":
            life.hops.append((now, f"U0STEP{turn}"))
            if turn + 1 < len(shape.steps):
                life.timers["escalate"] = (life.asked + shape.steps[turn + 1], turn + 1)
        else:
            says = not life.reminded or now - life.reminded[-1] >= timedelta(hours=1)
            life.warned = now
        life.happens({"remind": "reminded", "escalate": "escalated", "warn": "warned"}[kind])
        if says:
            self._remind(life, only_new=kind == "escalate")
        return True

    def _remind(self, life: Life, *, only_new: bool) -> None:
        """Beside each card that stands; whoever has a card of their own is not told of others who may decide now."""
        turn = 1 + max((line.turn for line in life.lines if line.role == "reminder"), default=0)
        standing = [line for line in life.lines if line.role == "card" and line.ts is not None]
        standing = [line for line in standing if not only_new or line.address.startswith("C")]
        life.lines += [Line("reminder", str(line.channel), turn, thread_ts=line.ts) for line in standing]

    def _warn_later(self, life: Life, turn: int) -> None:
        """Half an hour before the deadline, or a quarter of the whole time; never where it is shorter than ten minutes."""
        if life.deadline is None or life.shape.is_question or life.deadline - life.asked < 10 * MINUTE:
            return
        life.timers["warn"] = (life.deadline - min(30 * MINUTE, (life.deadline - life.asked) / 4), turn)

    # --- running

    def claim(self, life: Life, claim_id: str, *, at: datetime, **said: object) -> object:
        """Claimed, execute, what stops it, whether the world has changed. `said`: digest, accepts, world, within."""
        if not life.is_unclaimed or claim_id in life.spent:
            return self._claimed_before(life, claim_id)
        if said["digest"] != life.digest and not (said["accepts"] and said["digest"] == "digest"):
            return "DigestMismatch"
        allows = life.state == "approved"
        stop = self.holding(life)
        if allows and stop is not None:
            return (False, False, stop.id, False)
        changed = life.shape.world is not None and said["world"] != life.shape.world
        execute = allows and life.is_open(at) and not changed
        life.claim = Claim(claim_id, at, execute)
        within = said["within"]
        if execute:
            promised = isinstance(within, int)
            life.run = Run("claimed", at, at, within if promised else None, None)
            life.run.due = at + timedelta(seconds=within) if isinstance(within, int) else None
        life.telling.due = life.telling.stuck = life.telling.stuck_due = None
        life.happens("claimed")
        return (True, execute, None, allows and changed)

    def _claimed_before(self, life: Life, claim_id: str) -> object:
        if life.claim is None or life.claim.id != claim_id:
            stop = self.holding(life) if life.state == "approved" and life.claim is None else None
            return (False, False, stop and stop.id, False)
        is_over = life.run is not None and life.run.status in {"succeeded", "failed", "unknown"}
        return (True, life.claim.execute and not is_over, None, None)

    def holding(self, life: Life) -> Stopped | None:
        held = [stop for stop in self.stops if stop.tenant == life.tenant and stop.names(life.shape.tool)]
        return min(held, key=lambda stop: (stop.at, stop.id), default=None)

    def report(self, life: Life, claim_id: str, *, status: str, detail: str | None, at: datetime) -> object:
        run = life.run
        if run is None or life.claim is None or life.claim.id != claim_id:
            return "NotClaimant"
        if (run.status, run.detail) == (status, detail):
            if run.due is not None:
                run.due = at + timedelta(seconds=run.within or 0)
            return "heard"
        if run.status in {"succeeded", "failed"}:
            return "NotClaimant"
        run.status, run.at, run.detail = status, at, detail
        goes_on = status == "running" and run.within is not None
        run.due = at + timedelta(seconds=run.within or 0) if goes_on else None
        life.happens("reported")
        return "heard"

    def mark_unknown(self, limit: int) -> list[str]:
        overdue = [life for life in self.lives.values() if life.run and life.run.due and life.run.due <= self.now]
        overdue.sort(key=lambda life: (life.run and life.run.due, life.tenant, life.id))
        for life in overdue[:limit]:
            assert life.run is not None
            assert life.run.due is not None
            life.run.status, life.run.at, life.run.due = "unknown", life.run.due, None
            life.happens("went_silent")
        return [life.id for life in overdue[:limit]]

    def settle(self, life: Life, who: str, *, happened: bool, at: datetime) -> bool:
        if life.run is None or life.run.status != "unknown" or life.claim is None:
            return False
        life.settled = (who, at, happened)
        if happened:
            life.run.status, life.run.at = "succeeded", at
            life.happens("settled")
            return True
        life.spent.append(life.claim.id)
        life.claim, life.run, life.opened = None, None, at
        life.happens("settled")
        life.tell_anew(at)
        return True

    # --- stopping

    def stop(self, stop: Stopped) -> str:
        """The id of the stop that holds."""
        for held in self.stops:
            if (held.tenant, held.tool) == (stop.tenant, stop.tool):
                return held.id
        self.stops.append(stop)
        for life in self._held_up(stop):
            life.want()
        return stop.id

    def go(self, tenant: str, tool: str | None, at: datetime) -> list[str]:
        ended = [stop for stop in self.stops if stop.tenant == tenant and tool in {None, stop.tool}]
        self.stops = [stop for stop in self.stops if stop not in ended]
        for stop in ended:
            for life in self._held_up(stop):
                life.want()
                if life.is_unclaimed:
                    life.tell_anew(at)
        return [stop.id for stop in sorted(ended, key=lambda stop: (stop.at, stop.id))]

    def _held_up(self, stop: Stopped) -> list[Life]:
        mine = (life for life in self.lives.values() if life.tenant == stop.tenant and not life.shape.is_question)
        return [life for life in mine if stop.names(life.shape.tool) and (life.is_pending or life.is_unclaimed)]

    # --- telling

    def _owes(self, life: Life) -> bool:
        """Whether there is something to be told, by somebody."""
        if life.is_pending or life.shape.resume == "pull":
            return False
        return life.is_unclaimed if life.state in {"approved", "denied"} else life.telling.told is None

    def lease(self, token: int, until: datetime, limit: int) -> list[str]:
        due = [
            life
            for life in self.lives.values()
            if life.telling.due and life.telling.due <= self.now and life.telling.is_free(self.now)
        ]
        due.sort(key=lambda life: (life.telling.due, life.tenant, life.id))
        for life in due[:limit]:
            life.telling.lease, life.telling.leased_until = token, until
        return [life.id for life in due[:limit]]

    def finish(self, life: Life, token: int) -> bool:
        told, now = life.telling, self.now
        if told.lease != token:
            return False
        told.lease = told.leased_until = None
        if told.stuck is not None:
            life.want()
        told.told, told.due, told.attempts, told.error, told.stuck, told.stuck_due = now, None, 0, None, None, None
        if life.is_unclaimed:
            ours = told.wakes - told.woken_from
            if ours < len(WAKES):
                told.wakes += 1
                life.owe(now + WAKES[ours])
            else:
                told.stuck_due = now + WAKES[-1]
        return True

    def fail(self, life: Life, token: int, due: datetime | None) -> bool:
        told = life.telling
        if told.lease != token:
            return False
        before = told.stuck
        told.lease = told.leased_until = None
        told.attempts, told.error = told.attempts + 1, "refused"
        told.due = told.stuck_due = None
        if life.claim is None:
            told.stuck = self.now if due is None else None
            if due is not None:
                life.owe(due)
        if told.stuck != before:
            life.want()
        return True

    def mark_stuck(self) -> list[str]:
        waits = [
            life
            for life in self.lives.values()
            if life.telling.stuck_due and life.telling.stuck_due <= self.now and life.telling.is_free(self.now)
        ]
        for life in waits:
            life.telling.stuck, life.telling.stuck_due = self.now, None
            life.want()
        for life in self.lives.values():
            waited = life.state == "approved" and life.claim is None and life.lapsed is None
            if waited and not life.is_open(self.now):
                life.lapsed = self.now
                life.want()
        return sorted(life.id for life in waits)

    def wake(self, life: Life) -> bool:
        if not self._owes(life):
            return False
        if life.telling.stuck is not None:
            life.want()
        life.tell_anew(self.now)
        return True

    # --- painting

    def paint(self) -> None:
        for life in self.lives.values():
            for line in life.lines:
                if line.wanted > line.painted:
                    line.painted = line.wanted
                    line.channel, line.ts = landing(line.address), line.ts or landed(life.number, line)


def landing(address: str) -> str:
    return f"D{address}" if address.startswith("U") else address


def landed(number: int, line: Line) -> str:
    return f"{number}.{line.role}.{line.turn}"


def new_life(number: int, *, tenant: str, id: str, now: datetime, shape: Shape, replaces: str | None = None) -> Life:
    deadline = None if shape.lasts is None else now + shape.lasts
    return Life(tenant, id, number, now, shape, deadline, replaces=replaces)
