"""Waiting for a server: a while where nothing happens, for ever where it gets on with loading its log."""

from __future__ import annotations

import time

from events.redis_inspection import Loading
from service.ops.refusal import say

# How often somebody who waits is told how far it is.
TELL_SECONDS = 5.0


class Patience:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._loaded_bytes = -1
        self._next_word = 0.0

    def is_over(self) -> bool:
        return time.monotonic() > self._end

    def note_loading(self, loading: Loading) -> None:
        """Every byte more starts the waiting anew."""
        now = time.monotonic()
        if loading.loaded_bytes > self._loaded_bytes:
            self._loaded_bytes = loading.loaded_bytes
            self._end = now + self._seconds
        if now >= self._next_word:
            self._next_word = now + TELL_SECONDS
            say(f"Redis is loading its log: {loading.percent:.0f} %, about {loading.seconds_left} s left")
