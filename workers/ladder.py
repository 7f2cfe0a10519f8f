"""Which bot answers: the level that the seat was given, and where that fails the next lower one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256

import msgspec
from msgspec import Struct

from events.commit import BotNote
from rules.state import State
from service import logs
from service.play.recently_used import RecentlyUsed
from workers.bots import BOTS
from workers.bots.asking import AskBot, BotDied, BotFailed, BotHung, Request, ask_here
from workers.bots.decision import Decision, Level

# Games in which some level failed lately.
MOST_GAMES = 1_000

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


class Ladder:
    """A level that failed in a game is not asked there again: the next time would take as long."""

    def __init__(self, ask: AskBot = ask_here, bots: Mapping[str, Level] = BOTS) -> None:
        self._ask, self._bots = ask, bots
        self._faults: RecentlyUsed[str] = RecentlyUsed(MOST_GAMES)

    def answer(self, name: str, moment: Moment) -> BotAnswer:
        """Raises BotFailed where even the lowest level does."""
        *above, lowest = self._downwards(name)
        fault = ""
        for level in above:
            try:
                return _note(level, moment, self._try(level, moment), name, fault)
            except BotFailed as failure:
                fault = fault or str(failure)
                if isinstance(failure, (BotDied, BotHung)):
                    # Somebody has waited for long, and the others would have to be started first.
                    break
        # It is too simple to hang.
        return _note(lowest, moment, ask_here(lowest, _request(lowest, moment)), name, fault)

    def _downwards(self, name: str) -> tuple[Level, ...]:
        names = tuple(self._bots)
        return tuple(self._bots[lower] for lower in reversed(names[: names.index(name) + 1]))

    def _try(self, level: Level, moment: Moment) -> Decision:
        known = f"{moment.view.game} {level.name}"
        if fault := self._faults.find(known):
            raise BotFailed(fault)
        try:
            return self._ask(level, _request(level, moment))
        except BotFailed as failure:
            self._faults.keep(known, str(failure))
            log.error(
                "bot_failed", game=moment.view.game, seat=moment.seat, bot=level.name, fault=str(failure)
            )
            raise


def _request(level: Level, moment: Moment) -> Request:
    return Request(level.name, moment.view, moment.seat, moment.luck(level.build))


def _note(level: Level, moment: Moment, decision: Decision, name: str, fault: str) -> BotAnswer:
    given = "" if level.name == name else name
    note = BotNote(level.name, level.build, level.budget, hash_view(moment.view), given, fault)
    return BotAnswer(decision.choice, note)
