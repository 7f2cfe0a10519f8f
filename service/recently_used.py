"""What was used last, up to a number of things."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class RecentlyUsed(Generic[T]):
    """Without a lock, as each step is whole by itself: what two threads lose between them is read again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[str, T] = OrderedDict()

    def find(self, name: str) -> T | None:
        thing = self._things.pop(name, None)
        if thing is not None:
            self._things[name] = thing
        return thing

    def keep(self, name: str, thing: T) -> None:
        self._things.pop(name, None)
        self._things[name] = thing
        if len(self._things) > self._most:
            self._things.popitem(last=False)

    def drop(self, name: str) -> None:
        self._things.pop(name, None)
