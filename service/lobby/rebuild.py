"""Rebuilds everything that is derived from the log: `croupier rebuild`.

`Rebuild` does it in steps, for the reconciler; `rebuild_lobby` does it at once.
"""

from __future__ import annotations

import os
import secrets
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from msgspec.structs import replace
from redis import Redis

from events.archive import FOLDERS, Damaged
from events.follower import PROJECTOR as PROJECTOR
from events.follower import Fence, Fenced, Fences, RedisCursor, WentBack
from events.layout import find_layout
from events.redis import is_cluster, translate_redis_errors
from events.script_batch import ScriptBatch
from events.spread_cursor import SpreadCursor
from events.store import Unavailable
from rules import State
from rules.wording import quantity
from service.config import Settings
from service.container import Backend, open_backend, read_time_limits, time_limits_of
from service.games.deadlines import next_due
from service.games.snapshots import Snapshot
from service.lobby.due_index import LogHead
from service.players.places import find_keys
from service.run_folder import beat

# A rebuild that does not renew its claim for so long is taken to have died; another may begin.
CLAIM_SECONDS = 10
# How often a game is described again whose log is found to have gone back meanwhile.
MOST_TRIES = 5


class Rebuild:
    """Rebuilds the derived data of all games, a few at a time. Other processes may write meanwhile."""

    def __init__(self, backend: Backend) -> None:
        """Prepare a rebuild; `claim` and `begin` come first."""
        self._backend = backend
        self._who = secrets.token_hex(8)
        self._left: deque[str] = deque()
        self.games = 0
        self.faults: dict[str, Exception] = {}

    def claim(self) -> bool:
        """Claim the rebuild for this process; False while another one is at it."""
        return self._backend.lobby.claim_rebuild(self._who, CLAIM_SECONDS)

    def begin(self) -> None:
        """Begin, or begin again, with all games that the store has now. Raises Unavailable."""
        self._backend.lobby.begin_filling(self._who)
        forget_written(self._backend)
        self._backend.stats.forget_former()
        self._backend.due.take_over_former()
        self.faults = {}
        self._left = deque(sorted(self._backend.store.list_games()))
        if not self._backend.archived.is_whole():
            self._left += sorted(self._backend.store.list_archived())
        self.games = len(self._left)

    def run(self, most: int | None = None) -> bool:
        """Rebuild up to `most` games, or all that are left; return True once none is left.

        Raises Unavailable.
        """
        for _ in range(len(self._left) if most is None else min(most, len(self._left))):
            self._describe(self._left[0])
            self._left.popleft()
        if not self._left:
            self._backend.archived.mark_whole()
            self._backend.archived.forget_former()
            self._backend.due.mark_whole()
            self._backend.lobby.mark_whole(self._who)
        return not self._left

    def _describe(self, game: str) -> None:
        """Rebuild one game and record in `faults` if it cannot be read. Raises Unavailable.

        One unreadable game must not hold up the others; a store that is away must.
        """
        beat()
        try:
            with translate_redis_errors():
                describe_game(self._backend, game)
        except Exception as fault:
            if _is_outage(fault):
                raise
            self.faults[game] = fault


def _is_outage(fault: Exception) -> bool:
    """Return whether a fault concerns more than one game."""
    return isinstance(fault, Unavailable) and not isinstance(fault, Damaged)


def adopt_archived(backend: Backend, number: int, record_fault: Callable[[str, Exception], None]) -> None:
    """Let the archive win over an older Redis, after a restore, for the games of one of its folders.

    A game that Redis does not know, or of which it has only the beginning, is served from the archive then.
    One that cannot be read is recorded and left. Raises Unavailable.
    """
    archiver = backend.archiver
    if archiver is None:
        return
    for game in archiver.find_missing(number):
        beat()
        try:
            if archiver.adopt(game):
                describe_game(backend, game)
        except Exception as fault:
            if _is_outage(fault):
                raise
            record_fault(game, fault)


def adopt_all_archived(settings: Settings) -> None:
    """Let the archive win over an older Redis, before anything plays on there.

    Where archive or Redis are away, the reconciler does it when they are back. It also logs what is wrong.
    """
    with suppress(Unavailable), open_backend(settings.redis_url or "", time_limits_of(settings)) as backend:
        for number in range(FOLDERS):
            adopt_archived(backend, number, record_fault=lambda game, fault: None)


def forget_written(backend: Backend) -> None:
    """Forget what this process has written: the next update of each game writes it again."""
    backend.lobby.forget_lines()
    backend.open_games.forget_written()


def describe_game(backend: Backend, game: str) -> None:
    """Write all that is derived from one game: its rows, counts and namesakes, and when it is due.

    An archived game is not replayed: what was derived from it is in the archive. If what is stored has come
    further than the log, the log went back, and a new epoch begins. Raises Unavailable.
    """
    if seal_if_archived(backend, game):
        return
    for _ in range(MOST_TRIES):
        try:
            _describe_from_log(backend, game)
            seal_if_archived(backend, game)
            return
        except Fenced:
            continue
        except WentBack:
            begin_epochs(backend.redis, game)
    raise Unavailable(f"the log of {game} goes back faster than it can be followed")


