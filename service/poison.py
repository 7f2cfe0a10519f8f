"""Games that a process cannot go on with: each is told once, however often it is tried."""

from __future__ import annotations

from structlog.typing import FilteringBoundLogger

from service import metrics

# Whoever has more of them has another problem, and may hear of some of them again.
MOST_GAMES = 1_000


class PoisonLog:
    def __init__(self, log: FilteringBoundLogger, process: str) -> None:
        self._log, self._process = log, process
        self._known: dict[str, str] = {}

    def note(self, game: str, fault: Exception) -> None:
        """With the traceback; again only when something else goes wrong with the game."""
        if self._known.get(game) == repr(fault):
            return
        if len(self._known) >= MOST_GAMES:
            self._known.clear()
        self._known[game] = repr(fault)
        metrics.count_poison_game(self._process)
        self._log.error("game_poisoned", game=game, exc_info=fault)
