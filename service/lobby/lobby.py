"""Keeps the list of games in Redis, derived from the log.

`Lobby.update` writes the row of one game and `Lobby.page` reads a page of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from redis import Redis

from events.follower import PROJECTOR, Fence, Fenced, cursor_key, read_fence
from events.layout import find_layout
from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors
from events.script_batch import ScriptCall
from events.store import Store
from rules import EDITIONS
from service.games.cursors import age_in, decode_cursor, encode_cursor, game_in, to_milliseconds, write_member
from service.games.snapshots import Snapshot
from service.lobby.archived_games import ARCHIVED, ArchivedGames, UpOrder, decode_sealed
from service.lobby.filters import EVERYTHING, GameFilter
from service.lobby.rows import (
    ALL,
    PREFIX,
    LobbyGame,
    decode_line,
    lists_of,
    name_exports_list,
    name_list,
    name_players_list,
    write_line,
)

ALL_EXPORTS = PREFIX + name_exports_list(ALL)
# The mark of a complete list is an entry of the list itself, so that both are dropped together.
MARK = "*whole*"
BEFORE_ALL = -1
_NAMES = (PREFIX + name_exports_list("")).encode()
# In a list of exports: its score is the place of the last game that went to the archive.
LAST_ARCHIVED = "*archived*"
# The statistics are in the slot of the lobby, too: see `service/stats/counts.py`.
_STATS = (PREFIX + "stats:").encode()


class Unlisted(Exception):
    """Says that the list is not complete yet, so that a reader would miss games."""


def is_kept(key: bytes) -> bool:
    """Return whether a rebuild leaves a Redis key as it is: a list of exports, or a part of the statistics.

    A game that was counted and rated is so for good, also when its log is in an archive.
    """
    return key.startswith((_NAMES, ARCHIVED.encode(), _STATS))


def read_exports(client: Any, edition: str, place: bytes, number: int) -> Sequence[bytes]:
    """Return up to `number` members of an edition's list of exports that come after a cursor's place.

    An empty edition stands for all. Raises Unlisted while the list is incomplete, and Unavailable.
    """
    name = name_exports_list(edition or ALL)
    return _read_up(client, PREFIX + name, "exports", name=name, place=place, number=number)


def _read_up(client: Any, key: str, order: UpOrder, name: str, place: bytes, number: int) -> Sequence[bytes]:
    """Return up to `number` members of a list after a place, oldest first, with the archived games of it."""
    # The mark and the place of the archived ones are no games.
    mark, same, rest = _read(client, key, age_in(place), number + 2)
    if mark is None:
        raise Unlisted
    # Read after the list: a game that goes to the archive meanwhile is in both and not in none.
    archived = ArchivedGames(client).read_up(order, name, place, number)
    members = {
        b"%015d|%b" % (int(score), game) for game, score in [*same, *rest] if not game.startswith(b"*")
    }
    return sorted(member for member in members | set(archived) if member > place)[:number]


def _read(client: Any, name: str, age: int, number: int) -> Any:
    """Read in one transaction: the mark of a complete list, the games of that age, and younger ones."""
    with translate_redis_errors(), client.pipeline(transaction=True) as together:
        together.zscore(ALL_EXPORTS, MARK)
        together.zrangebyscore(name, age, age, withscores=True)
        together.zrangebyscore(name, f"({age}", "+inf", 0, number, withscores=True)
        return together.execute()


_LINES = PREFIX + "games"
_LISTS = PREFIX + "lists"
# The number is the format of the rows here and of players' rows: with another, all are written anew.
WHOLE = PREFIX + "whole-7"
_REBUILDER = PREFIX + "rebuilder"
# The process that began to list all games since the last clear: only this one may mark the list complete.
_FILLING = PREFIX + "filling"
_MARK_WHOLE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], 1)
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[2])
if redis.call('GET', KEYS[3]) == ARGV[1] then redis.call('DEL', KEYS[3]) end
return redis.call('DEL', KEYS[1])
"""
_REMOVE = """
local line, lists = redis.call('HGET', KEYS[1], ARGV[1]), redis.call('HGET', KEYS[2], ARGV[1])
for name in string.gmatch(lists or '', '[^\\n]+') do
  redis.call('ZREM', ARGV[2] .. name, ARGV[1], ARGV[3])
  redis.call('ZREM', ARGV[2] .. 'changed:' .. name, ARGV[1])
end
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('HDEL', KEYS[1], ARGV[1])
"""
MOST_LINES = 10_000
# How many rows one page may search for matches.
MOST_LOOKED_AT = 500
_FENCED = -1
_CURSOR = cursor_key("lobby", PROJECTOR)
_SCRIPT = files("service.lobby").joinpath("lobby.lua").read_text("utf-8")


