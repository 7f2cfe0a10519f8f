"""Keeps in Redis when each game is due for the reconciler: the due index, derived from the log.

The reconciler calls `DueIndex.take`, sees to the games it is given, and calls `DueIndex.reschedule` for each.
Each partition has an index of its own, beside its games, so that the servers of a cluster share the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from importlib.resources import files
from time import monotonic
from typing import Any

from msgspec import Struct
from redis import Redis

from events.layout import find_layout
from events.redis import is_cluster, translate_redis_errors
from events.script_batch import ScriptCall
from events.store import Unavailable
from service.games.deadlines import DEFAULT_TIME_LIMITS, TimeLimits
from service.lobby.lobby import WHOLE

# The mark of a complete index is an entry of the index itself, so that both are dropped together.
_FOR_EVER = "inf"
# How long a reconciler has for a game that it took, before others may take it.
LEASE = timedelta(seconds=2)
MOST_TAKEN = 100
# Raise it when anything that is derived from the log gets another form: all games are then read again.
_FORM = 3
# What the key of an index ends with.
_INDEX = "due"
# Where one index held the games of all partitions.
_FORMER = "croupier:due:{lobby}"
# On a cluster each index is asked by itself: when its next game is due, and this often.
LOOK_SECONDS = 1.0
_SETTLE = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
"""


class LogHead(Struct, frozen=True):
    """Holds version and hash of the newest commit that a time was computed from."""

    version: int
    hash: str


class Taken(Struct, frozen=True):
    """Holds due games that are leased to the caller until `lease`, in milliseconds since 1970.

    Nothing else is due for `rest` seconds. `is_whole` is False while the lobby or the index is incomplete.
    """

    games: tuple[str, ...]
    lease: int
    rest: float
    is_whole: bool


class Look(Struct):
    """Holds what the last look at some indexes has found: when the next game is due there, and more."""

    next_due: float = 0.0
    is_whole: bool = True
    looked_at: float = float("-inf")


