"""Follows the feeds of all games and passes each new commit to a handler at least once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from threading import Event
from typing import Any, Protocol

from redis import Redis

from events.commit import Commit
from events.redis import translate_redis_errors
from events.redis_store import feed_key
from events.store import PARTITIONS, FeedEntry, Store, Trimmed, Unavailable, partition

Handler = Callable[[str, Sequence[Commit]], None]

BATCH = 200
# Games that are delivered whole between two reads of the feeds.
SLICE = 20
# The games of this many entries at the end of each feed come first: they are being played now.
RECENT = 5
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0

log = logging.getLogger(__name__)


def log_failure(game: str, fault: Exception) -> None:
    log.error("%s was not projected", game, exc_info=fault)


class Cursor(Protocol):
    """The stored positions of a follower in all feeds."""

    def positions(self) -> dict[int, str]:
        """Return the positions, by partition."""

    def save(self, positions: Mapping[int, str]) -> None:
        """Store these positions; the others stay as they are."""

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> Sequence[int]:
        """Return the partitions with entries after these positions.

        Unless `at_once` is set, wait a limited time for the first entry.
        """


class Projector:
    """Delivers new commits of all games to a handler, a game's commits in order and at least once.

    Where a feed was trimmed and cannot tell what was missed, its games are delivered whole, a few at a time,
    and new commits come first.
    """

    def __init__(
        self,
        store: Store,
        cursor: Cursor,
        handler: Handler,
        record_failure: Callable[[str, Exception], None] = log_failure,
        beat: Callable[[], None] = lambda: None,
        forget_written: Callable[[], None] = lambda: None,
    ) -> None:
        """`record_failure` is called whenever a game cannot be read or handled.

        `beat` is called at every step and for every game, as a sign of life. `forget_written` is called after
        an outage: the server may be another one, without what the handler has written.
        """
        self._store = store
        self._cursor = cursor
        self._handler = handler
        self._record_failure = record_failure
        self._beat = beat
        self._forget_written = forget_written
        self._outage: str | None = None
        self._reset()

    def _reset(self) -> None:
        self._positions: dict[int, str] = {}
        self._backlog: dict[str, None] = {}
        self._unsaved: dict[int, str] = {}
        self._forget_written()

    def run(self, stopped: Event) -> None:
        """Follow the feeds until `stopped` is set, through any number of Redis restarts."""
        pause = FIRST_PAUSE
        while not stopped.is_set():
            self._beat()
            try:
                self.step()
                self._report(None)
                pause = FIRST_PAUSE
            except Unavailable as fault:
                self._report(fault)
                self._reset()
                stopped.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE)

    def _report(self, fault: Unavailable | None) -> None:
        """Log the beginning and the end of an outage, not every attempt."""
        cause = fault.cause if fault else None
        if cause == self._outage:
            return
        self._outage = cause
        if fault:
            log.warning("the log is away (%s): %s", cause, fault)
        else:
            log.warning("the log is back")

    def step(self) -> None:
        """Wait a limited time for new entries and handle them; the first step reads every feed."""
        changed: Iterable[int] = range(self._store.partitions)
        if self._positions:
            changed = self._cursor.wait_for_entries(self._positions, at_once=bool(self._backlog))
        else:
            self._positions = self._cursor.positions()
        self._add_to_backlog({number for number in changed if not self._follow(number)})
        self._deliver_backlog()

    def _follow(self, number: int) -> bool:
        """Deliver what is new in a partition; return False where its feed cannot tell."""
        if number not in self._positions:
            return False
        try:
            entries = self._store.read_feed(number, self._positions[number], BATCH)
        except Trimmed as fault:
            log.warning("catching up from the games: %s", fault)
            return False
        for game, (low, high) in _spans(entries).items():
            self._deliver_new(game, low, high)
        if entries:
            self._advance({number: entries[-1].position})
        return True

    def _deliver_new(self, game: str, low: int, high: int) -> None:
        """Deliver these versions of a game, or all of a game that is still in the backlog."""
        if game in self._backlog:
            self._deliver(game)
            del self._backlog[game]
        else:
            self._deliver(game, low - 1, high - low + 1)

    def _add_to_backlog(self, numbers: set[int]) -> None:
        """Put every game of these partitions into the backlog.

        The bookmarks are set first, so that no commit is missed.
        """
        if not numbers:
            return
        self._unsaved |= {number: self._store.add_bookmark(number) for number in numbers}
        self._positions |= self._unsaved
        games = set(self._store.list_games())
        recent = [game for number in numbers for game in self._store.list_recent(number, RECENT)]
        # Archived games are not among them: all that is derived from them was there before they went.
        self._backlog |= dict.fromkeys(game for game in recent if game in games)
        self._backlog |= dict.fromkeys(
            game for game in games if partition(game, self._store.partitions) in numbers
        )

    def _deliver_backlog(self) -> None:
        """Deliver some games of the backlog whole.

        The cursor is saved once the backlog is empty: after a crash it begins again.
        """
        for game in list(islice(self._backlog, SLICE)):
            self._deliver(game)
            del self._backlog[game]
        if self._unsaved and not self._backlog:
            unsaved = self._unsaved
            self._unsaved = {}
            self._advance(unsaved)

    def _advance(self, positions: Mapping[int, str]) -> None:
        """Save the positions after the handler is done: what a crash interrupts comes again."""
        self._positions |= positions
        self._unsaved |= {number: at for number, at in positions.items() if number in self._unsaved}
        saved = {number: at for number, at in positions.items() if number not in self._unsaved}
        if saved:
            self._cursor.save(saved)

    def _deliver(self, game: str, after: int = 0, limit: int | None = None) -> None:
        self._beat()
        fault = _try_handler(self._store, self._handler, game, after, limit)
        if fault:
            self._record_failure(game, fault)


def _try_handler(
    store: Store, handler: Handler, game: str, after: int = 0, limit: int | None = None
) -> Exception | None:
    """Deliver commits and return the error of a game that cannot be read or handled.

    Such a game must not hold up the others. Raises Unavailable.
    """
    try:
        commits = store.read(game, after, limit)
        with translate_redis_errors():
            if commits:
                handler(game, commits)
    except Unavailable:
        raise
    except Exception as fault:
        return fault
    return None


def _spans(entries: Iterable[FeedEntry]) -> dict[str, tuple[int, int]]:
    """Return the first and last version of each game in the entries; bookmarks have no game."""
    spans: dict[str, tuple[int, int]] = {}
    for entry in entries:
        if entry.game:
            low, high = spans.get(entry.game, (entry.version, entry.version))
            spans[entry.game] = min(low, entry.version), max(high, entry.version)
    return spans


class RedisCursor:
    """Positions in a Redis hash. It needs a client of its own: see `events.redis.connect_blocking`."""

    def __init__(self, client: Redis, name: str, seconds: float = 1.0) -> None:
        self._redis = client
        self._key = f"croupier:cursor:{name}"
        self._block = int(seconds * 1000)

    def positions(self) -> dict[int, str]:
        with translate_redis_errors():
            stored: Any = self._redis.hgetall(self._key)
        return {int(number): position.decode() for number, position in stored.items()}

    def save(self, positions: Mapping[int, str]) -> None:
        fields: Mapping[Any, Any] = positions
        if fields:
            with translate_redis_errors():
                self._redis.hset(self._key, mapping=fields)

    def forget(self) -> None:
        """Delete the positions: the follower reads all games when it starts next."""
        with translate_redis_errors():
            self._redis.delete(self._key)

    def measure_lag(self) -> float:
        """Return the age of the oldest entry that is not handled yet, in seconds by the server's clock."""
        positions = self.positions()
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for number in range(PARTITIONS):
                after = positions.get(number)
                asking.xrange(feed_key(number), f"({after}" if after else "-", "+", 1)
            asking.time()
            *feeds, (seconds, micros) = asking.execute()
        waiting = [int(entries[0][0].partition(b"-")[0]) / 1000 for entries in feeds if entries]
        return max(0.0, seconds + micros / 1e6 - min(waiting)) if waiting else 0.0

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
        """Return the partitions with entries after these positions.

        Unless `at_once` is set, wait a limited time for the first entry.
        """
        feeds = {feed_key(number).encode(): number for number in positions}
        streams: dict[Any, Any] = {feed: positions[number] for feed, number in feeds.items()}
        with translate_redis_errors():
            found: Any = self._redis.xread(streams, count=1, block=None if at_once else self._block)
        return [feeds[feed] for feed, _ in found or ()]
