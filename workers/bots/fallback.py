"""Asks the bot of a seat's level, and the next lower level if that fails: the fallback chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from math import inf
from time import monotonic

import msgspec
from msgspec import Struct

from events.commit import BotNote
from events.recently_used import RecentlyUsed
from rules import State
from service import logs
from workers.bots import BOTS
from workers.bots.asking import BotAbsent, BotDied, BotFailed, BotRequest, ask_here
from workers.bots.protocol import Decision, Level
from workers.bots.subprocess import LONGEST_ANSWER

# Faults that are remembered, one for each level that failed in a game.
MOST_FAULTS = 1_000
# A level whose process died is not asked for so many choices of the game: each death costs a process start.
REST = 10

# Asks a level for its move within so many seconds. Raises BotFailed.
AskInTime = Callable[[Level, BotRequest, float], Decision]

log = logs.logger(process="worker")


class Moment(Struct, frozen=True):
    """Describes the seat that is asked. `luck` returns the random seed for a given build of a bot."""

    view: State
    seat: int
    luck: Callable[[str], bytes]


class BotAnswer(Struct, frozen=True):
    """Holds the choice, and the note for the log on which bot made it."""

    choice: str
    note: BotNote


def hash_view(view: State) -> str:
    """Return the hash of a view that the log keeps.

    All hidden values in a view are salted, so the hash cannot be used to try them out.
    """
    plain = msgspec.to_builtins(view, order="sorted", str_keys=True)
    return sha256(msgspec.json.encode(plain)).hexdigest()


def ask_without_limit(level: Level, request: BotRequest, seconds: float) -> Decision:
    """Ask the bot in this process. Raises BotFailed.

    The time limit is ignored: nothing can stop the bot here.
    """
    return ask_here(level, request)


class BotFault(Struct, frozen=True):
    """Says why a level is not asked in a game, and for how many more choices."""

    why: str
    choices: float


class FallbackChain:
    """Asks levels from the given one downwards until one answers, within a time limit for all of them.

    A level that raised or hung in a game is not asked there again: it would fail again, or take as long. A
    level whose process died may have been killed from outside, and is asked again after REST choices.
    """

    def __init__(
        self,
        ask: AskInTime = ask_without_limit,
        bots: Mapping[str, Level] = BOTS,
        seconds: float = LONGEST_ANSWER,
    ) -> None:
        self._ask = ask
        self._bots = bots
        self._seconds = seconds
        self._faults: RecentlyUsed[BotFault] = RecentlyUsed(MOST_FAULTS)

    def answer(self, name: str, moment: Moment) -> BotAnswer:
        """Return the answer of this level, or of the next lower one that does not fail.

        The lowest level is asked in this process. Raises BotFailed if even that one fails.
        """
        *above, lowest = self._downwards(name)
        fault = ""
        end = monotonic() + self._seconds
        for level in above:
            try:
                return _make_answer(level, moment, self._try(level, moment, end), name, fault)
            except BotFailed as failure:
                fault = fault or str(failure)
                if isinstance(failure, BotAbsent):
                    # No child process is ready, so the other levels cannot be asked either.
                    break
        # The lowest level is too simple to hang, so it is asked in this process.
        return _make_answer(lowest, moment, ask_here(lowest, _make_request(lowest, moment)), name, fault)

    def _downwards(self, name: str) -> tuple[Level, ...]:
        """Return the levels from this one down to the lowest."""
        names = tuple(self._bots)
        return tuple(self._bots[lower] for lower in reversed(names[: names.index(name) + 1]))

    def _try(self, level: Level, moment: Moment, end: float) -> Decision:
        """Ask one level and remember its failure. Raises BotFailed.

        A level that failed in this game before is not asked, as long as `_find_fault` says so.
        """
        known = f"{moment.view.game} {level.name}"
        if fault := self._find_fault(known):
            raise BotFailed(fault)
        try:
            return self._ask(level, _make_request(level, moment), end - monotonic())
        except BotFailed as failure:
            self._record_fault(known, failure)
            log.error(
                "bot_failed", game=moment.view.game, seat=moment.seat, bot=level.name, fault=str(failure)
            )
            raise

    def _find_fault(self, known: str) -> str:
        """Return why the level is not asked now, and count the choice; empty if it may be asked."""
        fault = self._faults.find(known)
        if fault is None or fault.choices <= 0:
            return ""
        self._faults.keep(known, BotFault(fault.why, fault.choices - 1))
        return fault.why

    def _record_fault(self, known: str, failure: BotFailed) -> None:
        """Remember that the level failed, unless it could not be asked at all."""
        if not isinstance(failure, BotAbsent):
            self._faults.keep(known, BotFault(str(failure), REST if isinstance(failure, BotDied) else inf))


def _make_request(level: Level, moment: Moment) -> BotRequest:
    """Return the request for this level."""
    return BotRequest(level.name, moment.view, moment.seat, moment.luck(level.build))


def _make_answer(level: Level, moment: Moment, decision: Decision, name: str, fault: str) -> BotAnswer:
    """Return the choice with the note for the log: level, build, view, and the fault of a higher level."""
    given = "" if level.name == name else name
    note = BotNote(level.name, level.build, level.budget, hash_view(moment.view), given, fault)
    return BotAnswer(decision.choice, note)