class DueIndex:
    """Reads and writes the times when games are due.

    A time that is too early does no harm: the reconciler finds in the log what is due.
    """

    def __init__(self, client: Redis, limits: TimeLimits = DEFAULT_TIME_LIMITS) -> None:
        """Use the indexes of that client's Redis.

        An index that was built with other limits counts as incomplete: games may have to be closed earlier.
        So does one of an earlier release: something else that is derived has another form since.
        """
        self._redis: Any = client
        hours = f"{limits.lobby_hours:g}, {limits.abandon_hours:g} and {limits.archive_hours:g} hours"
        self._mark = f"*whole, form {_FORM}, {hours}*"
        self._write = client.register_script(_read_script("due_write.lua"))
        self._take = client.register_script(_read_script("due_take.lua"))
        self._settle = client.register_script(_SETTLE)
        self._is_single = not is_cluster(client)

    @cached_property
    def _looks(self) -> dict[tuple[str, ...], Look]:
        """What was found in the indexes that are asked together.

        A script may use the keys of one slot of a cluster, and all keys of a single server.
        """
        keys = list(self._keys())
        groups = [tuple(keys)] if self._is_single else [(key,) for key in keys]
        return {group: Look() for group in groups}

    def write(self, game: str, at: datetime | None, head: LogHead | None = None) -> None:
        """Set the time when a game is due, or remove the game if `at` is None. Raises Unavailable.

        With `head`, nothing is written unless the log still ends there: whoever reads its end writes another
        time. The log is in the same slot, and the two never part.
        """
        self.prepare(game, at, head).run()

    def prepare(self, game: str, at: datetime | None, head: LogHead | None = None) -> ScriptCall:
        """Return the script that sets the time when a game is due, as `write` does."""
        return self._prepare(game, at, "", head)

    def write_earlier(self, game: str, at: datetime | None, head: LogHead | None = None) -> None:
        """Set the time when a game is due, but only if it is earlier than the stored one. Raises Unavailable.

        A game that was queued a moment ago is not due before its bots had time to answer.
        """
        if at is not None:
            self._prepare(game, at, "LT", head).run()

    def _prepare(self, game: str, at: datetime | None, mode: str, head: LogHead | None) -> ScriptCall:
        """Return a call of `due_write.lua`."""
        keys = self._index_key(game), find_layout(self._redis).game_key("game", game)
        time = "" if at is None else milliseconds(at)
        expected: Sequence[Any] = (head.version, bytes.fromhex(head.hash), head.hash) if head else ("",)
        return ScriptCall(self._write, keys, (game, time, mode, *expected))

    def _index_key(self, game: str) -> str:
        """Return the key of the index that a game is in."""
        layout = find_layout(self._redis)
        return layout.key(layout.partition(game), _INDEX)

    def take(self, now: datetime, most: int = MOST_TAKEN) -> Taken:
        """Lease games that are due at `now`, up to `most` of an index, and return them. Does not block.

        A game that is not rescheduled is due again when its lease ends. Where a part of a cluster is away,
        the games of the others are returned. Raises Unavailable where all are away.
        """
        start = milliseconds(now)
        lease = milliseconds(now + LEASE)
        games: list[str] = []
        faults: list[Unavailable] = []
        asked = [group for group, look in self._looks.items() if self._is_to_be_asked(look, start)]
        away: set[object] = set()
        for group in asked:
            place = self._place_of(group)
            if place in away:
                continue
            try:
                games += self._take_from(group, start, lease, most)
            except Unavailable as fault:
                faults.append(fault)
                away.add(place)
        if faults and len(away) == len({self._place_of(group) for group in asked}):
            raise faults[0]
        is_whole = self._is_single or self._ask_lobby()
        looks = self._looks.values()
        rest = max(0.0, (min(look.next_due for look in looks) - start) / 1000)
        return Taken(tuple(games), lease, rest, is_whole and all(look.is_whole for look in looks))

    def _place_of(self, group: tuple[str, ...]) -> object:
        """Return the server of some indexes; None where one server has all. Raises Unavailable."""
        with translate_redis_errors():
            return None if self._is_single else self._redis.master_of(group[0])

    def _ask_lobby(self) -> bool:
        """Return whether the lobby is whole, where that is in another slot, and has not to be made again.

        While it is away, nothing is known of it, and games of other servers do not wait for it.
        """
        with suppress(Unavailable), translate_redis_errors():
            return bool(self._redis.exists(WHOLE))
        return True

    def _is_to_be_asked(self, look: Look, start: int) -> bool:
        """Return whether games may be due there. A single server is asked each time."""
        return self._is_single or look.next_due <= start or monotonic() - look.looked_at > LOOK_SECONDS

    def _take_from(self, group: tuple[str, ...], start: int, lease: int, most: int) -> list[str]:
        """Lease games of some indexes. Raises Unavailable."""
        look = self._looks[group]
        look.looked_at = monotonic()
        keys = (*group, WHOLE) if self._is_single else group
        with translate_redis_errors():
            whole, following, games = self._take(keys, (start, lease, most, self._mark, len(group)))
        look.next_due = float(following)
        look.is_whole = bool(whole)
        return [game.decode() for game in games]

    def measure_overdue(self, now: datetime) -> float:
        """Return the seconds for which the oldest entry has been due; 0 if nothing is. Raises Unavailable."""
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for key in self._keys():
                asking.zrange(key, 0, 0, withscores=True)
            firsts = asking.execute()
        waits = [milliseconds(now) - float(score) for first in firsts for _, score in first]
        return max([0.0, *waits]) / 1000

    def reschedule(self, game: str, lease: int, at: datetime | None) -> None:
        """Set when a leased game is due again, unless its time was changed since it was taken.

        Raises Unavailable.
        """
        following = "" if at is None else milliseconds(at)
        with translate_redis_errors():
            self._settle((self._index_key(game),), (game, lease, following))

    def mark_whole(self) -> None:
        """Mark the indexes as complete, in place of any earlier mark. Raises Unavailable."""
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for key in self._keys():
                batch.zremrangebyscore(key, _FOR_EVER, _FOR_EVER)
                batch.zadd(key, {self._mark: _FOR_EVER})
            batch.execute()

    def take_over_former(self) -> None:
        """Move the times that an earlier release stored, so that bots go on while all games are read again.

        Raises Unavailable.
        """
        with translate_redis_errors():
            former = self._redis.zrange(_FORMER, 0, -1, withscores=True)
            with self._redis.pipeline(transaction=False) as batch:
                for game, at in former:
                    if at < float(_FOR_EVER):
                        batch.zadd(self._index_key(game.decode()), {game: at}, lt=True)
                batch.execute()
            self._redis.delete(_FORMER)

    def clear(self) -> None:
        """Remove all times and the marks. Raises Unavailable."""
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for key in self._keys():
                batch.delete(key)
            batch.execute()

    def _keys(self) -> Sequence[str]:
        layout = find_layout(self._redis)
        return [layout.key(number, _INDEX) for number in range(layout.partitions)]


def _read_script(name: str) -> str:
    """Return the text of a Lua script of this package."""
    return files("service.lobby").joinpath(name).read_text("utf-8")


def milliseconds(at: datetime) -> int:
    """Return the milliseconds since 1970."""
    return int(at.timestamp() * 1000)
