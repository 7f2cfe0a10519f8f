"""Plays the turns of bots, and of people whose time ran out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic

from msgspec import Struct

from events.commands import Choose
from events.store import KeyReused
from events.values import OWNER
from rules import Rejected, view
from rules.errors import Reason
from rules.seats import AWAY, TIMEOUT, seat_policy
from rules.state import Seat
from service import metrics
from service.fairness.clocks import CLOCK
from service.games import deadlines
from service.games.games import Games
from service.games.idempotency import SETTLED
from service.games.snapshots import LogReplaced, Outdated, Snapshot
from service.games.writer import Caller, CommandResult
from workers.bots.fallback import BotAnswer, FallbackChain, Moment

Clock = Callable[[], datetime]
# Called between two answers; returns True when the time slice is used up.
IsOver = Callable[[], bool]


def last_for(seconds: float) -> IsOver:
    """Return a function that says whether this many seconds have passed since now."""
    end = monotonic() + seconds
    return lambda: monotonic() >= end


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


class DueAnswer(Struct, frozen=True):
    """Describes an answer that a bot has to give.

    `by` is the author that the log names, and `prefix` begins its idempotency key. `why` is set when the bot
    answers for a person: TIMEOUT or AWAY.
    """

    ask: int
    seat: int
    bot: str
    by: str
    prefix: str
    why: str = ""


def next_due_answer(snapshot: Snapshot, now: datetime | None) -> DueAnswer | None:
    """Return the next answer that is due from a bot or from the clock; None while people have time.

    `now` is None while the clock must not answer.
    """
    state = snapshot.state
    ask = state.ask
    if ask is None:
        return None
    for seat in deadlines.bots_due(state):
        return _bot_answer(ask.id, seat, state.seats[seat])
    for seat in deadlines.late_people(snapshot, now) if now is not None else ():
        bot = seat_policy(state, seat).bot
        return DueAnswer(ask=ask.id, seat=seat, bot=bot, by=CLOCK, prefix="clock", why=TIMEOUT)
    return None


def _bot_answer(ask: int, number: int, seat: Seat) -> DueAnswer:
    """Return the answer that is due from the seat's bot, or from the stand-in of a person who is away."""
    if seat.bot is not None:
        return DueAnswer(ask=ask, seat=number, bot=seat.bot, by=OWNER[number], prefix="bot")
    bot = seat.stand_in or ""
    by = deadlines.name_stand_in(bot)
    return DueAnswer(ask=ask, seat=number, bot=bot, by=by, prefix="stand-in", why=AWAY)


class TurnPlayer:
    """Gives the answers that are due in a game, and writes them to its log."""

    def __init__(
        self,
        games: Games,
        clock: Clock = utc_now,
        chain: FallbackChain | None = None,
        is_held: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play in these games. While `is_held` says so, nothing is answered for people by the clock."""
        self._games = games
        self._clock = clock
        self._is_held = is_held
        self._chain = chain or FallbackChain()

    def play_turns(self, game: str, is_over: IsOver) -> Snapshot | None:
        """Answer for bots and late people until a person is due or the slice is over.

        Return the snapshot if there is more to do, else None. The game is read once: each answer leads to the
        table of the next one. Raises UnknownGame.
        """
        snapshot = self._games.snapshot(game)
        while (duty := next_due_answer(snapshot, self._acting_time())) is not None:
            if is_over():
                return snapshot
            reached = self._answer(game, snapshot, duty)
            if reached is None:
                return None
            snapshot = reached
        return None

    def _acting_time(self) -> datetime | None:
        """Return the time by which people are late; None while the clock must not answer."""
        return None if self._is_held() else self._clock()

    def _answer(self, game: str, snapshot: Snapshot, duty: DueAnswer) -> Snapshot | None:
        """Answer, and return the snapshot after it; None if another worker was faster and plays on."""
        answer = self._chain.answer(duty.bot, self._moment(snapshot, duty.seat))
        try:
            outcome = self._write(game, snapshot, duty, answer)
        except (LogReplaced, Outdated):
            # The log was replaced or has gone on, and with it the table that was looked at.
            return self._games.snapshot(game)
        except KeyReused:
            return None
        except Rejected as refusal:
            # The person whom the bot answers for may have come back.
            if refusal.reason not in SETTLED and not (duty.why and refusal.reason is Reason.NOT_ASKED):
                raise
            return None
        if duty.by == CLOCK and snapshot.deadline is not None:
            metrics.observe_lateness((self._clock() - snapshot.deadline).total_seconds())
        # A replayed result has an earlier table.
        return self._games.snapshot(game) if outcome.replayed else outcome.snapshot

    def _moment(self, snapshot: Snapshot, seat: int) -> Moment:
        """Return what a bot is asked: the seat's view, and the source of its random numbers."""
        return Moment(
            view(snapshot.state, seat), seat, lambda build: self._games.luck_of_bot(snapshot, seat, build)
        )

    def _write(self, game: str, snapshot: Snapshot, duty: DueAnswer, answer: BotAnswer) -> CommandResult:
        """Write the answer right after the table that the bot has seen, or not at all.

        So anyone can ask the bot again later and compare. Raises LogReplaced, Outdated, KeyReused and
        Rejected.
        """
        caller = Caller(
            seat=duty.seat,
            log_epoch=snapshot.log_epoch,
            if_version=snapshot.version,
            key=f"{duty.prefix}-{duty.ask}-{duty.seat}",
            by=duty.by,
            bot=answer.note,
        )
        command = Choose(
            ask=duty.ask,
            seat=duty.seat,
            choice=answer.choice,
            bot=duty.bot if duty.why else "",
            why=duty.why,
        )
        return self._games.execute(game, caller, command)
