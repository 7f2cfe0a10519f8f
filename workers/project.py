"""Follows the log: keeps the lobby and nudges the workers where a bot is due."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from threading import Event

from events.commit import Commit
from events.projector import Handler, Projector
from events.redis_client import connect, connect_blocking
from events.redis_cursor import RedisCursor
from events.redis_store import RedisStore
from service.lobby.lobby import Lobby
from service.lobby.rebuild import PROJECTOR, lobby_handler
from service.play.games import Games
from workers import due, process
from workers.nudges import Nudges

LONGEST_WAIT = 1.0


def projection_handler(games: Games, lobby: Lobby, nudges: Nudges) -> Handler:
    keep_listed = lobby_handler(games, lobby)

    def handle(game: str, commits: Sequence[Commit]) -> None:
        snapshot = games.snapshot(game)
        state = snapshot.state
        # A person may be waiting for the bot, nobody for the list.
        if due.bots_due(state) and not all(due.is_by_worker(commit, state) for commit in commits):
            nudges.send(game, snapshot)
        keep_listed(game, commits)

    return handle


def follow(url: str, stopped: Event) -> None:
    with connect(url) as client, connect_blocking(url, LONGEST_WAIT) as waiting:
        store = RedisStore(client)
        handler = projection_handler(Games(store), Lobby(client), Nudges(client))
        Projector(store, RedisCursor(waiting, PROJECTOR, LONGEST_WAIT), handler).run(stopped)


if __name__ == "__main__":
    sys.exit(process.run(follow))
