"""What is derived from the log, dropped and made again."""

from __future__ import annotations

import os
from collections.abc import Sequence

from events.commit import Commit
from events.projector import Handler, rebuild
from events.redis_cursor import RedisCursor
from rules.wording import quantity
from service.config import Settings
from service.factory import Backend, open_backend
from service.heartbeats import beat

# The projector's name, under which it keeps how far it has come.
PROJECTOR = "projector"


def lobby_handler(backend: Backend) -> Handler:
    """Lists a game as it stands, whichever of its commits are handed over."""

    def update(game: str, commits: Sequence[Commit]) -> None:
        beat()
        snapshot = backend.games.snapshot(game)
        backend.lobby.update(game, snapshot.state, snapshot.created_at)

    return update


def rebuild_lobby(backend: Backend) -> dict[str, Exception]:
    """Clears the list and makes it anew. Returns the games that could not be listed, and why."""
    backend.lobby.clear()
    return rebuild(backend.store, lobby_handler(backend))


def main() -> int:
    """`croupier rebuild`. Raises Unavailable where Redis is away."""
    settings = Settings.from_env(os.environ)
    with open_backend(settings.redis_url or "") as backend:
        RedisCursor(backend.redis, PROJECTOR).forget()
        faults = rebuild_lobby(backend)
        games = quantity(len(backend.store.list_games()), "game")
    print(f"rebuilt the lobby from {games}, {len(faults) or 'none'} left out")
    for game, fault in faults.items():
        print(f"{game}: {fault!r}")
    return 1 if faults else 0
