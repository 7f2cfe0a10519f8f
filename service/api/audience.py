"""Everybody who listens in this process: by game, for whoever rings, and by caller, for fairness."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar


class TooManyListeners(Exception):
    """No more streams fit into this process."""


class Listening(Protocol):
    game: str
    caller: str


L = TypeVar("L", bound=Listening)


class Audience(Generic[L]):
    """Whoever changes it holds a lock."""

    def __init__(self, most: int) -> None:
        self._most, self._present = most, 0
        # In the order in which they came.
        self._by_game: dict[str, dict[L, None]] = {}
        self._by_caller: dict[str, dict[L, None]] = {}

    def add(self, listener: L) -> None:
        self._by_game.setdefault(listener.game, {})[listener] = None
        self._by_caller.setdefault(listener.caller, {})[listener] = None
        self._present += 1

    def remove(self, listener: L) -> bool:
        """Whether it was there."""
        if listener not in self._by_game.get(listener.game, {}):
            return False
        _take_out(self._by_game, listener.game, listener)
        _take_out(self._by_caller, listener.caller, listener)
        self._present -= 1
        return True

    def find_in_the_way(self, caller: str) -> L | None:
        """Who has to leave for another of the caller's; None where there is room.

        The oldest of whoever has more than twice as many as the caller will have. Raises TooManyListeners
        where nobody has.
        """
        if self._present < self._most:
            return None
        crowd = max(self._by_caller.values(), key=len, default={})
        if len(crowd) <= 2 * (len(self._by_caller.get(caller, {})) + 1):
            raise TooManyListeners(f"{self._most} streams are open")
        return next(iter(crowd))

    def of_game(self, game: str) -> list[L]:
        return list(self._by_game.get(game, ()))

    def everybody(self) -> list[L]:
        return [listener for listeners in self._by_game.values() for listener in listeners]


def _take_out(groups: dict[str, dict[L, None]], name: str, listener: L) -> None:
    del groups[name][listener]
    if not groups[name]:
        del groups[name]
