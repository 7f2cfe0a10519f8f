"""Tells streams of news: one Redis subscription for each process, fanned out to all listeners.

`Doorbell.listen` returns a `Listener`, whose `wait` blocks until there is news.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing, suppress
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Generic, Protocol, TypeVar

from redis import Redis
from redis.client import PubSub
from redis.exceptions import RedisError

from events.redis_store import BELL
from service import metrics
from service.http.limits import StreamQuota


class TooManyListeners(Exception):
    """Says that no more streams fit into this process."""


class Listening(Protocol):
    game: str
    caller: str


L = TypeVar("L", bound=Listening)


class Audience(Generic[L]):
    """Holds all listeners, by game and by caller. Changes need a lock, which the doorbell holds."""

    def __init__(self, most: int) -> None:
        """Have room for so many listeners."""
        self._most = most
        self._present = 0
        # In the order in which they came.
        self._by_game: dict[str, dict[L, None]] = {}
        self._by_caller: dict[str, dict[L, None]] = {}

    def add(self, listener: L) -> None:
        """Add a listener."""
        self._by_game.setdefault(listener.game, {})[listener] = None
        self._by_caller.setdefault(listener.caller, {})[listener] = None
        self._present += 1

    def remove(self, listener: L) -> bool:
        """Remove a listener; return False if it was not there."""
        if listener not in self._by_game.get(listener.game, {}):
            return False
        _take_out(self._by_game, listener.game, listener)
        _take_out(self._by_caller, listener.caller, listener)
        self._present -= 1
        return True

    def find_in_the_way(self, caller: str) -> L | None:
        """Return the listener that has to leave for another one of this caller; None if there is room.

        It is the oldest listener of a caller who has more than twice as many as this caller will have. Raises
        TooManyListeners if there is no such caller.
        """
        if self._present < self._most:
            return None
        crowd = max(self._by_caller.values(), key=len, default={})
        if len(crowd) <= 2 * (len(self._by_caller.get(caller, {})) + 1):
            raise TooManyListeners(f"{self._most} streams are open")
        return next(iter(crowd))

    def of_game(self, game: str) -> list[L]:
        """Return the listeners of a game."""
        return list(self._by_game.get(game, ()))

    def all_listeners(self) -> list[L]:
        """Return all listeners."""
        return [listener for listeners in self._by_game.values() for listener in listeners]


def _take_out(groups: dict[str, dict[L, None]], name: str, listener: L) -> None:
    """Remove a listener from its group, and the group if it is empty."""
    del groups[name][listener]
    if not groups[name]:
        del groups[name]


LONGEST_SILENCE = 0.5
RECONNECT_PAUSE = 0.5
MOST_LISTENERS = 3_000
NO_QUOTA = StreamQuota(0)


class Listener(AbstractContextManager["Listener"]):
    """Wakes up when its game rings, and when the server stops."""

    def __init__(self, doorbell: Doorbell, game: str, caller: str = "") -> None:
        """Wait for news of a game, or of a player or task; `Doorbell.listen` makes listeners."""
        self._doorbell = doorbell
        self.game = game
        self.caller = caller
        self._rung = Event()
        self.heard = self.rings = 0
        self._numbers: set[int] = set()
        self.is_dismissed = False

    def wait(self, seconds: float) -> bool:
        """Block until it rings or `seconds` have passed; return whether it rang, also before the call."""
        rung = self._rung.wait(seconds)
        self._rung.clear()
        return rung

    def take_numbers(self) -> set[int]:
        """Return the numbers that rings came with since the last call; 0 where all may be new."""
        numbers = set()
        # One after the other: the thread that rings may add to them meanwhile.
        while self._numbers:
            numbers.add(self._numbers.pop())
        return numbers

    def ring(self, version: int = 0, rings: int = 0) -> None:
        """Wake the stream; `version` is what the game has reached, `rings` how often all have rung."""
        self.heard = max(self.heard, version)
        self._numbers.add(version)
        self.rings = max(self.rings, rings)
        self._rung.set()

    def dismiss(self) -> None:
        """End the stream, to make room for a caller who has fewer."""
        self.is_dismissed = True
        self._rung.set()

    def close(self) -> None:
        """Stop listening."""
        self._doorbell.leave(self)

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Doorbell:
    """Wakes listeners when Redis publishes that their game has a new commit."""

    def __init__(self, client: Redis, most: int = MOST_LISTENERS, quota: StreamQuota = NO_QUOTA) -> None:
        """Subscribe to that client's Redis when the first listener comes."""
        self._redis = client
        self._quota = quota
        self._audience: Audience[Listener] = Audience(most)
        self._lock = Lock()
        self._closing = Event()
        self._follower: Thread | None = None
        self.rings = 0
        # The server's own word for whether it still serves; see gunicorn_conf.
        self.serving: Callable[[], bool] = lambda: True

    @property
    def is_open(self) -> bool:
        """Return whether the server still serves streams."""
        return not self._closing.is_set() and self.serving()

    def listen(self, game: str, caller: str = "") -> Listener:
        """Return a listener to news of a game; starts the thread that follows Redis. Does not block.

        Raises TooManyListeners, and TooManyStreams if the caller has as many as one address may have.
        """
        listener = Listener(self, game, caller)
        with self._lock:
            in_the_way = self._audience.find_in_the_way(caller)
            self._quota.enter(caller)
            if in_the_way is not None:
                self._send_away(in_the_way)
            self._audience.add(listener)
            metrics.stream_opened()
            if self._follower is None or not self._follower.is_alive():
                self._follower = Thread(target=self._follow, name="doorbell", daemon=True)
                self._follower.start()
        return listener

    def leave(self, listener: Listener) -> None:
        """Remove a listener whose stream has ended."""
        with self._lock:
            self._remove(listener)

    def _send_away(self, listener: Listener) -> None:
        """Remove a listener and end its stream."""
        self._remove(listener)
        listener.dismiss()

    def _remove(self, listener: Listener) -> None:
        """Remove a listener and stop counting its stream."""
        if self._audience.remove(listener):
            self._quota.leave(listener.caller)
            metrics.stream_closed()

    def close(self) -> None:
        """End all streams of this process."""
        self._closing.set()
        self._ring(self.all_listeners())

    def _follow(self) -> None:
        """Follow Redis until the server stops; subscribe again after a fault. Runs in a thread."""
        while self.is_open:
            try:
                with closing(self._redis.pubsub()) as bell:  # type: ignore[no-untyped-call]
                    self._relay(bell)
            except RedisError:
                self._closing.wait(RECONNECT_PAUSE)
        self._ring(self.all_listeners())

    def _relay(self, bell: PubSub) -> None:
        """Wake listeners for each message of a subscription, until the server stops. Raises RedisError."""
        bell.subscribe(BELL)
        while self.is_open:
            message = bell.get_message(timeout=LONGEST_SILENCE)
            if message is None:
                continue
            if message["type"] == "subscribe":
                # News from before the subscription was missed, so every listener has to look.
                self._ring(self.all_listeners())
            else:
                self._ring_game(message["data"])

    def _ring_game(self, news: bytes) -> None:
        """Wake the listeners of the game that a message names."""
        game, _, version = news.partition(b"|")
        # A malformed message must not end the one thread that listens.
        with suppress(ValueError):
            self._ring(self._listeners_of(game.decode()), int(version))

    def _listeners_of(self, game: str) -> list[Listener]:
        """Return the listeners of a game."""
        with self._lock:
            return self._audience.of_game(game)

    def all_listeners(self) -> list[Listener]:
        """Return all listeners."""
        with self._lock:
            return self._audience.all_listeners()

    def _ring(self, listeners: Iterable[Listener], version: int = 0) -> None:
        """Wake listeners. The ring is counted first: a reading that begins now comes after it."""
        self.rings += 1
        for listener in listeners:
            listener.ring(version, self.rings)
