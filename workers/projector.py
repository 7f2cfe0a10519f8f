"""Follows the log and updates lobby, due index, feeds and queue: the projector process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from threading import Event, Thread

from redis import Redis

from events.commit import Commit
from events.follower import PROJECTOR, Handler, Projector, RedisCursor
from events.redis import connect_blocking, is_cluster
from events.store import partition
from service import logs
from service.container import Backend, open_backend, read_time_limits
from service.games import deadlines
from service.games.snapshots import Snapshot
from service.incidents import PoisonLog
from service.lobby.due_index import LogHead
from service.lobby.rebuild import describe_in_lobby, forget_written, keep_players
from service.lobby.removal import forget_lost
from service.run_folder import beat
from workers import process
from workers.turns import Clock

LONGEST_WAIT = 1.0

poison = PoisonLog(logs.logger(process="projector"), "projector")


# What is written to one place from new commits of a game and its newest snapshot.
Part = Callable[[str, Sequence[Commit], Snapshot], None]


def projection_handler(
    backend: Backend,
    clock: Clock | None = None,
    cursor: RedisCursor | None = None,
    slots: Sequence[str] = ("due", "lobby", "players"),
) -> Handler:
    """Return the handler that updates everything derived from new commits of a game, in these slots.

    The log of a game that is not cached is read from its first commit: the whole state is needed. `cursor` is
    that of the follower: what it writes is compared with the epochs there.
    """
    cursor = cursor or make_cursor(backend.redis)
    parts = {
        "due": partial(_project_due, backend, clock or backend.clock),
        # The row comes before what players get: if the game is lost, its row says whose it was.
        "lobby": partial(_project_to_lobby, backend, cursor),
        "players": partial(_project_to_players, backend, cursor),
    }
    wanted: list[Part] = [part for slot, part in parts.items() if slot in slots]

    def handle(game: str, commits: Sequence[Commit]) -> None:
        snapshot = backend.games.snapshot(game)
        if snapshot.state.status == "over" and backend.store.is_archived(game):
            # All that is derived from it was there before it went.
            return
        for part in wanted:
            part(game, commits, snapshot)

    return handle


def _project_due(
    backend: Backend, now: Clock, game: str, commits: Sequence[Commit], snapshot: Snapshot
) -> None:
    """Queue the game if its bots are due, and record when it is due next."""
    state = snapshot.state
    # The bot comes first: a person may be waiting for its answer.
    if deadlines.bots_due(state) and not all(deadlines.is_by_worker(commit, state) for commit in commits):
        backend.scheduler.schedule(game, any(deadlines.is_by_person(commit, state) for commit in commits))
    head = LogHead(snapshot.version, snapshot.head)
    backend.due.write(game, deadlines.next_due(snapshot, backend.time_limits, now()), head)


def _project_to_lobby(
    backend: Backend, cursor: RedisCursor, game: str, commits: Sequence[Commit], snapshot: Snapshot
) -> None:
    """Write what lies in the slot of the lobby."""
    describe_in_lobby(backend, game, snapshot, cursor.fence("lobby", partition(game)))


def _project_to_players(
    backend: Backend, cursor: RedisCursor, game: str, commits: Sequence[Commit], snapshot: Snapshot
) -> None:
    """Write what lies in the slot of the players."""
    keep_players(backend, snapshot.state)
    backend.feed.record(game, commits, snapshot, cursor.fence("players", partition(game)))


def make_projectors(backend: Backend, client: Redis, seconds: float = LONGEST_WAIT) -> list[Projector]:
    """Return the projectors that follow the log together, over a client of their own.

    On a single server one does it all. In a cluster there is one for each place that something is derived to,
    with its cursor in that place: what a server loses when another takes over is then derived again.
    """
    if not is_cluster(client):
        return [make_projector(backend, make_cursor(client, seconds))]
    made = []
    for slot in ("due", "lobby", "players"):
        # The due index lies with its partition, and so does its cursor.
        cursor = RedisCursor(client, PROJECTOR, seconds, slots=() if slot == "due" else (slot,))
        handler = projection_handler(backend, cursor=cursor, slots=(slot,))
        made.append(_make_projector(backend, cursor, handler))
    return made


def make_cursor(client: Redis, seconds: float = 1.0) -> RedisCursor:
    """Return the cursor of a projector for all that is derived, on a single server."""
    return RedisCursor(client, PROJECTOR, seconds)


def make_projector(backend: Backend, cursor: RedisCursor) -> Projector:
    """Return the projector that reads the log from this cursor on."""
    return _make_projector(backend, cursor, projection_handler(backend, cursor=cursor))


def _make_projector(backend: Backend, cursor: RedisCursor, handler: Handler) -> Projector:
    """Return a projector with this handler."""
    forget = partial(forget_written, backend)
    return Projector(
        backend.store,
        cursor,
        handler,
        record_failure=poison.record,
        beat=beat,
        forget_written=forget,
        list_derived=backend.lobby.list_ids,
        forget_lost=partial(forget_lost, backend),
    )


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
