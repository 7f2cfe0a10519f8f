"""Which game is to be looked at when: derived from the log, kept in Redis, rebuilt whenever one likes."""

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
# Lies in the index itself, for ever in the future: whoever drops the index drops it, too.
_FOR_EVER = "inf"
# Whoever takes a game has so long to see to it; then others may.
LEASE = timedelta(seconds=2)
MOST_TAKEN = 100
_TAKE = files("service.lobby").joinpath("due_index.lua").read_bytes()
_TAKE_SHA = sha1(_TAKE, usedforsecurity=False).hexdigest()
_SETTLE = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
"""


class Taken(Struct, frozen=True):
    """Games to be seen to before the lease ends, and for how many seconds nothing else is due."""

    games: tuple[str, ...]
    lease: int
    rest: float
    is_whole: bool


class DueIndex:
    """A time too early does no harm: whoever takes the game finds in the log that there is nothing to do."""

    def __init__(self, client: Redis, patience: TimeLimits = DEFAULT_TIME_LIMITS) -> None:
        """Where it was made with other patience, it is not whole: games may have to be closed earlier."""
        self._redis: Any = client
        self._mark = f"*whole, {patience.lobby_hours:g} and {patience.abandon_hours:g} hours*"

    def write(self, game: str, at: datetime | None) -> None:
        """In place of what was known; None where nothing will be due."""
        with translate_redis_errors():
            if at is None:
                self._redis.zrem(_TIMES, game)
            else:
                self._redis.zadd(_TIMES, {game: _milliseconds(at)})

    def write_earlier(self, game: str, at: datetime | None) -> None:
        """Only ever earlier than known: what was read a while ago must not displace what came since."""
        if at is not None:
            with translate_redis_errors():
                self._redis.zadd(_TIMES, {game: _milliseconds(at)}, lt=True)

    def take(self, now: datetime, most: int = MOST_TAKEN) -> Taken:
        """What is due by now, longest due first. What nobody settles comes again when the lease ends."""
        start = _milliseconds(now)
        lease = _milliseconds(now + LEASE)
        with translate_redis_errors():
            whole, following, games = self._run_take(start, lease, most)
        rest = max(0.0, (float(following) - start) / 1000)
        return Taken(tuple(game.decode() for game in games), lease, rest, bool(whole))

    def _run_take(self, *arguments: int) -> Any:
        call = (2, _TIMES, WHOLE, *arguments, self._mark)
        try:
            return self._redis.evalsha(_TAKE_SHA, *call)
        except NoScriptError:
            return self._redis.eval(_TAKE, *call)

    def measure_overdue(self, now: datetime) -> float:
        """Seconds since the oldest time that nobody has seen to; 0 where nothing is due."""
        with translate_redis_errors():
            first = self._redis.zrange(_TIMES, 0, 0, withscores=True)
        waits = [_milliseconds(now) - float(score) for _, score in first]
        return max([0.0, *waits]) / 1000

    def reschedule(self, game: str, lease: int, at: datetime | None) -> None:
        """When to look again at a game that was taken, unless it was written anew since."""
        following = "" if at is None else _milliseconds(at)
        with translate_redis_errors():
            self._redis.eval(_SETTLE, 1, _TIMES, game, lease, following)

    def mark_whole(self) -> None:
        """All games are in it that have to be."""
        with translate_redis_errors():
            self._redis.zremrangebyscore(_TIMES, _FOR_EVER, _FOR_EVER)
            self._redis.zadd(_TIMES, {self._mark: _FOR_EVER})

    def clear(self) -> None:
        with translate_redis_errors():
            self._redis.delete(_TIMES)


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)
