"""Counts the open games of each creator and those that ended today, for the quotas. Derived from the log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import time
from typing import Any

from redis import Redis

from events.follower import PROJECTOR, Fence, cursor_key
from events.layout import find_layout
from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors

# Among what `Lobby.clear` drops.
_PREFIX = "croupier:{lobby}:open:"
# The rows of the lobby: who has written a row writes the rest for it.
_LINES = "croupier:{lobby}:games"
# All open games, whoever created them.
_ALL = "croupier:{lobby}:open"
_ENDED = "croupier:{lobby}:ended:"
DAY_SECONDS = 24 * 3600
MOST_GAMES = 10_000
# How many games are checked again before a creator is refused another one.
LOOKED_AT = 3
# Records whether a game is open, unless its row in the lobby is another one.
#   KEYS  rows  epochs  open games of all  of its creator  those of its creator that ended today
#   ARGV  game  version in eight digits, or empty  now  field of the epoch  epoch, or * for any
#         1 if it is open  1 if it ended today  1 if it has a creator
# Replies 1 if it was recorded. Without a version a game is not recorded that the lobby knows as over.
_RECORD = """
if ARGV[5] ~= '*' and (redis.call('HGET', KEYS[2], ARGV[4]) or '') ~= ARGV[5] then return 0 end
local row = redis.call('HGET', KEYS[1], ARGV[1])
if row and ARGV[2] ~= '' and string.match(row, '^%d*:?(%d%d%d%d%d%d%d%d){') ~= ARGV[2] then return 0 end
if row and ARGV[2] == '' and ARGV[6] == '1' and string.find(row, '"status":"over"', 1, true) then return 0 end
for i = 3, ARGV[8] == '1' and 4 or 3 do
  if ARGV[6] == '1' then
    redis.call('ZADD', KEYS[i], 'NX', ARGV[3], ARGV[1])
  else
    redis.call('ZREM', KEYS[i], ARGV[1])
  end
end
if ARGV[8] ~= '1' then return 1 end
if ARGV[7] ~= '1' then
  redis.call('SREM', KEYS[5], ARGV[1])
elseif redis.call('SADD', KEYS[5], ARGV[1]) == 1 then
  redis.call('EXPIRE', KEYS[5], 172800)
end
return 1
"""


class OpenGames:
    """Keeps a sorted set of open games for each creator, by the time when each was last seen to be open."""

    def __init__(self, client: Redis, clock: Callable[[], float] = time) -> None:
        """Use the sets in that client's Redis."""
        self._redis: Any = client
        self._clock = clock
        self._written: RecentlyUsed[bool] = RecentlyUsed(MOST_GAMES)
        self._creators: RecentlyUsed[str] = RecentlyUsed(MOST_GAMES)
        self._record = client.register_script(_RECORD)

    def update(
        self,
        game: str,
        creator: str,
        is_open: bool,
        ended_at: str = "",
        version: int | None = None,
        fence: Fence | None = None,
    ) -> None:
        """Add the game to its creator's open games, or remove it; skip what this process wrote last.

        With `ended_at` it counts among those of its creator that ended today, if it did. With a `version`
        nothing is written unless the lobby has the row of that version: whoever wrote another one records the
        rest, too. Games without a creator, from before creators were recorded, count for nobody. Raises
        Unavailable.
        """
        if self._written.find(game) is is_open:
            return
        self._creators.keep(game, creator)
        fence = fence or Fence(cursor_key("lobby", PROJECTOR), find_layout(self._redis).partition(game))
        keys = (_LINES, fence.key, _ALL, _PREFIX + creator, self._ended_key(creator))
        arguments: tuple[str | int | float, ...] = (
            game,
            "" if version is None else f"{version:08d}",
            self._clock(),
            *fence.arguments[:2],
            int(is_open),
            int(self._is_today(ended_at)),
            int(bool(creator)),
        )
        with translate_redis_errors():
            if self._record(keys, arguments):
                self._written.keep(game, is_open)

    def _is_today(self, at: str) -> bool:
        return (
            bool(at) and datetime.fromisoformat(at).timestamp() // DAY_SECONDS == self._clock() // DAY_SECONDS
        )

    def remove(self, game: str, creator: str | None = None) -> None:
        """Count a game no more that was removed. Raises Unavailable.

        Without a creator, the one counts for whom this process has recorded it. If it did not, the game is
        found to be gone when its creator has as many as allowed.
        """
        self._written.drop(game)
        if creator is None:
            creator = self._creators.find(game) or ""
        self.update(game, creator, is_open=False)

    def _ended_key(self, creator: str) -> str:
        """Return the key of the games of a creator that ended today."""
        return f"{_ENDED}{self._clock() // DAY_SECONDS:.0f}:{creator}"

    def count_ended(self, creator: str) -> int:
        """Return how many games of a creator ended today. Raises Unavailable."""
        with translate_redis_errors():
            return int(self._redis.scard(self._ended_key(creator)))

    def seconds_left_today(self) -> int:
        """Return how many seconds this day still has, in UTC."""
        return int(DAY_SECONDS - self._clock() % DAY_SECONDS) + 1

    def count_all(self) -> int:
        """Return how many games are open. Raises Unavailable."""
        with translate_redis_errors():
            return int(self._redis.zcard(_ALL))

    def count(self, creator: str) -> int:
        """Return how many open games a creator has. Raises Unavailable."""
        with translate_redis_errors():
            return int(self._redis.zcard(_PREFIX + creator))

    def look_again(self, creator: str, is_open: Callable[[str], bool]) -> None:
        """Check a few of a creator's games, longest unchecked first, and remove those that are not open.

        A game stays counted by mistake if its end was missed, as after a restore. Raises Unavailable.
        """
        key = _PREFIX + creator
        with translate_redis_errors():
            for name in self._redis.zrange(key, 0, LOOKED_AT - 1):
                if is_open(name.decode()):
                    self._redis.zadd(key, {name: self._clock()}, xx=True)
                else:
                    self._redis.zrem(key, name)
                    self._redis.zrem(_ALL, name)

    def forget_written(self) -> None:
        """Forget what this process wrote, so that the next update of each game writes it again."""
        self._written = RecentlyUsed(MOST_GAMES)
