"""Lists archived games in little room: `ArchivedGames`.

The rows of the list of games are in the private part of the archive. Redis keeps an entry for each list that
a game is in, in one order of all entries: the list, the time, the game.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from heapq import merge
from importlib.resources import files
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct
from redis import Redis

from events.redis import translate_redis_errors
from rules import EDITIONS
from service.games.cursors import age_in, game_in, to_milliseconds
from service.lobby.filters import Order
from service.lobby.rows import ALL, PREFIX, LobbyGame, lists_of_people, name_list

# Kept when the lobby is cleared: none of it is read from logs again.
ARCHIVED = PREFIX + "archive:2:"
# What the first form is called: there players had a row of each archived game.
_FORMER = PREFIX + "archive:"
ENTRIES = ARCHIVED + "entries"
COUNTS = ARCHIVED + "counts"
# Set once all archived games were listed; lost together with the entries.
_WHOLE = ARCHIVED + "whole"
# The lists that are read from the oldest member on: of exports, and of players by the last change.
UpOrder = Literal["exports", "changed"]
_LIST_BYTES = 5
_TIME_BYTES = 6
_ID_BYTES = 17
_LAST = b"\xff" * (_TIME_BYTES + 1)
_ID_PREFIX = "g_"
# The letters of ids in the order of their codes, and in the order of what base64 takes them for.
_BY_CODE = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_BY_VALUE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_TO_VALUES = str.maketrans(_BY_CODE, _BY_VALUE)
_TO_CODES = str.maketrans(_BY_VALUE, _BY_CODE)


def pack_id(game: str) -> bytes:
    """Return the id of a game in 17 bytes, in the order of the ids; an id of another form as it is."""
    packed = b""
    if len(game) == 24 and game.startswith(_ID_PREFIX) and set(game) <= set(_BY_CODE):
        packed = urlsafe_b64decode(game.removeprefix(_ID_PREFIX).translate(_TO_VALUES) + "AA")[:_ID_BYTES]
    return packed if packed and unpack_id(packed) == game else b"=" + game.encode().ljust(_ID_BYTES, b"=")


def unpack_id(packed: bytes) -> str:
    """Return the id that was packed into these bytes."""
    if len(packed) != _ID_BYTES:
        return packed.strip(b"=").decode()
    text = urlsafe_b64encode(packed + b"\0").decode()[:22]
    return _ID_PREFIX + text.translate(_TO_CODES)


def name_archived_lists(name: str) -> Sequence[str]:
    """Return the lists of archived games that have the members of a list of the lobby."""
    status, _, edition = name.partition(":")
    if status in ("name", "player", "exports"):
        return [name]
    editions = list(EDITIONS.newest) if edition == ALL else [edition]
    return [name_list("over", one) for one in editions] if status in (ALL, "over") else []


def _lists_of(line: LobbyGame) -> Iterator[str]:
    """Yield the lists of archived games that a row belongs to; none if it stands in no public list."""
    if line.is_listed:
        yield name_list("over", line.edition)
        yield from dict.fromkeys(lists_of_people(line))


def _name_entry(order: str, name: str, time: int, game: str) -> bytes:
    """Return the entry of a game in a list of this order."""
    return _name_range(order, name) + max(0, time).to_bytes(_TIME_BYTES, "big") + pack_id(game)


def _name_range(order: str, name: str) -> bytes:
    """Return what all entries of a list begin with."""
    return sha256(f"{order}|{name}".encode()).digest()[:_LIST_BYTES]


class SealedGame(Struct, frozen=True):
    """Holds what was derived from an archived game: its row, what it counts, and its places among exports."""

    line: LobbyGame
    counts: dict[str, int]
    exports: dict[str, int]

    def encode(self) -> dict[str, Raw]:
        """Return the members for the private part of the archive."""
        return {name: Raw(msgspec.json.encode(getattr(self, name))) for name in self.__struct_fields__}


def decode_sealed(derived: Mapping[str, Raw]) -> SealedGame:
    """Return what the private part of the archive has."""
    return msgspec.json.decode(msgspec.json.encode(derived), type=SealedGame)


def _list_entries(line: LobbyGame, exports: Mapping[str, int]) -> list[bytes]:
    """Return all entries of a row; `exports` has the places of the game in lists of exports."""
    created = to_milliseconds(datetime.fromisoformat(line.created))
    changed = to_milliseconds(datetime.fromisoformat(line.updated))
    entries = []
    for name in _lists_of(line):
        entries.append(_name_entry("created", name, created, line.id))
        entries.append(_name_entry("changed", name, changed, line.id))
    entries += [_name_entry("exports", name, place, line.id) for name, place in exports.items()]
    return entries


def name_seal(game: str) -> bytes:
    """Return the entry that says that a game is sealed."""
    return _name_entry("sealed", "", 0, game)


def count_for_players(line: LobbyGame) -> dict[str, dict[str, int]]:
    """Return what a listed game counts for each of its players, by the names that their profiles have."""
    counts: dict[str, dict[str, int]] = {}
    for seat in line.seats if line.is_listed else ():
        if seat.player:
            own = counts.setdefault(seat.player, {line.status: 1})
            if line.winners is not None:
                own[f"finished:{line.edition}"] = 1
                if seat.seat in line.winners:
                    own[f"won:{line.edition}"] = 1
    return counts


class ArchivedGames:
    """Reads and writes the lists of archived games. Each method raises Unavailable."""

    def __init__(self, client: Redis) -> None:
        """Use the lists in that client's Redis."""
        self._redis: Any = client
        text = files("service.lobby").joinpath("archived_games.lua").read_text("utf-8")
        self._script = client.register_script(text)

    def seal(self, sealed: SealedGame, live_counts: str, live_games: str) -> None:
        """List an archived game, and count it for good. May be called twice.

        What it counts leaves the counts of the other games, whose keys are given.
        """
        self._change("seal", sealed, live_counts, live_games)

    def unseal(self, sealed: SealedGame, live_counts: str, live_games: str) -> None:
        """Take back what `seal` did."""
        self._change("unseal", sealed, live_counts, live_games)

    def unlist(self, sealed: SealedGame) -> None:
        """Take an archived game off the lists of games; it stays counted and among the exports."""
        with translate_redis_errors():
            self._script((ENTRIES,), ("unlist", *_list_entries(sealed.line, {})))

    def _change(self, change: str, sealed: SealedGame, live_counts: str, live_games: str) -> None:
        game = sealed.line.id
        counts = msgspec.json.encode(sealed.counts)
        entries = _list_entries(sealed.line, sealed.exports)
        with translate_redis_errors():
            keys = (ENTRIES, COUNTS, live_counts, live_games)
            players = msgspec.json.encode(count_for_players(sealed.line))
            self._script(keys, (change, game, counts, players, name_seal(game), *entries))

    def is_sealed(self, game: str) -> bool:
        """Return whether a game was listed and counted as an archived one."""
        seal = b"[" + name_seal(game)
        with translate_redis_errors():
            return bool(self._script((ENTRIES,), ("read", 1, 1, seal, seal))[0])

    def read_down(self, order: Order, name: str, place: bytes | None, number: int) -> list[bytes]:
        """Return up to `number` members of a list of the lobby before a cursor's place, newest first."""
        ranges = []
        for one in name_archived_lists(name):
            start = _name_range(order, one)
            end = b"[" + start + _LAST
            if place is not None:
                end = b"(" + _name_entry(order, one, age_in(place), game_in(place))
            ranges += [b"[" + start, end]
        found = self._read(True, ranges, number)
        return list(islice(merge(*found, reverse=True), number))

    def read_up(self, order: UpOrder, name: str, place: bytes, number: int) -> list[bytes]:
        """Return up to `number` members of a list of exports or of a player after a place, oldest first."""
        start = b"(" + _name_entry(order, name, age_in(place), game_in(place))
        (found,) = self._read(False, [start, b"[" + _name_range(order, name) + _LAST], number) or [[]]
        return found

    def _read(self, down: bool, ranges: Sequence[bytes], number: int) -> list[list[bytes]]:
        """Return the members of each range, as the lists of the lobby have them."""
        if not ranges:
            return []
        with translate_redis_errors():
            replies = self._script((ENTRIES,), ("read", int(down), number, *ranges))
        return [[_read_member(entry) for entry in reply] for reply in replies]

    def read_counts_of(self, player: str) -> dict[str, int]:
        """Return what a player's archived games count."""
        with translate_redis_errors():
            found = self._redis.hgetall(f"{COUNTS}:{player}")
        return {name.decode(): int(number) for name, number in found.items()}

    def forget_player(self, player: str) -> None:
        """Delete what a player's archived games count."""
        with translate_redis_errors():
            self._redis.delete(f"{COUNTS}:{player}")

    def forget_former(self) -> None:
        """Delete the lists of another form, once those of this one are whole."""
        with translate_redis_errors():
            for kind in ("entries", "counts", "whole"):
                for key in self._redis.scan_iter(f"{_FORMER}{kind}*", count=1000):
                    self._redis.unlink(key)

    def is_whole(self) -> bool:
        """Return whether all archived games were listed."""
        with translate_redis_errors():
            return bool(self._redis.exists(_WHOLE))

    def mark_incomplete(self) -> None:
        """Have all archived games listed again, from the archive."""
        with translate_redis_errors():
            self._redis.delete(_WHOLE)

    def mark_whole(self) -> None:
        """Record that all archived games were listed."""
        with translate_redis_errors():
            self._redis.set(_WHOLE, 1)


def _read_member(entry: bytes) -> bytes:
    """Return an entry as the lists of the lobby have it."""
    time = int.from_bytes(entry[_LIST_BYTES : _LIST_BYTES + _TIME_BYTES], "big")
    return b"%015d|%b" % (time, unpack_id(entry[_LIST_BYTES + _TIME_BYTES :]).encode())
