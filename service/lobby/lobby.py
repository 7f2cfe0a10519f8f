"""The list of games: derived from the log, kept in Redis, rebuilt whenever one likes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any, get_args

import msgspec
from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from events.values import PUBLIC, GameId, Moment
from rules.editions import EDITIONS
from rules.state import State, Status
from service.lobby.cursors import decode_cursor, encode_cursor
from service.play.recently_used import RecentlyUsed
from service.timestamps import stamp

# One hash tag, so that all of it lies in one slot of a cluster.
_PREFIX = "croupier:{lobby}:"
_LINES = _PREFIX + "games"
WHOLE = _PREFIX + "whole"
_REBUILDER = _PREFIX + "rebuilder"
MOST_LINES = 10_000
_ALL = "*"
_WIDTH = 4
_STATUSES: tuple[Status, ...] = get_args(Status)
_SCRIPT = files("service.lobby").joinpath("lobby.lua").read_text("utf-8")


class LobbySeat(Struct, frozen=True, omit_defaults=True):
    seat: int
    name: str | None
    bot: str | None = None
    open: bool = False
    player: str = ""


class LobbyGame(Struct, frozen=True):
    """One line of the list; nothing in it is secret."""

    id: GameId
    edition: str
    status: Status
    created: Moment
    round: int
    rounds: int
    seats: tuple[LobbySeat, ...]
    winners: tuple[int, ...] | None = None


class LobbyPage(Struct, frozen=True):
    games: tuple[LobbyGame, ...]
    cursor: str | None
    """Where the next page begins; None on the last."""


_decoder = msgspec.json.Decoder(LobbyGame)


class Lobby:
    """Updates may come twice and in any order: the one that has seen most of the game wins."""

    def __init__(self, client: Redis) -> None:
        self._redis: Any = client
        self._written: RecentlyUsed[tuple[bytes, int]] = RecentlyUsed(MOST_LINES)

    def update(self, game: str, state: State, at: datetime, branch: int = 0) -> None:
        """`at` is when the game was created: it fixes the game's place in the list for good.

        On another branch of the log than the last time, the game may have gone back, and its line does.
        A game by rules that only a newer program knows stays as that one listed it.
        """
        if not EDITIONS.knows(state):
            return
        line = msgspec.json.encode(_line(game, state, at))
        known = self._written.find(game)
        if known == (line, branch):
            return
        moved = known is not None and known[1] != branch
        inside, outside = _indexes(state)
        keys = (_LINES, *inside, *outside)
        with translate_redis_errors():
            self._redis.eval(
                *(_SCRIPT, len(keys), *keys),
                *(game, _progress(state), line, _member(game, at), len(inside), int(moved)),
            )
        self._written.keep(game, (line, branch))

    def page(
        self,
        status: str | None = None,
        edition: str | None = None,
        cursor: str | None = None,
        limit: int = 20,
    ) -> LobbyPage:
        """Newest first. Raises BadCursor and Unavailable."""
        start = "+" if cursor is None else b"(" + decode_cursor(cursor)
        # The list of all editions has a name too, which is nobody's to ask for.
        if edition not in (None, *EDITIONS.newest):
            return LobbyPage((), None)
        index = _index(status or _ALL, edition or _ALL)
        with translate_redis_errors():
            members = self._redis.zrevrangebylex(index, start, "-", 0, limit + 1)
            lines = self._lines([_game(member) for member in members[:limit]])
        return LobbyPage(lines, encode_cursor(members[limit - 1]) if len(members) > limit else None)

    def _lines(self, games: Sequence[str]) -> tuple[LobbyGame, ...]:
        found = self._redis.hmget(_LINES, games) if games else []
        return tuple(_decoder.decode(line[_WIDTH:]) for line in found if line is not None)

    def active_games(self) -> Sequence[str]:
        """Every game that is being played."""
        with translate_redis_errors():
            members = self._redis.zrange(_index("playing", _ALL), 0, -1)
        return [_game(member) for member in members]

    def is_whole(self) -> bool:
        """Whether all games were listed since it was last cleared."""
        with translate_redis_errors():
            return bool(self._redis.exists(WHOLE))

    def forget_lines(self) -> None:
        """What was written may have been dropped by others: the next update of each game writes it again."""
        self._written = RecentlyUsed(MOST_LINES)

    def mark_whole(self) -> None:
        with translate_redis_errors():
            self._redis.set(WHOLE, 1)

    def claim_rebuild(self, who: str, seconds: int) -> bool:
        """Whether this one is to rebuild it now: two at once would do the same work twice."""
        with translate_redis_errors():
            if self._redis.set(_REBUILDER, who, nx=True, ex=seconds):
                return True
            mine = self._redis.get(_REBUILDER) == who.encode()
            return mine and bool(self._redis.expire(_REBUILDER, seconds))

    def clear(self) -> None:
        self.forget_lines()
        with translate_redis_errors():
            keys = list(self._redis.scan_iter(_PREFIX + "*", count=1000))
            if keys:
                self._redis.delete(*keys)


def _line(game: str, state: State, at: datetime) -> LobbyGame:
    numbered, rounds = enumerate(state.seats), EDITIONS.of(state).rounds
    seats = tuple(LobbySeat(seat, one.name, one.bot, one.name is None, one.player) for seat, one in numbered)
    return LobbyGame(game, state.edition, state.status, stamp(at), state.round, rounds, seats, state.winners)


def _progress(state: State) -> str:
    """Grows with the game, in as many digits always: status, round, seats taken."""
    taken = sum(seat.name is not None for seat in state.seats)
    return f"{_STATUSES.index(state.status)}{state.round:02d}{taken}"


def _indexes(state: State) -> tuple[list[str], list[str]]:
    """Those the game belongs to, and those it may have been in before."""
    if state.visibility != PUBLIC:
        return [], []
    editions = (state.edition, _ALL)
    inside = [_index(status, edition) for status in (state.status, _ALL) for edition in editions]
    others = [status for status in _STATUSES if status != state.status]
    return inside, [_index(status, edition) for status in others for edition in editions]


def _index(status: str, edition: str) -> str:
    return f"{_PREFIX}{status}:{edition}"


def _member(game: str, at: datetime) -> str:
    """Sorts by age as text."""
    return f"{int(at.timestamp() * 1000):015d}|{game}"


def _game(member: bytes) -> str:
    return member.decode().partition("|")[2]