def seal_if_archived(backend: Backend, game: str) -> bool:
    """List a game as an archived one if it is in the archive; return whether it is. Raises Unavailable.

    A process that writes rows asks before and after: the game may go to the archive meanwhile, and its stub
    is in another slot than the rows. If the process dies in between, it is given the game again.
    """
    if not backend.store.is_archived(game):
        return False
    if backend.archiver:
        backend.archiver.seal(game)
    return True


def _describe_from_log(backend: Backend, game: str) -> None:
    """Write all that is derived from the log of a game. Raises Fenced, WentBack and Unavailable."""
    in_lobby = backend.lobby.read_fence(game)
    in_feed = backend.feed.read_fences(game)
    in_public = backend.public_feed.read_fences(game)
    snapshot = backend.games.snapshot(game)
    describe_in_lobby(backend, game, snapshot, in_lobby)
    keep_players(backend, snapshot.state, in_feed)
    backend.feed.describe(game, snapshot, in_feed)
    backend.key_feed.describe(game, snapshot, in_feed)
    backend.public_feed.describe(game, snapshot, in_public)
    head = LogHead(snapshot.version, snapshot.head)
    backend.due.write_earlier(game, next_due(snapshot, backend.time_limits), head)


def make_cursors(client: Redis, seconds: float = 1.0) -> list[RedisCursor]:
    """Return the cursors of all followers; one where everything that is derived is on one server.

    In a cluster these are one for what lies with the partitions, one for the lobby, and one for the players.
    Raises Unavailable.
    """
    if not is_cluster(client):
        return [RedisCursor(client, PROJECTOR, seconds)]
    return [
        RedisCursor(client, PROJECTOR, seconds, slots=()),
        RedisCursor(client, PROJECTOR, seconds, slots=("lobby",)),
        SpreadCursor(client, PROJECTOR, seconds, slots=find_keys(client).slots),
    ]


def begin_epochs(client: Redis, game: str) -> None:
    """Begin a new epoch of the partition whose log went back. Raises Unavailable."""
    for cursor in make_cursors(client):
        cursor.positions()
        cursor.begin_epochs([find_layout(client).partition(game)])


def describe_in_lobby(
    backend: Backend, game: str, snapshot: Snapshot, fence: Fence, batch: ScriptBatch | None = None
) -> None:
    """Write all that is derived from one game in the slot of the lobby; with a batch, when that is sent.

    The row comes first, and decides whether the rest is written. Raises Fenced, Unavailable, and WentBack if
    the row has come further than the log.
    """
    call = backend.lobby.prepare(snapshot, fence)
    settle = partial(_describe_after_row, backend, game, snapshot, fence)
    if call is None:
        settle(0)
    elif batch is None:
        settle(call.run())
    else:
        batch.add(game, replace(call, settle=lambda reply: settle(call.settle(reply))))


def _describe_after_row(backend: Backend, game: str, snapshot: Snapshot, fence: Fence, further: int) -> int:
    """Write what follows the row of a game, unless the row has come further already, to version `further`.

    Raises Unavailable, and WentBack if it has come further than the log.
    """
    if further:
        if backend.store.head(game)[0] < further:
            raise WentBack(game)
        return further
    record_open_game(backend, game, snapshot, fence)
    backend.stats.record_finished(snapshot, fence)
    backend.namesakes.record(snapshot)
    return 0


def record_open_game(backend: Backend, game: str, snapshot: Snapshot, fence: Fence) -> None:
    """Record whether a game counts among its creator's open games or those of today. Raises Unavailable."""
    backend.open_games.update(
        game,
        backend.games.creator_of(game),
        is_open=snapshot.state.status != "over",
        ended_at="" if snapshot.imported_at else snapshot.ended_at,
        version=snapshot.version,
        fence=fence,
    )


def keep_players(backend: Backend, state: State, fences: Fences) -> None:
    """Keep the players of a game: those who never played are forgotten. Raises Unavailable."""
    keys = find_keys(backend.redis)
    for seat in state.seats:
        if seat.player:
            fences.attempt(keys.slot_of(seat.player), partial(backend.players.keep, seat.player))


def rebuild_lobby(backend: Backend) -> dict[str, Exception]:
    """Clear the lobby and rebuild it, and return the games that could not be read, each with its fault.

    Blocks until all games have been read. The due index stays, so that bots go on playing meanwhile. Raises
    Unavailable.
    """
    rebuilding = Rebuild(backend)
    backend.lobby.clear()
    backend.feed.clear_lists()
    backend.archived.mark_incomplete()
    rebuilding.claim()
    rebuilding.begin()
    while not rebuilding.run(most=100):
        rebuilding.claim()
    return rebuilding.faults


def main() -> int:
    """Run `croupier rebuild` and return the exit status: 1 if a game was left out. Raises Unavailable."""
    settings = Settings.from_env(os.environ)
    with open_backend(settings.redis_url or "", read_time_limits()) as backend:
        RedisCursor(backend.redis, PROJECTOR).forget()
        faults = rebuild_lobby(backend)
        games = quantity(len(backend.store.list_games()), "game")
    print(f"rebuilt the lobby from {games}, {len(faults) or 'none'} left out")
    for game, fault in faults.items():
        print(f"{game}: {fault!r}")
    return 1 if faults else 0
