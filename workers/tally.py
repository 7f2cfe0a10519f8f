"""Counts finished games and rates who played them, a little at a time beside what is due."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from events.store import Unavailable
from service.factory import Backend
from service.poison import PoisonLog
from service.stats.ratings import Ratings
from workers.playing import Clock

# While nothing waits to be counted, it is looked for so often.
PAUSE = 1.0


class Tally:
    def __init__(self, backend: Backend, clock: Clock, poison: PoisonLog) -> None:
        self._stats, self._ratings = backend.stats, Ratings(backend.redis)
        self._clock, self._poison = clock, poison
        self._next = 0.0

    def step(self, now: Callable[[], float] = monotonic) -> None:
        """One game, and some ratings. Raises Unavailable."""
        if now() >= self._next:
            counted = self._count()
            rated = self._ratings.catch_up(self._clock().timestamp())
            self._next = 0.0 if counted or rated else now() + PAUSE

    def _count(self) -> bool:
        """A game that cannot be read is left out, and told of once."""
        game = self._stats.find_waiting()
        if game is None:
            return False
        try:
            self._stats.count(game)
        except Unavailable:
            raise
        except Exception as fault:
            self._poison.note(game, fault)
            self._stats.forget(game)
        return True
