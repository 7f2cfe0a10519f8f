"""Follows the log and updates lobby, due index, feeds and queue: the projector process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Event, Thread

from redis import Redis

from events.commit import Commit
from events.follower import (
    PROJECTOR,
    BatchedFence,
    Fences,
    Handler,
    OneFence,
    Projector,
    RedisCursor,
    is_of_one_game,
)
from events.redis import connect_blocking, is_cluster
from events.script_batch import ScriptBatch
from service import logs
from service.container import Backend, open_backend, read_time_limits
from service.games import deadlines
from service.games.snapshots import Snapshot
from service.incidents import PoisonLog
from service.lobby.due_index import LogHead
from service.lobby.rebuild import (
    describe_in_lobby,
    forget_written,
    keep_players,
    make_cursors,
    seal_if_archived,
)
from service.lobby.removal import forget_lost
from service.queue.fair_queue import DueGame
from service.run_folder import beat
from workers import process
from workers.turns import Clock

LONGEST_WAIT = 1.0

poison = PoisonLog(logs.logger(process="projector"), "projector")


# What is written to one place from new commits of a game and its newest snapshot.
Part = Callable[[str, Sequence[Commit], Snapshot], None]


class Collected:
    """What the handler has found to do for some games, to be sent together: a few round trips for all.

    Only for a single server: in a cluster each slot may be away alone.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._due_bots: list[DueGame] = []
        self.writes = ScriptBatch(backend.redis)

    def schedule(self, game: str, is_awaited: bool) -> None:
        """Note that a bot is due in a game, and whether a person awaits it. Raises UnknownGame."""
        self._due_bots.append((game, self._backend.games.creator_of(game), is_awaited))

    def flush(self) -> Mapping[str, Exception]:
        """Send all of it, and return the faults that concern one game.

        Raises Fenced, WentBack and Unavailable.
        """
        due_bots = self._due_bots
        self._due_bots = []
        faults: dict[str, Exception] = {}
        # The bots come first: a person may be waiting for their answers.
        try:
            if due_bots:
                self._backend.scheduler.schedule_all(due_bots)
        except Exception as fault:
            if not is_of_one_game(fault):
                raise
            faults = {game: fault for game, *_ in due_bots}
        return {**faults, **self.writes.send(is_of_one_game)}

    def clear(self) -> None:
        """Drop what was not sent."""
        self._due_bots = []
        self.writes.clear()


def projection_handler(
    backend: Backend,
    clock: Clock | None = None,
    cursor: RedisCursor | None = None,
    slots: Sequence[str] = ("due", "lobby", "public", "players"),
    collected: Collected | None = None,
) -> Handler:
    """Return the handler that updates everything derived from new commits of a game, in these slots.

    The log of a game that is not cached is read from its first commit: the whole state is needed. `cursor` is
    that of the follower: what it writes is compared with the epochs there. With `collected` it is written
    when that is flushed.
    """
    cursor = cursor or make_cursor(backend.redis)
    now = clock or backend.clock
    at_once = [part for slot, part in _list_parts(backend, now, cursor, None).items() if slot in slots]
    wanted = [part for slot, part in _list_parts(backend, now, cursor, collected).items() if slot in slots]

    def handle(game: str, commits: Sequence[Commit]) -> None:
        snapshot = backend.games.follow(game, commits)
        is_over = snapshot.state.status == "over"
        if is_over and seal_if_archived(backend, game):
            return
        # Of a game that is over all is written before it is looked again whether it is in the archive.
        for part in at_once if is_over else wanted:
            part(game, commits, snapshot)
        if is_over:
            seal_if_archived(backend, game)

    return handle


def _list_parts(
    backend: Backend, now: Clock, cursor: RedisCursor, collected: Collected | None
) -> dict[str, Part]:
    """Return what is written, by slot, in its order."""
    return {
        "due": partial(_project_due, backend, now, collected),
        # The row comes before what players get: if the game is lost, its row says whose it was.
        "lobby": partial(_project_to_lobby, backend, cursor, collected),
        "public": partial(_project_to_public, backend, cursor, collected),
        "players": partial(_project_to_players, backend, cursor, collected),
    }


