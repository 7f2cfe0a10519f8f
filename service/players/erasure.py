"""Gives up the seats of erased players (W4), and has their names leave the append-only file of Redis.

The erasure itself records which seats are to be left; for games that were not listed then, the projector adds
them. So a request that breaks off leaves no table waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from events.commands import Leave
from events.redis import translate_redis_errors
from events.store import Unavailable
from rules import Rejected
from service import logs
from service.games.games import Games
from service.games.snapshots import UnknownGame
from service.games.writer import Caller
from service.players.places import REWRITTEN, PlayerKeys, find_keys

# How many seats are left at a time.
MOST = 20
# How many slots of players are looked at at a time, one after another.
MOST_SLOTS = 8
RecordFault = Callable[[str, Exception], None]


# Rewriting the append-only file takes time and room: it is not done again for so long.
REWRITE_SECONDS = 3600

log = logs.logger()


class Erasure:
    """Leaves the seats that are recorded as to be left, and rewrites the append-only file."""

    def __init__(self, client: Redis, games: Games) -> None:
        """Read the record from that client's Redis."""
        self._redis: Any = client
        self._games = games
        self._next_slot = 0

    def tidy_up(self, record_fault: RecordFault) -> None:
        """Do what is left to do for erased players of some slots; those of the next slots come next time.

        Goes on where the server of a slot is away. Raises Unavailable if none of them answers.
        """
        faults: list[Unavailable] = []
        slots = self._take_slots()
        for slot in slots:
            try:
                self.leave_some(slot, record_fault)
                self.rewrite_log(slot)
            except Unavailable as fault:
                faults.append(fault)
        if len(faults) == len(slots):
            raise faults[0]

    def _take_slots(self) -> list[str]:
        """Return some slots of players, each in its turn."""
        slots = self._keys.slots
        number = min(MOST_SLOTS, len(slots))
        first = self._next_slot
        self._next_slot = (first + number) % len(slots)
        return [slots[(first + place) % len(slots)] for place in range(number)]

    def leave_some(self, slot: str, record_fault: RecordFault) -> None:
        """Leave a few of the recorded seats. Calls `record_fault` for a game that cannot be read.

        One such game must not hold up the others: it is taken off the record, and a rebuild adds it again.
        Raises Unavailable.
        """
        with translate_redis_errors():
            noted = self._redis.srandmember(self._keys.departures(slot), MOST)
        for one in noted or ():
            game, _, player = one.decode().partition("|")
            self._leave_safely(game, player, record_fault)

    @property
    def _keys(self) -> PlayerKeys:
        return find_keys(self._redis)

    def _leave_safely(self, game: str, player: str, record_fault: RecordFault) -> None:
        """Leave one seat; report any fault but Unavailable and take the seat off the record."""
        try:
            self._leave(game, player)
        except Unavailable:
            raise
        except Exception as fault:
            record_fault(game, fault)
            self._strike_out(game, player)

    def rewrite_log(self, slot: str) -> None:
        """Have Redis rewrite its append-only file if a player of a slot was erased.

        Until then the file holds the command that stored the name. That is done at most once in
        REWRITE_SECONDS, for the players of all slots. Raises Unavailable.
        """
        with translate_redis_errors():
            if not self._redis.exists(self._keys.erasures(slot)):
                return
            if not self._redis.set(REWRITTEN, "", nx=True, ex=REWRITE_SECONDS):
                return
            self._redis.delete(*map(self._keys.erasures, self._keys.slots))
            try:
                self._redis.bgrewriteaof()
            except ResponseError as fault:
                log.warning(
                    "rewrite_refused",
                    fault=str(fault),
                    meaning="names of erased players are still in the append-only file of Redis",
                    action="run BGREWRITEAOF there",
                )

    def leave_at_once(self, player: str, games: Sequence[str]) -> None:
        """Leave some of a player's games now. Raises nothing: what fails stays recorded for later."""
        with suppress(Exception):
            for game in games[:MOST]:
                self._leave(game, player)

    def _leave(self, game: str, player: str) -> None:
        """Leave one seat for good and take it off the record."""
        # A game that is gone or over has no seat to leave.
        with suppress(UnknownGame, Rejected):
            holder = self._games.find_seat_of(game, player, "")
            if holder is not None:
                caller = Caller(holder.seat, holder.log_epoch)
                self._games.execute(game, caller, Leave(holder.seat, for_good=True))
        self._strike_out(game, player)

    def _strike_out(self, game: str, player: str) -> None:
        """Take a seat off the record."""
        with translate_redis_errors():
            departures = self._keys.departures(self._keys.slot_of(player))
            self._redis.srem(departures, f"{game}|{player}")
