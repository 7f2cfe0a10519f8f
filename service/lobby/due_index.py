"""Keeps in Redis when each game is due for the reconciler: the due index, derived from the log.

The reconciler calls `DueIndex.take`, sees to the games it is given, and calls `DueIndex.reschedule` for each.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha1
from importlib.resources import files
from typing import Any

from msgspec import Struct
from redis import Redis
from redis.exceptions import NoScriptError

from events.redis import translate_redis_errors
from service.games.deadlines import DEFAULT_TIME_LIMITS, TimeLimits
from service.lobby.lobby import WHOLE

# In the slot of the lobby, whose mark is read along, but not among what `Lobby.clear` drops.
_TIMES = "croupier:due:{lobby}"
# The mark of a complete index is an entry of the index itself, so that both are dropped together.
_FOR_EVER = "inf"
# How long a reconciler has for a game that it took, before others may take it.
LEASE = timedelta(seconds=2)
MOST_TAKEN = 100
# Raise it when anything that is derived from the log gets another form: all games are then read again.
_FORM = 2
_TAKE = files("service.lobby").joinpath("due_index.lua").read_bytes()
_TAKE_SHA = sha1(_TAKE, usedforsecurity=False).hexdigest()
_SETTLE = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
"""


class Taken(Struct, frozen=True):
    """Holds due games that are leased to the caller until `lease`, in milliseconds since 1970.

    Nothing else is due for `rest` seconds. `is_whole` is False while the lobby or the index is incomplete.
    """

    games: tuple[str, ...]
    lease: int
    rest: float
    is_whole: bool


class DueIndex:
    """Reads and writes the times when games are due.

    A time that is too early does no harm: the reconciler finds in the log what is due.
    """

    def __init__(self, client: Redis, limits: TimeLimits = DEFAULT_TIME_LIMITS) -> None:
        """Use the index of that client's Redis.

        An index that was built with other limits counts as incomplete: games may have to be closed earlier.
        So does one of an earlier release: something else that is derived has another form since.
        """
        self._redis: Any = client
        hours = f"{limits.lobby_hours:g}, {limits.abandon_hours:g} and {limits.archive_hours:g} hours"
        self._mark = f"*whole, form {_FORM}, {hours}*"

    def write(self, game: str, at: datetime | None) -> None:
        """Set the time when a game is due, or remove the game if `at` is None. Raises Unavailable."""
        with translate_redis_errors():
            if at is None:
                self._redis.zrem(_TIMES, game)
            else:
                self._redis.zadd(_TIMES, {game: _milliseconds(at)})

    def write_earlier(self, game: str, at: datetime | None) -> None:
        """Set the time when a game is due, but only if it is earlier than the stored one. Raises Unavailable.

        A time that was computed a while ago must not replace a newer one.
        """
        if at is not None:
            with translate_redis_errors():
                self._redis.zadd(_TIMES, {game: _milliseconds(at)}, lt=True)

    def take(self, now: datetime, most: int = MOST_TAKEN) -> Taken:
        """Lease up to `most` games that are due at `now`, longest due first, and return them. Does not block.

        A game that is not rescheduled is due again when its lease ends. Raises Unavailable.
        """
        start = _milliseconds(now)
        lease = _milliseconds(now + LEASE)
        with translate_redis_errors():
            whole, following, games = self._run_take(start, lease, most)
        rest = max(0.0, (float(following) - start) / 1000)
        return Taken(tuple(game.decode() for game in games), lease, rest, bool(whole))

    def _run_take(self, *arguments: int) -> Any:
        """Run `due_index.lua` with these arguments and return its reply; send its text if Redis lost it."""
        call = (2, _TIMES, WHOLE, *arguments, self._mark)
        try:
            return self._redis.evalsha(_TAKE_SHA, *call)
        except NoScriptError:
            return self._redis.eval(_TAKE, *call)

    def measure_overdue(self, now: datetime) -> float:
        """Return the seconds for which the oldest entry has been due; 0 if nothing is. Raises Unavailable."""
        with translate_redis_errors():
            first = self._redis.zrange(_TIMES, 0, 0, withscores=True)
        waits = [_milliseconds(now) - float(score) for _, score in first]
        return max([0.0, *waits]) / 1000

    def reschedule(self, game: str, lease: int, at: datetime | None) -> None:
        """Set when a leased game is due again, unless its time was changed since it was taken.

        Raises Unavailable.
        """
        following = "" if at is None else _milliseconds(at)
        with translate_redis_errors():
            self._redis.eval(_SETTLE, 1, _TIMES, game, lease, following)

    def mark_whole(self) -> None:
        """Mark the index as complete, in place of any earlier mark. Raises Unavailable."""
        with translate_redis_errors():
            self._redis.zremrangebyscore(_TIMES, _FOR_EVER, _FOR_EVER)
            self._redis.zadd(_TIMES, {self._mark: _FOR_EVER})

    def clear(self) -> None:
        """Remove all times and the mark. Raises Unavailable."""
        with translate_redis_errors():
            self._redis.delete(_TIMES)


def _milliseconds(at: datetime) -> int:
    """Return the milliseconds since 1970."""
    return int(at.timestamp() * 1000)
