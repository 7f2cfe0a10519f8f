"""How many games one address may have open at once."""

from __future__ import annotations

from collections.abc import Callable

from service import metrics
from service.api.problems import Problem
from service.lobby.open_games import OpenGames
from service.play.games import Games
from service.play.snapshots import UnknownGame

RETRY_SECONDS = 60


class GameQuota:
    """Of the creator, who is told by his address; 0 for as many as he likes."""

    def __init__(self, most: int, open_games: OpenGames, games: Games) -> None:
        self._most, self._open_games, self._games = most, open_games, games

    def check(self, creator: str, is_repeated: Callable[[], bool]) -> None:
        """Raises Problem where there is no room for another; what is only repeated makes no other."""
        if not self._most or self._open_games.count(creator) < self._most:
            return
        self._open_games.look_again(creator, self._is_open)
        if self._open_games.count(creator) >= self._most and not is_repeated():
            metrics.count_limit_hit("open_games")
            detail = f"one address may have {self._most} games open; end or cancel one, or wait for its end"
            raise Problem("too_many_games", detail, {"Retry-After": str(RETRY_SECONDS)})

    def note(self, creator: str, game: str) -> None:
        """At once: the projector, which notes it too, may be behind."""
        if self._most:
            self._open_games.update(game, creator, is_open=True)

    def _is_open(self, game: str) -> bool:
        try:
            return self._games.snapshot(game).state.status != "over"
        except UnknownGame:
            return False
