"""The steps: each is done by the model and by the three stores, which must tell and become the same."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from store.types import (
    Actor,
    ActorKind,
    Answer,
    Approval,
    Approvers,
    Decision,
    Destination,
    Edited,
    Escalation,
    ExecutionStatus,
    Interaction,
    OnExpiry,
    Question,
    QuestionSet,
    Reminders,
    Resume,
    ResumeKind,
    Stop,
    Surface,
    Terms,
    WorkingHours,
)
from tests.store.model import sight
from tests.store.model.life import MINUTE, Life, Shape
from tests.store.model.trio import Trio
from tests.store.model.world import Stopped, World, new_life

ENDED = {"succeeded", "failed"}
START = datetime(2026, 10, 30, 15, 0, 0, 250, tzinfo=UTC)
HOUR = timedelta(hours=1)
MOMENT = timedelta(microseconds=1)
ASKER = Actor(kind=ActorKind.API_KEY, id="key_ci", name="ci-bot")
OFFICE = WorkingHours(start=time(9), end=time(17), zone="America/New_York")
TARGETS = {"pull": None, "handler": "deploy", "webhook": "https://runs.example/hook"}
#: So many are under way at once, and in all.
OPEN, MOST = 3, 12
WHICH = st.integers(0, 4)
PEOPLE = st.sampled_from(["U0ANA", "U0BEN", "U0CLEO"])
CHOICES = st.sampled_from(["allow-once", "allow-once", "allow-always", "deny"])
MEANT = st.sampled_from([None, "digest", "digest", "wrong"])
CLAIMS = st.sampled_from(["c1", "c2", "c3"])
TOOLS = st.sampled_from([None, "deploy.api", "deploy.*", "mail.send"])
LAGS = st.sampled_from([timedelta(), timedelta(), timedelta(), MOMENT, MINUTE])
STEPS = st.sampled_from([MOMENT, MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR, 12 * HOUR])
LIMITS = st.sampled_from([1, 100])
SHAPES = st.builds(
    Shape,
    is_question=st.sampled_from([False] * 7 + [True]),
    quorum=st.sampled_from([1, 1, 1, 2, 3]),
    denials=st.sampled_from([1, 1, 2]),
    denies_late=st.booleans(),
    lasts=st.sampled_from([None, 9 * MINUTE, HOUR, HOUR, 30 * HOUR]),
    more=st.sampled_from([None, 30 * MINUTE]),
    window=st.sampled_from([10 * MINUTE, HOUR, 24 * HOUR]),
    tool=st.sampled_from([None, "deploy.api", "deploy.api", "deploy.web", "mail.send"]),
    world=st.sampled_from([None, "w1"]),
    reminded_after=st.sampled_from([None, 10 * MINUTE]),
    reminders=st.sampled_from([1, 3]),
    keeps_hours=st.booleans(),
    steps=st.sampled_from([(), (20 * MINUTE,), (5 * MINUTE, 20 * MINUTE)]),
    resume=st.sampled_from(["pull", "handler", "webhook"]),
)


def some(wanted: Callable[[Life], object]) -> Callable[[Callable[..., Any]], Any]:
    """A rule for when there is an interaction that is so."""
    return precondition(lambda self: any(wanted(life) for life in self.world.lives.values()))


def is_under_way(life: Life) -> bool:
    return life.is_pending or life.is_unclaimed or (life.run is not None and life.run.status not in ENDED)


def is_decidable(life: Life) -> bool:
    return life.is_pending and not life.shape.is_question


def is_silent(life: Life) -> bool:
    return life.run is not None and life.run.status == "unknown"


def owes_report(life: Life) -> bool:
    return life.run is not None and life.run.due is not None


def person(id: str) -> Actor:
    return Actor(kind=ActorKind.SLACK_USER, id=id)


def interaction(life: Life) -> Interaction:
    """What a caller gives the store."""
    shape, target = life.shape, TARGETS[life.shape.resume]
    hours = OFFICE if shape.keeps_hours else None
    after = shape.reminded_after
    common: dict[str, Any] = {
        "tenant": life.tenant,
        "id": life.id,
        "run_id": f"run-{life.number}",
        "operation_id": "op",
        "title": "Deploy",
        "request_digest": life.content,
        "created_at": life.asked,
        "expires_at": life.deadline,
        "asked_by": ASKER,
        "approvers": Approvers(users=("U0ANA",), quorum=shape.quorum, denials=shape.denials),
        "destination": Destination(channels=("C0DEPLOY",), users=("U0ANA",)),
        "resume": Resume(kind=ResumeKind(shape.resume), target=target),
        "terms": Terms(
            on_expiry=OnExpiry.DENY if shape.denies_late else OnExpiry.EXPIRE,
            reminders=None if after is None else Reminders(after=after, most=shape.reminders, hours=hours),
            escalation=tuple(Escalation(after=each, users=(f"U0STEP{n}",)) for n, each in enumerate(shape.steps)),
            extension=shape.more,
        ),
    }
    if shape.is_question:
        return QuestionSet(**common, questions=(Question(id="why", prompt="Why?"),))
    return Approval(
        **common,
        digest="digest",
        tool_name=shape.tool,
        input_json='{"v": 1}' if shape.tool else None,
        fingerprint=shape.world,
        run_within=shape.window,
        supersedes=life.replaces,
    )


class Machine(RuleBasedStateMachine):
    """`trio` is set by the test that runs it."""

    trio: Trio

    @initialize(shapes=st.lists(SHAPES, min_size=2, max_size=3))
    def begins(self, shapes: list[Shape]) -> None:
        self.trio.empty()
        self.world = World(now=START)
        self.promises = sight.Promises()
        self.shown: dict[str, Interaction] = {}
        self.asks = 0
        self.leases: list[tuple[int, str]] = []
        for shape in shapes:
            self._ask(self._new(shape, "default"))

    # --- asking

    @precondition(
        lambda self: len(self.world.lives) < MOST and sum(map(is_under_way, self.world.lives.values())) < OPEN
    )
    @rule(shape=SHAPES, tenant=st.sampled_from(["default"] * 4 + ["other"]))
    def ask(self, shape: Shape, tenant: str) -> None:
        self._ask(self._new(shape, tenant))

    @precondition(lambda self: self.world.lives)
    @rule(which=WHICH, what=st.sampled_from(["again", "otherwise", "anew", "withdraw"]), shape=SHAPES, lag=LAGS)
    def requester_comes_back(self, which: int, what: str, shape: Shape, lag: timedelta) -> None:
        life = self._pick(which, lambda each: each.is_pending)
        if what == "withdraw":
            self._withdraw(life, self._at(life, lag))
        elif what != "anew":
            self._ask_again(life, life.content if what == "again" else "other")
        elif not life.shape.is_question and not shape.is_question:
            self._ask(self._new(shape, life.tenant, replaces=life.id))

    def _ask_again(self, life: Life, content: str) -> None:
        again = self._new(life.shape, life.tenant)
        again.number, again.content, again.replaces = life.number, content, life.replaces
        created = self._create(again)
        assert _created(created) == self.world.ask_again(life, content)
        assert content != life.content or created.interaction == self.shown[life.id]

    def _withdraw(self, life: Life, at: datetime) -> None:
        by = {"tenant": life.tenant, "id": life.id, "actor": ASKER, "at": at, "surface": Surface.API}
        outcome = self.trio.call("withdraw", **by, reason="no longer needed")
        assert outcome.withdrawn == self.world.withdraw(life, at)
        self._told(life, outcome.interaction)

    # --- deciding

    @some(is_decidable)
    @rule(which=WHICH, who=PEOPLE, choice=CHOICES, digest=MEANT, lag=LAGS, feedback=st.sampled_from([None, "no"]))
    def vote(
        self, which: int, who: str, choice: str, *, digest: str | None, lag: timedelta, feedback: str | None
    ) -> None:
        life = self._pick(which, lambda each: each.is_pending)
        self._vote(life, who, choice, lag=lag, digest=digest, feedback=feedback)

    @some(lambda life: life.is_pending and life.votes)
    @rule(which=WHICH, who=WHICH, lag=LAGS, feedback=st.sampled_from([None, "no", "never"]))
    def vote_the_same_again(self, which: int, who: int, lag: timedelta, feedback: str | None) -> None:
        life = self._pick(which, lambda each: each.is_pending and bool(each.votes))
        voter = sorted(life.votes)[who % len(life.votes)]
        self._vote(life, voter, life.votes[voter][0], lag=lag, digest=None, feedback=feedback)

    @some(is_decidable)
    @rule(which=WHICH)
    def approve(self, which: int) -> None:
        """As many as it takes."""
        life = self._pick(which + 1, lambda each: each.is_pending and not each.shape.is_question)
        for who in ("U0ANA", "U0BEN", "U0CLEO")[: life.shape.quorum]:
            self._vote(life, who, "allow-once", lag=timedelta(), digest="digest")

    @some(lambda life: is_decidable(life) and life.shape.quorum == 1)
    @rule(which=WHICH, who=PEOPLE)
    def edit(self, which: int, who: str) -> None:
        life = self._pick(which, lambda each: each.is_pending and each.shape.quorum == 1)
        if life.shape.quorum == 1:
            self._vote(life, who, "allow-once", lag=timedelta(), digest="digest", edited="edited")

    @some(lambda life: life.votes)
    @rule(which=WHICH, who=PEOPLE, lag=LAGS)
    def take_back(self, which: int, who: str, lag: timedelta) -> None:
        life = self._pick(which, lambda each: bool(each.votes) and (each.is_pending or each.is_unclaimed))
        at = self._at(life, lag)
        by = {"tenant": life.tenant, "id": life.id, "actor": person(who), "at": at, "surface": Surface.CARD}
        outcome = self.trio.call("take_back", **by)
        if self._missing(outcome, life):
            return
        assert outcome.taken_back == self.world.take_back(life, who, at)
        self._told(life, outcome.approval)

    @some(lambda life: life.shape.is_question and life.is_pending)
    @rule(which=WHICH, who=PEOPLE, lag=LAGS)
    def answer(self, which: int, who: str, lag: timedelta) -> None:
        life = self._pick(which + 1, lambda each: each.shape.is_question and each.is_pending)
        at = self._at(life, lag)
        by = {"tenant": life.tenant, "id": life.id, "actor": person(who), "at": at, "surface": Surface.MODAL}
        outcome = self.trio.call("answer_question", **by, answers={"why": Answer(is_skipped=False, value="so")})
        assert outcome.already_resolved == self.world.answer(life, who, at)
        self._told(life, outcome.question)

    # --- time

    @some(lambda life: life.is_pending and life.shape.more)
    @rule(which=WHICH, who=PEOPLE, lag=LAGS)
    def extend(self, which: int, who: str, lag: timedelta) -> None:
        life = self._pick(which, lambda each: each.is_pending and each.shape.more is not None)
        at = self._at(life, lag)
        by = {"tenant": life.tenant, "id": life.id, "actor": person(who), "at": at, "surface": Surface.CARD}
        outcome = self.trio.call("extend", **by)
        assert outcome.extended == self.world.extend(life, who, at)
        self._told(life, outcome.interaction)

    @rule(what=st.sampled_from(["expire_due", "ring_due", "mark_unknown", "mark_stuck"]), limit=LIMITS)
    def sweep(self, what: str, limit: int) -> None:
        self._sweep(what, limit)

    @rule()
    def sweep_all(self) -> None:
        for what in ("ring_due", "expire_due", "mark_unknown", "mark_stuck"):
            self._sweep(what, 100)

    @rule(step=STEPS)
    def time_passes(self, step: timedelta) -> None:
        self.world.now += step

    @precondition(lambda self: self.world.lives)
    @rule(which=st.integers(0, 30), before=st.sampled_from([timedelta(), timedelta(), MOMENT]))
    def time_comes(self, which: int, before: timedelta) -> None:
        """To the instant at which something turns, or to the one before."""
        edges = sorted({edge for life in self.world.lives.values() for edge in life.edges()})
        ahead = [edge - before for edge in edges if edge - before > self.world.now]
        if ahead:
            self.world.now = ahead[which % min(len(ahead), 4)]

    # --- running

    @some(lambda life: life.votes)
    @rule(
        which=WHICH,
        claim_id=CLAIMS,
        digest=st.sampled_from(["digest"] * 4 + ["edited", "wrong"]),
        accepts=st.booleans(),
        world=st.sampled_from(["w1", "w2", None]),
        within=st.sampled_from([None, 60, 600]),
        lag=LAGS,
    )
    def claim(self, which: int, claim_id: str, lag: timedelta, **said: Any) -> None:
        self._claim(self._pick(which, lambda each: each.is_unclaimed), claim_id, lag=lag, **said)

    @some(lambda life: life.is_unclaimed)
    @rule(which=WHICH, claim_id=CLAIMS, within=st.sampled_from([None, 60, 60]))
    def claim_well(self, which: int, claim_id: str, within: int | None) -> None:
        life = self._pick(which + 1, lambda each: each.is_unclaimed)
        self._claim(life, claim_id, digest=life.digest, accepts=False, world=life.shape.world, within=within)

    @some(lambda life: life.is_unclaimed)
    @rule(which=WHICH, claim_id=CLAIMS)
    def claim_and_vanish(self, which: int, claim_id: str) -> None:
        self.claim_well(which, claim_id, 60)
        if any(map(owes_report, self.world.lives.values())):
            self.vanish(timedelta())

    @some(lambda life: life.spent)
    @rule(which=WHICH, execute=st.booleans())
    def come_back(self, which: int, *, execute: bool) -> None:
        """Whoever was said not to have done it asks again whether to, or says that it has."""
        life = self._pick(which + 1, lambda each: bool(each.spent))
        if not life.spent:
            return
        if execute:
            self._claim(life, life.spent[0], digest=life.digest, accepts=False, world=life.shape.world, within=60)
            return
        of = {"tenant": life.tenant, "id": life.id, "claim_id": life.spent[0], "at": self.world.now}
        outcome = self.trio.call("report_execution", **of, status=ExecutionStatus.SUCCEEDED)
        assert outcome[0] == "NotClaimant"

    @some(lambda life: life.claim)
    @rule(which=WHICH, world=st.sampled_from(["w1", "w2"]))
    def claim_again(self, which: int, world: str) -> None:
        """Its reply was lost."""
        life = self._pick(which + 1, lambda each: each.claim is not None)
        if life.claim is not None:
            self._claim(life, life.claim.id, digest="digest", accepts=False, world=world, within=60)

    def _claim(self, life: Life, claim_id: str, lag: timedelta = timedelta(), **said: Any) -> None:
        at = self._at(life, lag)
        stopped = self.world.holding(life) is not None
        before = life.claim
        found = self.world.claim(life, claim_id, at=at, **said)
        outcome = self.trio.call(
            "claim_approval",
            tenant=life.tenant,
            id=life.id,
            claim_id=claim_id,
            digest=said["digest"],
            at=at,
            worker="w",
            report_within=said["within"],
            accept_edited=said["accepts"],
            fingerprint=said["world"],
        )
        if self._missing(outcome, life):
            return
        if found == "DigestMismatch":
            assert outcome[0] == found
            return
        claimed, execute, stop, changed = found
        assert (outcome.claimed, outcome.execute) == (claimed, execute)
        assert outcome.claim_id == (claim_id if claimed else None)
        assert (outcome.stopped and outcome.stopped.id) == stop
        assert changed is None or outcome.has_changed == changed
        assert not (outcome.execute and outcome.has_changed)
        if outcome.execute and before is None:
            self.promises.executes(outcome.approval, claim_id, stopped=stopped, world=said["world"])
        self._told(life, outcome.approval)

    @some(lambda life: life.claim)
    @rule(
        which=WHICH,
        claim_id=st.one_of(st.none(), CLAIMS),
        status=st.sampled_from(["running", "running", "succeeded", "failed"]),
        detail=st.sampled_from([None, "x"]),
    )
    def report(self, which: int, claim_id: str | None, status: str, detail: str | None) -> None:
        life = self._pick(which, lambda each: each.run is not None)
        mine = claim_id or (life.claim.id if life.claim else "c1")
        of = {"tenant": life.tenant, "id": life.id, "claim_id": mine, "at": self.world.now}
        outcome = self.trio.call("report_execution", **of, status=ExecutionStatus(status), detail=detail)
        if self._missing(outcome, life):
            return
        heard = self.world.report(life, mine, status=status, detail=detail, at=self.world.now)
        assert heard == ("heard" if isinstance(outcome, Approval) else outcome[0])

    @some(is_silent)
    @rule(which=WHICH, who=PEOPLE, happened=st.sampled_from([False, False, True]))
    def settle(self, which: int, who: str, *, happened: bool) -> None:
        life = self._pick(which, is_silent)
        now = self.world.now
        by = {"tenant": life.tenant, "id": life.id, "actor": person(who), "at": now, "surface": Surface.LIST}
        outcome = self.trio.call("settle", **by, happened=happened)
        if self._missing(outcome, life):
            return
        assert outcome.settled == self.world.settle(life, who, happened=happened, at=now)
        self._told(life, outcome.approval)

    @some(owes_report)
    @rule(late=st.sampled_from([timedelta(), timedelta(), MOMENT]))
    def vanish(self, late: timedelta) -> None:
        """Whoever promised to report does not."""
        self.world.now = max(
            self.world.now, *(life.run.due for life in self.world.lives.values() if life.run and life.run.due)
        )
        self.world.now += late
        self._sweep("mark_unknown", 100)

    # --- stopping

    @precondition(lambda self: len(self.world.stops) < 2)
    @rule(tool=TOOLS)
    def stop(self, tool: str | None) -> None:
        self.asks += 1
        id_, now = f"stp_{self.asks:03}", self.world.now
        stop = Stop(tenant="default", id=id_, tool=tool, actor=person("U0ANA"), at=now, reason="not now")
        assert self.trio.call("add_stop", stop=stop).id == self.world.stop(Stopped("default", id_, tool, now))

    @precondition(lambda self: self.world.stops)
    @rule(tool=TOOLS)
    def go(self, tool: str | None) -> None:
        now = self.world.now
        ended = self.trio.call("end_stops", tenant="default", tool=tool, actor=person("U0BEN"), at=now)
        assert [stop.id for stop in ended] == self.world.go("default", tool, now)

    # --- telling

    @rule(limit=LIMITS)
    def lease(self, limit: int) -> None:
        number = len(self.leases)
        until = self.world.now + 2 * MINUTE
        leased = self.trio.lease(number, now=self.world.now, until=until, limit=limit)
        assert leased == self.world.lease(number, until, limit)
        self.leases += [(number, id_) for id_ in leased[:1]]

    @precondition(lambda self: self.leases)
    @rule(which=st.integers(0, 2), fails=st.sampled_from([None, None, "soon", "for good"]))
    def tell(self, which: int, fails: str | None) -> None:
        """Whoever had taken it reports, in time or late."""
        number, id_ = self.leases[-1 - which % len(self.leases)]
        life, now = self.world.lives[id_], self.world.now
        if fails is None:
            told = self.trio.finish(number, self.shown[id_], now=now)
            assert told == self.world.finish(life, number)
            return
        due = now + MINUTE if fails == "soon" else None
        told = self.trio.finish(number, self.shown[id_], now=now, error="refused", due_at=due)
        assert told == self.world.fail(life, number, due)

    @some(lambda life: life.telling.stuck or life.telling.due)
    @rule(which=WHICH)
    def wake(self, which: int) -> None:
        life = self._pick(which, lambda each: each.telling.stuck is not None)
        assert self.trio.call("wake", tenant=life.tenant, id=life.id, now=self.world.now) == self.world.wake(life)

    @rule()
    def paint(self) -> None:
        numbers = {life.id: life.number for life in self.world.lives.values()}
        self.trio.paint(now=self.world.now, until=self.world.now + MINUTE, numbers=numbers)
        self.world.paint()

    # --- all agree

    @invariant()
    def all_agree_with_the_model(self) -> None:
        self.shown = {}
        for tenant in {life.tenant for life in self.world.lives.values()}:
            mine = [life for life in self.world.lives.values() if life.tenant == tenant]
            shown, postings = self.trio.looks(tenant, [life.id for life in mine])
            self.shown |= shown
            assert set(shown) == set(postings)
            for life in mine:
                assert sight.of_interaction(shown[life.id]) == sight.of_life(life), life.id
                assert sight.postings(postings[life.id]) == sight.lines(life), life.id
                self.promises.watch(shown[life.id])

    def teardown(self) -> None:
        """What happened is written down."""
        for life in self.world.lives.values():
            events = self.trio.events(life.tenant, life.id)
            assert [event.action for event in events] == life.said
            assert [event.seq for event in events] == list(range(1, len(events) + 1))

    # --- parts of steps

    def _new(self, shape: Shape, tenant: str, replaces: str | None = None) -> Life:
        self.asks += 1
        id_ = f"{'qst' if shape.is_question else 'apr'}_{self.asks:05}"
        return new_life(self.asks, tenant=tenant, id=id_, now=self.world.now, shape=shape, replaces=replaces)

    def _create(self, life: Life) -> Any:
        asked = interaction(life)
        if isinstance(asked, Approval):
            return self.trio.call("create_approval", approval=asked)
        return self.trio.call("create_question", question=asked)

    def _ask(self, life: Life) -> None:
        assert _created(self._create(life)) == self.world.ask(life)

    def _vote(self, life: Life, who: str, choice: str, *, lag: timedelta, **said: str | None) -> None:
        at = self._at(life, lag)
        edited = Edited(input_json='{"v": 2}', digest=said["edited"]) if said.get("edited") else None
        by = {"tenant": life.tenant, "id": life.id, "actor": person(who), "at": at, "surface": Surface.CARD}
        meant = {"digest": said["digest"], "feedback": said.get("feedback"), "edited": edited}
        outcome = self.trio.call("decide_approval", **by, decision=Decision(choice), **meant)
        if self._missing(outcome, life):
            return
        found = self.world.vote(life, who, choice, at=at, **said)
        if found == "DigestMismatch":
            assert outcome[0] == found
            return
        assert outcome.already_resolved == found
        if not outcome.already_resolved and not outcome.approval.is_pending:
            self.promises.decided(life.id)
        self._told(life, outcome.approval)

    def _sweep(self, what: str, limit: int) -> None:
        # What is stuck and what lapsed share a limit: looked for all at once.
        most = {} if what == "mark_stuck" else {"limit": limit}
        found = self.trio.call(what, now=self.world.now, **most)
        assert [each.id for each in found] == getattr(self.world, what)(*most.values())

    def _told(self, life: Life, shown: Interaction) -> None:
        """What the caller is shown is what stands."""
        assert sight.of_interaction(shown) == sight.of_life(life)

    def _missing(self, outcome: Any, life: Life) -> bool:
        """A question is no approval."""
        if life.shape.is_question:
            assert outcome[0] == "NotFound"
        return life.shape.is_question

    def _life(self, which: int) -> Life:
        lives = list(self.world.lives.values())
        return lives[which % len(lives)]

    def _pick(self, which: int, wanted: Any) -> Life:
        """One of those that are so, if there are any; now and then any one."""
        lives = list(self.world.lives.values())
        fitting = [life for life in lives if wanted(life)]
        among = fitting if fitting and which else lives
        return among[which % len(among)]

    def _at(self, life: Life, lag: timedelta) -> datetime:
        """When it arrived: a little before it is dealt with."""
        return max(life.asked, self.world.now - lag)


def _created(outcome: Any) -> object:
    return outcome[0] if isinstance(outcome, tuple) else outcome.created
