"""What was used last, up to a number of things."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[str, T] = OrderedDict()
        self._turn = Lock()

    def find(self, name: str) -> T | None:
        with self._turn:
            thing = self._things.get(name)
            if thing is not None:
                self._things.move_to_end(name)
            return thing

    def keep(self, name: str, thing: T) -> None:
        with self._turn:
            self._things[name] = thing
            self._things.move_to_end(name)
            if len(self._things) > self._most:
                self._things.popitem(last=False)
