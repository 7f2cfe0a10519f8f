"""Looks up what players are called now, whenever something is shown: the log has no names of players."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from hashlib import sha256
from time import monotonic
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from redis import Redis

from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors
from rules import State
from rules.explain.english import ENGLISH
from rules.state import EMPTY, Seat
from service.games.snapshots import Snapshot
from service.players.players import NAME_CHANGES, player_key

ERASED = ENGLISH.erased
MOST_NAMES = 10_000
# After a restore the counter of changes may repeat old values: cached names expire after this.
SECONDS = 0.5
NO_CHANGE = b"0"


class KnownName(Struct, frozen=True):
    """Holds a name as it was read. `renames` is None for an erased player.

    `count` is the number of all changes of names, read before the name.
    """

    name: str
    renames: int | None
    count: bytes
    read_at: float


class Names:
    """Caches names. A counter of all renames and erasures says whether the cache is still valid.

    After the reply to a rename or an erasure no process shows the old name any more.
    """

    def __init__(self, client: Redis, clock: Callable[[], float] = monotonic) -> None:
        """Read names from that client's Redis."""
        self._redis: Any = client
        self._clock = clock
        self._known: RecentlyUsed[KnownName] = RecentlyUsed(MOST_NAMES)
        self._shown: dict[str, KnownName] | None = None

    def for_one_reply(self) -> Names:
        """Return a copy that looks up each player once, so that a reply shows one name for each."""
        one = copy(self)
        one._shown = {}
        return one

    def look_up(self, players: Iterable[str]) -> Mapping[str, str]:
        """Return the name of each player. Raises Unavailable."""
        return {player: known.name for player, known in self._look_up(players).items()}

    def _look_up(self, players: Iterable[str]) -> Mapping[str, KnownName]:
        """Return the name of each player; within one reply, the one that was shown first."""
        wanted = list(dict.fromkeys(players))
        if self._shown is None:
            return self._find(wanted)
        self._shown |= self._find([player for player in wanted if player not in self._shown])
        return {player: self._shown[player] for player in wanted}

    def _find(self, wanted: list[str]) -> Mapping[str, KnownName]:
        """Return the name of each player: from the cache if no name has changed since, else from Redis."""
        if not wanted:
            return {}
        found = self._find_recent(wanted)
        missing = [player for player in wanted if player not in found]
        count, read = self._read(missing) if missing else (self._ask_count(), {})
        outdated = [player for player, known in found.items() if known.count != count]
        found |= read | (self._read(outdated)[1] if outdated else {})
        return {player: found[player] for player in wanted}

    def _find_recent(self, players: Iterable[str]) -> dict[str, KnownName]:
        """Return the cached names that are not too old."""
        oldest = self._clock() - SECONDS
        known = ((player, self._known.find(player)) for player in players)
        return {player: found for player, found in known if found is not None and found.read_at >= oldest}

    def _ask_count(self) -> bytes:
        """Return the number of all changes of names."""
        with translate_redis_errors():
            count: bytes | None = self._redis.get(NAME_CHANGES)
        return count or NO_CHANGE

    def _read(self, players: list[str]) -> tuple[bytes, dict[str, KnownName]]:
        """Read the number of changes and the names of these players, and cache them.

        The number is read first: a change that comes between is noticed at the next look, and read again.
        """
        now = self._clock()
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            batch.get(NAME_CHANGES)
            for player in players:
                batch.hmget(player_key(player), "name", "renames")
            counted, *rows = batch.execute()
        count = counted or NO_CHANGE
        found = [_known(name, renames, count, now) for name, renames in rows]
        for player, known in zip(players, found, strict=True):
            self._known.keep(player, known)
        return count, dict(zip(players, found, strict=True))

    def put_into(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot with the names of its players. Raises Unavailable."""
        # The players of an imported game are not players of this service, whatever its file says.
        named = snapshot.state if snapshot.imported_at else self.name_seats(snapshot.state)
        return snapshot if named is snapshot.state else replace(snapshot, state=named)

    def name_seats(self, state: State) -> State:
        """Return the state with the names of its players. Raises Unavailable."""
        players = _players_of(state)
        if not players:
            return state
        known = self._look_up(players)
        return replace(state, seats=tuple(_name_seat(seat, known) for seat in state.seats))

    def mark(self, snapshot: Snapshot) -> str:
        """Return a suffix for the ETag that changes with the names; empty until a player is renamed."""
        state = EMPTY if snapshot.imported_at else snapshot.state
        changes = [(player, known.renames) for player, known in self._look_up(_players_of(state)).items()]
        if all(renames == 0 for _, renames in changes):
            return ""
        return "-n" + sha256(repr(changes).encode()).hexdigest()[:8]


def _name_seat(seat: Seat, known: Mapping[str, KnownName]) -> Seat:
    """Put the name into a seat. `is_erased` is set apart, for a player may be named like the erased."""
    if not seat.player:
        return seat
    player = known[seat.player]
    return replace(seat, name=player.name, is_erased=player.renames is None)


def _players_of(state: State) -> list[str]:
    """Return the players who sit at a table."""
    return [seat.player for seat in state.seats if seat.player]


def _known(name: bytes | None, renames: bytes | None, count: bytes, now: float) -> KnownName:
    """Return a name as it is stored; that of an erased player if it is missing."""
    if name is None:
        return KnownName(ERASED, None, count, now)
    return KnownName(name.decode(), int(renames or 0), count, now)
