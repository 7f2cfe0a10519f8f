"""What is derived and kept, dropped and made again from the log."""

from __future__ import annotations

import os
from collections.abc import Sequence

from events.commit import Commit
from events.projector import Handler, rebuild
from events.redis_client import connect
from events.redis_cursor import RedisCursor
from events.redis_store import RedisStore
from events.store import Store
from rules.wording import counted
from service.config import Settings
from service.lobby.lobby import Lobby
from service.play.games import Games

# The projector's name, under which it keeps how far it has come.
PROJECTOR = "projector"


def lobby_handler(games: Games, lobby: Lobby) -> Handler:
    """Keeps the lobby up with the log."""

    def update(game: str, commits: Sequence[Commit]) -> None:
        snapshot = games.snapshot(game)
        lobby.update(game, snapshot.state, snapshot.created_at)

    return update


def rebuild_lobby(store: Store, lobby: Lobby) -> dict[str, Exception]:
    """The games that could not be listed, and why."""
    lobby.clear()
    return rebuild(store, lobby_handler(Games(store), lobby))


def main() -> int:
    """`croupier rebuild`."""
    settings = Settings.from_env(os.environ)
    with connect(settings.redis_url or "") as client:
        store = RedisStore(client)
        RedisCursor(client, PROJECTOR).forget()
        faults = rebuild_lobby(store, Lobby(client))
        games = counted(len(store.list_games()), "game")
    print(f"rebuilt the lobby from {games}, {len(faults) or 'none'} left out")
    for game, fault in faults.items():
        print(f"{game}: {fault!r}")
    return 1 if faults else 0
