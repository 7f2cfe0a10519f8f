"""The fallback chain: asks the bot of a seat's level, and the next lower level if that fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from math import inf
from time import monotonic

import msgspec
from msgspec import Struct

from events.commit import BotNote
from rules import State
from service import logs
from service.recently_used import RecentlyUsed
from workers.bots import BOTS
from workers.bots.asking import BotAbsent, BotDied, BotFailed, BotRequest, ask_here
from workers.bots.protocol import Decision, Level
from workers.bots.subprocess import LONGEST_ANSWER

# Games in which some level failed lately.
MOST_GAMES = 1_000
# For so many choices of a game a level that died is not asked: each time costs the start of a process.
REST = 10

# In so many seconds. Raises BotFailed.
AskInTime = Callable[[Level, BotRequest, float], Decision]

log = logs.logger(process="worker")


class Moment(Struct, frozen=True):
    """A seat that is asked; `luck` is what a build of a bot draws from here."""

    view: State
    seat: int
    luck: Callable[[str], bytes]


class BotAnswer(Struct, frozen=True):
    choice: str
    note: BotNote


def hash_view(view: State) -> str:
    """What the log keeps of it. All that is hidden in it from others is salted, so nobody can try values."""
    plain = msgspec.to_builtins(view, order="sorted", str_keys=True)
    return sha256(msgspec.json.encode(plain)).hexdigest()


def ask_at_once(level: Level, request: BotRequest, seconds: float) -> Decision:
    """In this process, where nobody can be stopped. Raises BotFailed."""
    return ask_here(level, request)


class BotFault(Struct, frozen=True):
    """Why a level is not asked in a game, and for how many more choices."""

    why: str
    choices: float


class FallbackChain:
    """A level that raised or hung in a game is not asked there again: the next time would take as long.

    One that died may have been killed, and is asked again some choices later.
    """

    def __init__(
        self, ask: AskInTime = ask_at_once, bots: Mapping[str, Level] = BOTS, seconds: float = LONGEST_ANSWER
    ) -> None:
        self._ask = ask
        self._bots = bots
        self._seconds = seconds
        self._faults: RecentlyUsed[BotFault] = RecentlyUsed(MOST_GAMES)

    def answer(self, name: str, moment: Moment) -> BotAnswer:
        """Raises BotFailed where even the lowest level does."""
        *above, lowest = self._downwards(name)
        fault = ""
        end = monotonic() + self._seconds
        for level in above:
            try:
                return _note(level, moment, self._try(level, moment, end), name, fault)
            except BotFailed as failure:
                fault = fault or str(failure)
                if isinstance(failure, BotAbsent):
                    # The other levels are not there either.
                    break
        # It is too simple to hang.
        return _note(lowest, moment, ask_here(lowest, _request(lowest, moment)), name, fault)

    def _downwards(self, name: str) -> tuple[Level, ...]:
        names = tuple(self._bots)
        return tuple(self._bots[lower] for lower in reversed(names[: names.index(name) + 1]))

    def _try(self, level: Level, moment: Moment, end: float) -> Decision:
        known = f"{moment.view.game} {level.name}"
        if fault := self._find_fault(known):
            raise BotFailed(fault)
        try:
            return self._ask(level, _request(level, moment), end - monotonic())
        except BotFailed as failure:
            self._record_fault(known, failure)
            log.error(
                "bot_failed", game=moment.view.game, seat=moment.seat, bot=level.name, fault=str(failure)
            )
            raise

    def _find_fault(self, known: str) -> str:
        fault = self._faults.find(known)
        if fault is None or fault.choices <= 0:
            return ""
        self._faults.keep(known, BotFault(fault.why, fault.choices - 1))
        return fault.why

    def _record_fault(self, known: str, failure: BotFailed) -> None:
        if not isinstance(failure, BotAbsent):
            self._faults.keep(known, BotFault(str(failure), REST if isinstance(failure, BotDied) else inf))


def _request(level: Level, moment: Moment) -> BotRequest:
    return BotRequest(level.name, moment.view, moment.seat, moment.luck(level.build))


def _note(level: Level, moment: Moment, decision: Decision, name: str, fault: str) -> BotAnswer:
    given = "" if level.name == name else name
    note = BotNote(level.name, level.build, level.budget, hash_view(moment.view), given, fault)
    return BotAnswer(decision.choice, note)
