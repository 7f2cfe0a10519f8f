"""Follows the log: keeps the lobby and nudges the workers where a bot is due."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from threading import Event

from events.commit import Commit
from events.projector import Handler, Projector
from events.redis_client import connect_blocking
from events.redis_cursor import RedisCursor
from service import logs
from service.factory import Backend, open_backend
from service.heartbeats import beat
from service.poison import PoisonLog
from service.rebuild import PROJECTOR
from workers import due, process

LONGEST_WAIT = 1.0

poison = PoisonLog(logs.logger(process="projector"), "projector")


def projection_handler(backend: Backend) -> Handler:
    """Commits of a game that is not in memory are read again from its first: the state is needed whole."""

    def handle(game: str, commits: Sequence[Commit]) -> None:
        snapshot = backend.games.snapshot(game)
        state = snapshot.state
        # A person may be waiting for the bot, nobody for the list.
        if due.bots_due(state) and not all(due.is_by_worker(commit, state) for commit in commits):
            backend.nudges.send(game, snapshot)
        backend.lobby.update(game, state, snapshot.created_at)

    return handle


def follow(url: str, stopped: Event) -> None:
    with open_backend(url) as backend, connect_blocking(url, LONGEST_WAIT) as waiting:
        cursor = RedisCursor(waiting, PROJECTOR, LONGEST_WAIT)
        Projector(backend.store, cursor, projection_handler(backend), poison.note, beat).run(stopped)


if __name__ == "__main__":
    sys.exit(process.run(follow))
