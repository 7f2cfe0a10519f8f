"""What players are called now: looked up whenever something is shown, for the log does not know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from time import monotonic
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from redis import Redis

from events.redis_client import translate_redis_errors
from rules.state import EMPTY, Seat, State
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import Snapshot
from service.players.keys import player_key

ERASED = "erased player"
MOST_NAMES = 10_000
# Every process has heard of a new name, or of none, after so many seconds.
SECONDS = 0.5


class Known(Struct, frozen=True):
    """`renames` is None for one who was erased."""

    name: str
    renames: int | None
    read_at: float


class Names:
    def __init__(self, client: Redis, clock: Callable[[], float] = monotonic) -> None:
        self._redis: Any = client
        self._clock = clock
        self._known: RecentlyUsed[Known] = RecentlyUsed(MOST_NAMES)

    def look_up(self, players: Iterable[str]) -> Mapping[str, str]:
        """The name of each. Raises Unavailable."""
        return {player: known.name for player, known in self._look_up(players).items()}

    def _look_up(self, players: Iterable[str]) -> Mapping[str, Known]:
        oldest, known = self._clock() - SECONDS, {}
        for player in players:
            found = self._known.find(player)
            known[player] = found if found is not None and found.read_at >= oldest else None
        missing = [player for player, found in known.items() if found is None]
        read = self._read(missing) if missing else {}
        return {player: found or read[player] for player, found in known.items()}

    def _read(self, players: list[str]) -> dict[str, Known]:
        now = self._clock()
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for player in players:
                batch.hmget(player_key(player), "name", "renames")
            rows = zip(players, batch.execute(), strict=True)
        found = {player: _known(name, renames, now) for player, (name, renames) in rows}
        for player, known in found.items():
            self._known.keep(player, known)
        return found

    def forget(self, player: str) -> None:
        """Whoever has just been renamed or erased here is looked up again at once."""
        self._known.drop(player)

    def put_into(self, snapshot: Snapshot) -> Snapshot:
        """The same game with names at its table. Raises Unavailable."""
        # Who plays elsewhere is no player here, whatever a file says.
        named = snapshot.state if snapshot.imported else self.name_seats(snapshot.state)
        return snapshot if named is snapshot.state else replace(snapshot, state=named)

    def name_seats(self, state: State) -> State:
        """The same table with names; itself where no player sits. Raises Unavailable."""
        players = _players_of(state)
        if not players:
            return state
        names = self.look_up(players)
        return replace(state, seats=tuple(_name_seat(seat, names) for seat in state.seats))

    def mark(self, snapshot: Snapshot) -> str:
        """Tells tables of one version apart by the names at them; empty until somebody changes theirs."""
        state = EMPTY if snapshot.imported else snapshot.state
        changes = [(player, known.renames) for player, known in self._look_up(_players_of(state)).items()]
        if all(renames == 0 for _, renames in changes):
            return ""
        return "-n" + sha256(repr(changes).encode()).hexdigest()[:8]


def _name_seat(seat: Seat, names: Mapping[str, str]) -> Seat:
    return replace(seat, name=names[seat.player]) if seat.player else seat


def _players_of(state: State) -> list[str]:
    return [seat.player for seat in state.seats if seat.player]


def _known(name: bytes | None, renames: bytes | None, now: float) -> Known:
    if name is None:
        return Known(ERASED, None, now)
    return Known(name.decode(), int(renames or 0), now)
