"""Follows the log and updates lobby, due index, feeds and queue: the projector process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from threading import Event

from redis import Redis

from events.commit import Commit
from events.follower import PROJECTOR, Handler, Projector, RedisCursor
from events.redis import connect_blocking
from events.store import partition
from service import logs
from service.container import Backend, open_backend, read_time_limits
from service.games import deadlines
from service.incidents import PoisonLog
from service.lobby.due_index import LogHead
from service.lobby.rebuild import describe_in_lobby, forget_written, keep_players
from service.lobby.removal import forget_lost
from service.run_folder import beat
from workers import process
from workers.turns import Clock

LONGEST_WAIT = 1.0

poison = PoisonLog(logs.logger(process="projector"), "projector")


def projection_handler(
    backend: Backend, clock: Clock | None = None, cursor: RedisCursor | None = None
) -> Handler:
    """Return the handler that updates everything derived from new commits of a game.

    The log of a game that is not cached is read from its first commit: the whole state is needed. `cursor` is
    that of the follower: what it writes is compared with the epochs there.
    """
    cursor = cursor or make_cursor(backend.redis)

    now = clock or backend.clock

    def handle(game: str, commits: Sequence[Commit]) -> None:
        snapshot = backend.games.snapshot(game)
        state = snapshot.state
        if state.status == "over" and backend.store.is_archived(game):
            # All that is derived from it was there before it went.
            return
        # The bot comes first: a person may be waiting for its answer.
        if deadlines.bots_due(state) and not all(deadlines.is_by_worker(commit, state) for commit in commits):
            backend.scheduler.schedule(game, any(deadlines.is_by_person(commit, state) for commit in commits))
        head = LogHead(snapshot.version, snapshot.head)
        backend.due.write(game, deadlines.next_due(snapshot, backend.time_limits, now()), head)
        number = partition(game)
        # The row comes before what players get: if the game is lost, its row says whose it was.
        describe_in_lobby(backend, game, snapshot, cursor.fence("lobby", number))
        keep_players(backend, state)
        backend.feed.record(game, commits, snapshot, cursor.fence("players", number))

    return handle


def make_cursor(client: Redis, seconds: float = 1.0) -> RedisCursor:
    """Return the cursor of a projector for all that is derived, on a single server."""
    return RedisCursor(client, PROJECTOR, seconds)


def make_projector(backend: Backend, cursor: RedisCursor) -> Projector:
    """Return the projector that reads the log from this cursor on."""
    handler = projection_handler(backend, cursor=cursor)
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
        make_projector(backend, make_cursor(waiting, LONGEST_WAIT)).run(stopped)


if __name__ == "__main__":
    sys.exit(process.run(follow))
