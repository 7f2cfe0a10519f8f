"""A cache that forgets what was not used for longest."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class RecentlyUsed(Generic[T]):
    """At most so many things by name; safe to use from several threads without a lock (ADR 0026).

    What two threads lose between them is only read again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[str, T] = OrderedDict()

    def find(self, name: str) -> T | None:
        """Return the thing of that name, and note that it was used; None when it is not here."""
        thing = self._things.pop(name, None)
        if thing is not None:
            self._things[name] = thing
        return thing

    def keep(self, name: str, thing: T) -> None:
        """Store the thing; when there are too many, the one that was not used for longest goes."""
        self._things.pop(name, None)
        self._things[name] = thing
        if len(self._things) > self._most:
            self._things.popitem(last=False)

    def drop(self, name: str) -> None:
        self._things.pop(name, None)
