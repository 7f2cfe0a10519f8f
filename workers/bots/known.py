"""What a bot has worked out before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class Known(Generic[Found]):
    """What was worked out before, by tables: they cannot be hashed, but mostly share their parts."""

    def __init__(self) -> None:
        self._entries: list[tuple[tuple[Any, ...], Found]] = []

    def find(self, table: tuple[Any, ...], work: Callable[[], Found]) -> Found:
        for known, found in self._entries:
            if known == table:
                return found
        found = work()
        self._entries.append((table, found))
        return found
