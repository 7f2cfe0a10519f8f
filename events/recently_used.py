"""Caches things by name and forgets those that were not used for longest: `RecentlyUsed`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class RecentlyUsed(Generic[T]):
    """Holds at most so many things by name; threads can share it without a lock (ADR 0026).

    What two threads lose between them is only read again.
    """

    def __init__(self, most: int) -> None:
        """Hold at most so many things."""
        self._most = most
        self._things: OrderedDict[str, T] = OrderedDict()

    def find(self, name: str) -> T | None:
        """Return the thing of that name, and record that it was used; None if it is not here."""
        thing = self._things.pop(name, None)
        if thing is not None:
            self._things[name] = thing
        return thing

    def keep(self, name: str, thing: T) -> None:
        """Store the thing; if there are too many, drop the one that was not used for longest."""
        self._things.pop(name, None)
        self._things[name] = thing
        if len(self._things) > self._most:
            self._things.popitem(last=False)

    def names(self) -> list[str]:
        """Return the names of all things, the one that was not used for longest first."""
        return list(self._things)

    def drop(self, name: str) -> None:
        """Drop the thing of that name, if it is here."""
        self._things.pop(name, None)