class LobbyPage(Struct, frozen=True):
    """Holds a page of the list of games."""

    games: tuple[LobbyGame, ...]
    cursor: str | None
    """Where the next page begins; None on the last."""


class Lobby:
    """Reads and writes the list of games.

    Updates may come twice and in any order: of two, the one that has seen more of the game stays.
    """

    def __init__(self, client: Redis, store: Store | None = None) -> None:
        """Use the list in that client's Redis; rows of archived games are read from the store."""
        self._redis: Any = client
        self._store = store
        self._archived = ArchivedGames(client)
        self._script = client.register_script(_SCRIPT)
        self._written: RecentlyUsed[tuple[bytes, str | None]] = RecentlyUsed(MOST_LINES)

    def update(self, snapshot: Snapshot, fence: Fence | None = None) -> int:
        """Write a game's row and put it into its lists; skip it if this process wrote the same last.

        Return 0, or the version of the row where it has come further already. In a new epoch of the log the
        game may have gone back, and so does its row. A game by rules that only a newer program knows keeps
        the row that the newer program wrote. Raises Fenced and Unavailable.
        """
        call = self.prepare(snapshot, fence)
        return call.run() if call else 0

    def prepare(self, snapshot: Snapshot, fence: Fence | None = None) -> ScriptCall | None:
        """Return the script that writes a game's row, as `update` does; None if there is nothing new."""
        if not EDITIONS.knows(snapshot.state):
            return None
        line = write_line(snapshot)
        written = msgspec.json.encode(line)
        fence = fence or Fence(_CURSOR, find_layout(self._redis).partition(line.id))
        # The row of a game that is over may have been removed since by the process that archived it.
        if line.status != "over" and self._written.find(line.id) == (written, fence.epoch):
            return None
        created = datetime.fromisoformat(snapshot.created_at)
        changed = to_milliseconds(datetime.fromisoformat(snapshot.listed_at))
        ended = to_milliseconds(datetime.fromisoformat(snapshot.ended_at)) if snapshot.ended_at else 0
        keys = (_LINES, _LISTS, ALL_EXPORTS, fence.key)
        arguments: tuple[str | bytes | int, ...] = (
            line.id,
            f"{line.version:08d}",
            written,
            write_member(created, line.id),
            changed,
            PREFIX,
            ended,
            MARK,
            *fence.arguments,
            *lists_of(line),
        )
        return ScriptCall(
            self._script, keys, arguments, partial(self._settle, line.id, (written, fence.epoch))
        )

    def _settle(self, game: str, written: tuple[bytes, str | None], reply: int) -> int:
        """Remember what was written; return what `update` does. Raises Fenced."""
        if reply == _FENCED:
            raise Fenced
        if not reply:
            self._written.keep(game, written)
        return reply

    def read_fence(self, game: str) -> Fence:
        """Return the present view of a game's log, to be asked for before the game is read.

        Raises Unavailable.
        """
        return read_fence(self._redis, "lobby", PROJECTOR, game)

    def remove(self, game: str) -> None:
        """Remove a game's row, and the game from all lists. Raises Unavailable."""
        with translate_redis_errors():
            stored = self._redis.hget(_LINES, game)
            if stored is not None:
                member = write_member(datetime.fromisoformat(decode_line(stored).created), game)
                self._redis.eval(_REMOVE, 2, _LINES, _LISTS, game, PREFIX, member)
        self._written.drop(game)

    def page(
        self, game_filter: GameFilter = EVERYTHING, cursor: str | None = None, limit: int = 20
    ) -> LobbyPage:
        """Return the games that match a filter, newest first, by creation or by change.

        A page may have fewer rows than `limit` and still have a cursor: it ends where too many rows had to be
        searched. Raises BadCursor and Unavailable.
        """
        place = None if cursor is None else decode_cursor(cursor, game_filter.order)
        found = list[LobbyGame]()
        for _ in range(1 + MOST_LOOKED_AT // (limit + 1)):
            members, archived = self._read_members(game_filter, place, limit + 1)
            for member, line in zip(members, self._read_rows(members, archived), strict=True):
                if line is not None and game_filter.matches(line):
                    if len(found) == limit:
                        return _cut_page(found, place, game_filter)
                    found.append(line)
                place = member
            if len(members) <= limit:
                return LobbyPage(tuple(found), None)
        return _cut_page(found, place, game_filter)

    def _read_members(
        self, game_filter: GameFilter, place: bytes | None, number: int
    ) -> tuple[Sequence[bytes], set[bytes]]:
        """Return up to `number` members of the filter's list that come after a cursor's place.

        Also returns which of them only the list of archived games has.
        """
        name = game_filter.list_name
        with translate_redis_errors():
            if game_filter.order == "changed":
                members = self._read_changed(f"{PREFIX}changed:{name}", game_filter.since, place, number)
            else:
                start = "+" if place is None else b"(" + place
                members = self._redis.zrevrangebylex(PREFIX + name, start, "-", 0, number)
        archived = self._archived.read_down(game_filter.order, name, place, number)
        return sorted({*members, *archived}, reverse=True)[:number], set(archived) - set(members)

    def _read_changed(self, name: str, since: str, place: bytes | None, number: int) -> Sequence[bytes]:
        """Return up to `number` members that changed after `since` and come after a cursor's place.

        Games that changed in the same millisecond as the place are read separately, and ordered by their ids.
        """
        least = f"({to_milliseconds(datetime.fromisoformat(since))}" if since else "-inf"
        most = "+inf"
        same = list[Any]()
        if place is not None:
            most = f"({age_in(place)}"
            same = self._redis.zrevrangebyscore(name, age_in(place), age_in(place), withscores=True)
        rest = self._redis.zrevrangebyscore(name, most, least, 0, number, withscores=True)
        members = (b"%015d|%b" % (int(score), game) for game, score in [*same, *rest])
        return [member for member in members if place is None or member < place][:number]

    def list_exports(self, edition: str, place: bytes, number: int) -> Sequence[bytes]:
        """Return up to `number` games for export after a cursor's place, in the order in which they ended.

        An empty edition stands for all. A game that is listed late comes last. Raises Unlisted until all
        games were listed once, and Unavailable.
        """
        return read_exports(self._redis, edition, place, number)

    def list_games_of(self, player: str, place: bytes, number: int) -> Sequence[bytes]:
        """Return up to `number` listed games of a player after a cursor's place, longest unchanged first.

        Raises Unlisted until all games were listed, and Unavailable.
        """
        if not self.is_whole():
            raise Unlisted
        name = name_players_list(player)
        key = f"{PREFIX}changed:{name}"
        return _read_up(self._redis, key, "changed", name=name, place=place, number=number)

    def find(self, game: str) -> LobbyGame | None:
        """Return the row of a game, or None. Raises Unavailable."""
        with translate_redis_errors():
            stored = self._redis.hget(_LINES, game)
        return None if stored is None else decode_line(stored)

    def _read_rows(self, members: Sequence[bytes], archived: set[bytes]) -> list[LobbyGame | None]:
        """Return the row of each member, or None where it has gone since the list was read."""
        games = [game_in(member) for member in members]
        with translate_redis_errors():
            found = self._redis.hmget(_LINES, games) if members else []
        missing = [game for game, stored in zip(games, found, strict=True) if stored is None]
        derived = self._store.read_derived(missing) if self._store and missing else {}
        rows = list[LobbyGame | None]()
        for game, stored, member in zip(games, found, members, strict=True):
            if stored is not None:
                # A game that came back from the archive has a place among the others, and its former one.
                rows.append(None if member in archived else decode_line(stored))
            else:
                rows.append(decode_sealed(derived[game]).line if game in derived else None)
        return rows

    def find_places(self, line: LobbyGame) -> dict[str, int]:
        """Return the places of a game in the lists of exports, by their names. Raises Unavailable."""
        names = [name for name in lists_of(line) if name.startswith(name_exports_list(""))]
        with translate_redis_errors():
            found = [self._redis.zscore(PREFIX + name, line.id) for name in names]
        return {name: int(place) for name, place in zip(names, found, strict=True) if place is not None}

    def is_listed(self, game: str, version: int) -> bool:
        """Return whether the row of a game is that of this version. Raises Unavailable."""
        with translate_redis_errors():
            stored = self._redis.hget(_LINES, game)
        return stored is not None and decode_line(stored).version == version

    def remove_archived(self, game: str, places: Mapping[str, int]) -> None:
        """Remove a game that is listed as an archived one. Raises Unavailable.

        A game that comes late still comes after those that went to the archive.
        """
        with translate_redis_errors():
            for name, place in places.items():
                self._redis.zadd(PREFIX + name, {LAST_ARCHIVED: place}, gt=True)
        self.remove(game)

    def active_games(self) -> Sequence[str]:
        """Return the ids of all games that are being played. Raises Unavailable."""
        with translate_redis_errors():
            members = self._redis.zrange(PREFIX + name_list("playing", ALL), 0, -1)
        return [game_in(member) for member in members]

    def list_ids(self) -> Iterator[str]:
        """Yield the ids of all games that have a row. Raises Unavailable."""
        with translate_redis_errors():
            for game, _ in self._redis.hscan_iter(_LINES, count=1000):
                yield game.decode()

    def is_whole(self) -> bool:
        """Return whether all games were listed since the lobby was last cleared. Raises Unavailable."""
        with translate_redis_errors():
            return bool(self._redis.exists(WHOLE))

    def mark_incomplete(self) -> None:
        """Say that games may be missing: a reconciler reads all of them again. Raises Unavailable."""
        with translate_redis_errors():
            self._redis.delete(WHOLE, _FILLING)

    def forget_lines(self) -> None:
        """Forget what this process has written: the next update of each game writes it again."""
        self._written = RecentlyUsed(MOST_LINES)

    def begin_filling(self, who: str) -> None:
        """Record that `who` has begun to list all games. Raises Unavailable."""
        with translate_redis_errors():
            self._redis.set(_FILLING, who)

    def mark_whole(self, who: str) -> None:
        """Mark the lobby as complete and end the claim of this rebuild.

        Does nothing if the lobby was cleared or another rebuild began meanwhile: games may be missing then.
        """
        with translate_redis_errors():
            keys = (_FILLING, WHOLE, _REBUILDER, ALL_EXPORTS)
            self._redis.eval(_MARK_WHOLE, len(keys), *keys, who, MARK, BEFORE_ALL)

    def claim_rebuild(self, who: str, seconds: int) -> bool:
        """Claim the rebuild for `who`, or renew the claim; return False if another process has it.

        Two at once would do the same work twice. Raises Unavailable.
        """
        with translate_redis_errors():
            if self._redis.set(_REBUILDER, who, nx=True, ex=seconds):
                return True
            mine = self._redis.get(_REBUILDER) == who.encode()
            return mine and bool(self._redis.expire(_REBUILDER, seconds))

    def clear(self) -> None:
        """Drop everything but the lists of exports and the statistics. Raises Unavailable.

        The log does not tell the order of exports, and readers have cursors into it. What was counted is
        compared with the log by a rebuild, and what was rated stays.
        """
        self.forget_lines()
        with translate_redis_errors():
            keys = self._redis.scan_iter(PREFIX + "*", count=1000)
            # These two are named, because they may be written after the scan passed their place.
            self._redis.delete(WHOLE, _FILLING, *(key for key in keys if not is_kept(key)))


def _cut_page(found: Sequence[LobbyGame], place: bytes | None, game_filter: GameFilter) -> LobbyPage:
    """Return a page that ends at that place, with the cursor of the next one."""
    return LobbyPage(tuple(found), None if place is None else encode_cursor(place, game_filter.order))
