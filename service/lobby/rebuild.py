"""`croupier rebuild`: rebuilds everything that is derived from the log."""

from __future__ import annotations

import os
import secrets
from collections import deque

from events.follower import RedisCursor
from events.redis import translate_redis_errors
from events.store import Unavailable
from rules import State
from rules.wording import quantity
from service.config import Settings
from service.container import Backend, open_backend, read_time_limits
from service.games.deadlines import next_due
from service.run_folder import beat

# The projector's name, under which it keeps how far it has come.
PROJECTOR = "projector"
# Whoever rebuilds and is not heard of for so long has died; then another begins.
CLAIM_SECONDS = 10


class Rebuild:
    """Lists every game and notes when it is due, a few games at a time; others may write meanwhile."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._who = secrets.token_hex(8)
        self._left: deque[str] = deque()
        self.games = 0
        self.faults: dict[str, Exception] = {}

    def claim(self) -> bool:
        """Whether it is ours to do; False while another one is at it."""
        return self._backend.lobby.claim_rebuild(self._who, CLAIM_SECONDS)

    def begin(self) -> None:
        """What was listed before may have been dropped by others."""
        self._backend.lobby.begin_filling(self._who)
        forget_written(self._backend)
        self.faults = {}
        self._left = deque(sorted(self._backend.store.list_games()))
        self.games = len(self._left)

    def run(self, most: int | None = None) -> bool:
        """So many games or all; True once none is left. Raises Unavailable."""
        for _ in range(len(self._left) if most is None else min(most, len(self._left))):
            self._describe(self._left[0])
            self._left.popleft()
        if not self._left:
            self._backend.due.mark_whole()
            self._backend.lobby.mark_whole(self._who)
        return not self._left

    def _describe(self, game: str) -> None:
        """One game that cannot be read must not hold up the others; a store that is away must."""
        beat()
        try:
            with translate_redis_errors():
                describe_game(self._backend, game)
        except Unavailable:
            raise
        except Exception as fault:
            self.faults[game] = fault


def forget_written(backend: Backend) -> None:
    """What this process has written may have been dropped: the next update of each game writes it again."""
    backend.lobby.forget_lines()
    backend.open_games.forget_written()


def describe_game(backend: Backend, game: str) -> None:
    """Its line in the lobby and in its players' lists, whether it counts as open, and when it is due."""
    snapshot = backend.games.snapshot(game)
    record_open_game(backend, game, snapshot.state)
    backend.lobby.update(snapshot)
    backend.feed.describe(game, snapshot)
    backend.stats.record_finished(snapshot.state)
    backend.due.write_earlier(game, next_due(snapshot, backend.time_limits))


def record_open_game(backend: Backend, game: str, state: State) -> None:
    backend.open_games.update(game, backend.games.creator_of(game), state.status != "over")


def rebuild_lobby(backend: Backend) -> dict[str, Exception]:
    """Clears the list and makes it anew. Returns the games that could not be listed, and why.

    What is known to be due stays: nobody has to wait for his bot until all games have been read.
    """
    rebuilding = Rebuild(backend)
    backend.lobby.clear()
    backend.feed.clear_lists()
    rebuilding.claim()
    rebuilding.begin()
    while not rebuilding.run(most=100):
        rebuilding.claim()
    return rebuilding.faults


def main() -> int:
    """`croupier rebuild`. Raises Unavailable where Redis is away."""
    settings = Settings.from_env(os.environ)
    with open_backend(settings.redis_url or "", read_time_limits()) as backend:
        RedisCursor(backend.redis, PROJECTOR).forget()
        faults = rebuild_lobby(backend)
        games = quantity(len(backend.store.list_games()), "game")
    print(f"rebuilt the lobby from {games}, {len(faults) or 'none'} left out")
    for game, fault in faults.items():
        print(f"{game}: {fault!r}")
    return 1 if faults else 0
