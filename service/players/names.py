"""Looks up what players are called now, whenever something is shown: the log has no names of players."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from redis import Redis

from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors
from rules import State
from rules.explain.english import ERASED
from rules.state import EMPTY, Seat
from service.catalog.bots import name_bot
from service.games.snapshots import Snapshot
from service.players.places import PlayerKeys, find_keys

if TYPE_CHECKING:
    from service.lobby.rows import LobbySeat
    from service.players.feed import MySeat

SeatRow = TypeVar("SeatRow", "Seat", "LobbySeat", "MySeat")
MOST_NAMES = 10_000
# After a restore the counter of changes may repeat old values: cached names expire after this.
SECONDS = 0.5
NO_CHANGE = b"0"


class KnownName(Struct, frozen=True):
    """Holds a name as it was read. `renames` is None for an erased player.

    `count` is the number of changes of names in the slot of the player, read before the name.
    """

    name: str
    renames: int | None
    count: bytes
    read_at: float


class Names:
    """Caches names. In each slot a counter of renames and erasures says whether the cache is still valid.

    The counter lies with the names that it vouches for, and is changed together with them. After the reply
    to a rename or an erasure no process shows the old name any more.
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
        slots = {player: self._keys.slot_of(player) for player in wanted}
        counts, read = self._read(missing, set(slots.values()))
        outdated = [player for player, known in found.items() if known.count != counts[slots[player]]]
        if outdated:
            read |= self._read(outdated, {slots[player] for player in outdated})[1]
        found |= read
        return {player: found[player] for player in wanted}

    @property
    def _keys(self) -> PlayerKeys:
        return find_keys(self._redis)

    def _find_recent(self, players: Iterable[str]) -> dict[str, KnownName]:
        """Return the cached names that are not too old."""
        oldest = self._clock() - SECONDS
        known = ((player, self._known.find(player)) for player in players)
        return {player: found for player, found in known if found is not None and found.read_at >= oldest}

    def _read(
        self, players: Sequence[str], slots: Collection[str]
    ) -> tuple[dict[str, bytes], dict[str, KnownName]]:
        """Read the number of changes in these slots and the names of these players, and cache them.

        The numbers are read first: a change that comes between is noticed at the next look, and read again.
        """
        now = self._clock()
        names = self._keys
        with translate_redis_errors():
            if len(slots) == 1 and not players:
                (slot,) = slots
                return {slot: self._redis.get(names.name_changes(slot)) or NO_CHANGE}, {}
            with self._redis.pipeline(transaction=False) as batch:
                for slot in slots:
                    batch.get(names.name_changes(slot))
                for player in players:
                    batch.hmget(names.record(player), "name", "renames")
                replies = batch.execute()
        counted = zip(slots, replies[: len(slots)], strict=True)
        counts = {slot: count or NO_CHANGE for slot, count in counted}
        found = {}
        for player, (name, renames) in zip(players, replies[len(slots) :], strict=True):
            found[player] = _known(name, renames, counts[names.slot_of(player)], now)
            self._known.keep(player, found[player])
        return counts, found

    def put_into(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot with the names of its players. Raises Unavailable."""
        if snapshot.imported_at:
            # Its players are not players of this service, whatever its file says.
            return name_bots_only(snapshot)
        named = self.name_seats(snapshot.state)
        return snapshot if named is snapshot.state else replace(snapshot, state=named)

    def name_seats(self, state: State) -> State:
        """Return the state with the names of its players and bots. Raises Unavailable."""
        players = _players_of(state)
        bots = [seat.bot for seat in state.seats if seat.bot]
        if not players and not bots:
            return state
        known = self._look_up(players) if players else {}
        return replace(state, seats=tuple(_name_seat(seat, known) for seat in name_bots(state.seats)))

    def mark(self, snapshot: Snapshot) -> str:
        """Return a suffix for the ETag that changes with the names; empty until a player is renamed."""
        state = EMPTY if snapshot.imported_at else snapshot.state
        changes = [(player, known.renames) for player, known in self._look_up(_players_of(state)).items()]
        if all(renames == 0 for _, renames in changes):
            return ""
        return "-n" + sha256(repr(changes).encode()).hexdigest()[:8]


def name_bots_only(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with the names of its bots; those of its people stay as the log has them."""
    return replace(snapshot, state=replace(snapshot.state, seats=name_bots(snapshot.state.seats)))


def name_bots(seats: Iterable[SeatRow]) -> tuple[SeatRow, ...]:
    """Return the seats, in their order, with the names of bots: the log has only their levels."""
    return tuple(
        replace(seat, name=name_bot(seat.bot, number)) if seat.bot else seat
        for number, seat in enumerate(seats)
    )


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
