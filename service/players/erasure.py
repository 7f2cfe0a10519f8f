"""Gives up the seats of erased players (W4).

The erasure itself stores which seats are to be left; for games that were not listed then, the
projector adds them. So a request that breaks off leaves no table waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from redis import Redis

from events.commands import Leave
from events.redis import translate_redis_errors
from events.store import Unavailable
from rules import Rejected
from service.games.games import Games
from service.games.snapshots import UnknownGame
from service.games.writer import Caller
from service.players.players import DEPARTURES

# So many at a time; the rest comes with the next look.
MOST = 20
RecordFault = Callable[[str, Exception], None]


class Erasure:
    def __init__(self, client: Redis, games: Games) -> None:
        self._redis: Any = client
        self._games = games

    def leave_some(self, record_fault: RecordFault) -> None:
        """Of all that is noted. Raises Unavailable.

        One game that cannot be read must not hold up the others; a rebuild notes it again.
        """
        with translate_redis_errors():
            noted = self._redis.srandmember(DEPARTURES, MOST)
        for one in noted or ():
            game, _, player = one.decode().partition("|")
            self._leave_safely(game, player, record_fault)

    def _leave_safely(self, game: str, player: str, record_fault: RecordFault) -> None:
        try:
            self._leave(game, player)
        except Unavailable:
            raise
        except Exception as fault:
            record_fault(game, fault)
            self._strike_out(game, player)

    def leave_at_once(self, player: str, games: Sequence[str]) -> None:
        """As many of a player's as can be; whatever goes wrong, they are still noted."""
        with suppress(Exception):
            for game in games[:MOST]:
                self._leave(game, player)

    def _leave(self, game: str, player: str) -> None:
        # Where there is nothing to leave any more, that is all.
        with suppress(UnknownGame, Rejected):
            holder = self._games.find_seat_of(game, player, "")
            if holder is not None:
                caller = Caller(holder.seat, holder.log_epoch)
                self._games.execute(game, caller, Leave(holder.seat, for_good=True))
        self._strike_out(game, player)

    def _strike_out(self, game: str, player: str) -> None:
        with translate_redis_errors():
            self._redis.srem(DEPARTURES, f"{game}|{player}")