def _project_due(
    backend: Backend,
    now: Clock,
    collected: Collected | None,
    game: str,
    commits: Sequence[Commit],
    snapshot: Snapshot,
) -> None:
    """Queue the game if its bots are due, and record when it is due next."""
    state = snapshot.state
    # The bot comes first: a person may be waiting for its answer.
    if deadlines.bots_due(state) and not all(deadlines.is_by_worker(commit, state) for commit in commits):
        schedule = collected.schedule if collected else backend.scheduler.schedule
        schedule(game, any(deadlines.is_by_person(commit, state) for commit in commits))
    head = LogHead(snapshot.version, snapshot.head)
    call = backend.due.prepare(game, deadlines.next_due(snapshot, backend.time_limits, now()), head)
    if collected:
        collected.writes.add(game, call)
    else:
        call.run()


def _project_to_lobby(
    backend: Backend,
    cursor: RedisCursor,
    collected: Collected | None,
    game: str,
    commits: Sequence[Commit],
    snapshot: Snapshot,
) -> None:
    """Write what lies in the slot of the lobby."""
    fence = cursor.fence("lobby", backend.store.layout.partition(game))
    describe_in_lobby(backend, game, snapshot, fence, collected.writes if collected else None)


def _project_to_public(
    backend: Backend,
    cursor: RedisCursor,
    collected: Collected | None,
    game: str,
    commits: Sequence[Commit],
    snapshot: Snapshot,
) -> None:
    """Write what everybody is told of the game, beside the positions of the follower."""
    fence = cursor.partition_fence(backend.store.layout.partition(game))
    fences: Fences = BatchedFence(fence, game, collected.writes) if collected else OneFence(fence)
    backend.public_feed.record(game, commits, snapshot, fences)


def _project_to_players(
    backend: Backend,
    cursor: RedisCursor,
    collected: Collected | None,
    game: str,
    commits: Sequence[Commit],
    snapshot: Snapshot,
) -> None:
    """Write what lies in the slots of the players."""
    number = backend.store.layout.partition(game)
    fences = cursor.player_fences(number)
    if collected:
        fences = BatchedFence(cursor.player_fence(number), game, collected.writes)
    keep_players(backend, snapshot.state, fences)
    backend.feed.record(game, commits, snapshot, fences)
    backend.key_feed.record(game, commits, snapshot, fences)


def make_projectors(backend: Backend, client: Redis, seconds: float = LONGEST_WAIT) -> list[Projector]:
    """Return the projectors that follow the log together, over a client of their own.

    On a single server one does it all. In a cluster there is one for each place that something is derived to,
    with its cursor in that place: what a server loses when another takes over is then derived again.
    """
    if not is_cluster(client):
        return [make_projector(backend, make_cursor(client, seconds))]
    made = []
    # The due index and what everybody is told lie with their partition, and so does their cursor.
    sinks = ("due", "public"), ("lobby",), ("players",)
    for slots, cursor in zip(sinks, make_cursors(client, seconds), strict=True):
        handler = projection_handler(backend, cursor=cursor, slots=slots)
        made.append(_make_projector(backend, cursor, handler))
    return made


def make_cursor(client: Redis, seconds: float = 1.0) -> RedisCursor:
    """Return the cursor of a projector for all that is derived, on a single server."""
    return RedisCursor(client, PROJECTOR, seconds)


def make_projector(backend: Backend, cursor: RedisCursor) -> Projector:
    """Return the projector of a single server that reads the log from this cursor on."""
    collected = Collected(backend)
    handler = projection_handler(backend, cursor=cursor, collected=collected)
    return _make_projector(backend, cursor, handler, collected)


def _make_projector(
    backend: Backend, cursor: RedisCursor, handler: Handler, collected: Collected | None = None
) -> Projector:
    """Return a projector with this handler."""

    def forget() -> None:
        forget_written(backend)
        if collected:
            collected.clear()

    return Projector(
        backend.store,
        cursor,
        handler,
        record_failure=poison.record,
        beat=beat,
        forget_written=forget,
        list_derived=partial(_list_derived, backend),
        forget_lost=partial(forget_lost, backend),
        flush=collected.flush if collected else dict,
    )


def _list_derived(backend: Backend) -> set[str]:
    """Return the games that something was derived from, also where their rows are not there yet."""
    return {*backend.lobby.list_ids(), *backend.public_feed.list_told()}


def follow(url: str, stopped: Event) -> None:
    """Run the projector until `stopped` is set."""
    with open_backend(url, read_time_limits()) as backend, connect_blocking(url, LONGEST_WAIT) as waiting:
        first, *others = make_projectors(backend, waiting)
        threads = [Thread(target=projector.run, args=(stopped,), daemon=True) for projector in others]
        for thread in threads:
            thread.start()
        first.run(stopped)
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    sys.exit(process.run(follow))
