"""Follows the feeds of all games and passes each new commit to a handler at least once.

What the handler derives lies elsewhere and may be written by several processes. `Fence` says from which view
of the log something is written: one that is out of date is refused (ADR 0040).
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from threading import Event
from typing import Any, Protocol

from msgspec import Struct
from redis import Redis

from events.archive import Damaged
from events.commit import Commit
from events.feed_watch import FeedWatch
from events.layout import PLAYERS_SLOT, Layout, find_layout
from events.recently_used import RecentlyUsed
from events.redis import is_cluster, translate_redis_errors
from events.script_batch import ScriptBatch, ScriptCall
from events.store import FeedEntry, Store, Trimmed, Unavailable, partition

Handler = Callable[[str, Sequence[Commit]], None]

BATCH = 200
# Games that are delivered whole between two reads of the feeds.
SLICE = 20
# After an outage so many games are delivered again that were delivered last: the log may have gone back.
HANDLED = 1_000
# The games of this many entries at the end of each feed come first: they are being played now.
RECENT = 5
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0

log = logging.getLogger(__name__)


def log_failure(game: str, fault: Exception) -> None:
    log.error("%s was not projected", game, exc_info=fault)


class Fenced(Exception):
    """The log of a partition, or what is derived from it, went back since the writer last looked.

    Nothing was written.
    """


class WentBack(Exception):
    """What is derived from a game knows more than its log: commits were lost since."""

    def __init__(self, game: str) -> None:
        super().__init__(game)
        self.game = game


def is_of_one_game(fault: Exception) -> bool:
    """Return whether a fault concerns a game that cannot be read or handled, and no other."""
    return isinstance(fault, Damaged) or not isinstance(fault, (Unavailable, Fenced, WentBack))


class Fence(Struct, frozen=True):
    """The view of a partition's log that something is derived from.

    `key` is where the epoch is stored that a write is compared with, in the slot of what is written. An epoch
    begins whenever the log was found to have gone back. `reached` is the place in the feed that the write
    comes from; it is stored, so that its loss is noticed later. Without an epoch the write counts for the
    present one.
    """

    key: str
    number: int
    epoch: str | None = None
    reached: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The field of the epoch, the epoch, the field of the place in the feed, and that place."""
        epoch = ANY_EPOCH if self.epoch is None else self.epoch
        return epoch_field(self.number), epoch, reached_field(self.number), self.reached


class Fences(Protocol):
    """The views of a partition's log that something is derived from, for each slot that it is written to."""

    def write(self, slot: str, prepare: Callable[[Fence], ScriptCall]) -> int:
        """Run a script that writes to a slot; return what comes of it, which is negative if it wrote nothing.

        Returns 0 where the script runs later, and where the server of the slot is away, and the slot is to be
        written to later.
        """

    def attempt(self, slot: str, action: Callable[[], None]) -> None:
        """Do something else in a slot, unless its server is away, and the slot is to be written to later."""


class OneFence(Struct, frozen=True):
    """One view for all slots: on a single server all go back together."""

    fence: Fence

    def write(self, slot: str, prepare: Callable[[Fence], ScriptCall]) -> int:
        return prepare(self.fence).run()

    def attempt(self, slot: str, action: Callable[[], None]) -> None:
        action()


class BatchedFence(Struct, frozen=True):
    """One view for all slots; what is written of a game is sent with what is written of others."""

    fence: Fence
    game: str
    batch: ScriptBatch

    def write(self, slot: str, prepare: Callable[[Fence], ScriptCall]) -> int:
        self.batch.add(self.game, prepare(self.fence))
        return 0

    def attempt(self, slot: str, action: Callable[[], None]) -> None:
        action()


class KnownFences(Struct, frozen=True):
    """The views that were asked for before the log was read, by slot."""

    fences: Mapping[str, Fence]

    def write(self, slot: str, prepare: Callable[[Fence], ScriptCall]) -> int:
        return prepare(self.fences[slot]).run()

    def attempt(self, slot: str, action: Callable[[], None]) -> None:
        action()


# The name under which the projector stores how far it has come.
PROJECTOR = "projector"
# How a script is told not to compare epochs.
ANY_EPOCH = "*"


def epoch_field(number: int) -> str:
    return f"e{number}"


def reached_field(number: int) -> str:
    return f"s{number}"


def cursor_key(slot: str, name: str) -> str:
    """The key of positions and epochs in a slot. `Lobby.clear` must not find it."""
    return f"croupier:cursor:{{{slot}}}:{name}"


class Cursor(Protocol):
    """The stored positions of a follower in all feeds."""

    def positions(self) -> dict[int, str]:
        """Return the positions, by partition."""

    def find_lost(self) -> set[int]:
        """Return the partitions from which something was derived that their feeds do not have any more."""

    def save(self, positions: Mapping[int, str]) -> None:
        """Store these positions; the others stay as they are. Raises Fenced."""

    def reach(self, number: int, position: str) -> None:
        """Say that what is written from now on is derived from entries up to this one."""

    def begin_epochs(self, numbers: Iterable[int]) -> None:
        """Begin a new epoch of these partitions, unless another follower has, and forget their positions."""

    def place_of(self, number: int) -> object:
        """Return the server of a partition; None where one server has all."""

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> Sequence[int]:
        """Return the partitions that may have entries after these positions.

        Unless `at_once` is set, wait a limited time for the first entry. Raises Fenced if what was written
        last may be lost.
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
        list_derived: Callable[[], Iterable[str]] = tuple,
        forget_lost: Callable[[str], None] = lambda game: None,
        flush: Callable[[], Mapping[str, Exception]] = dict,
    ) -> None:
        """`record_failure` is called whenever a game cannot be read or handled.

        `flush` is called before positions are saved: it writes what the handler has collected, and returns
        the faults that concern one game.

        `beat` is called at every step and for every game, as a sign of life. `forget_written` is called after
        an outage: the server may be another one, without what the handler has written. Where a log went back,
        `list_derived` returns the games that something was derived from, and `forget_lost` is called for each
        whose log is not there any more.
        """
        self._store = store
        self._cursor = cursor
        self._handler = handler
        self._record_failure = record_failure
        self._beat = beat
        self._forget_written = forget_written
        self._list_derived = list_derived
        self._forget_lost = forget_lost
        self._flush_handler = flush
        self._outage: str | None = None
        self._handled: RecentlyUsed[bool] = RecentlyUsed(HANDLED)
        self._reset()

    def _reset(self) -> None:
        self._positions: dict[int, str] = {}
        self._backlog: dict[str, None] = {}
        self._unsaved: dict[int, str] = {}
        self._lost: set[int] = set()
        self._interrupted: set[int] = set()
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
            except Fenced:
                self._reset()
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
            news = self._cursor.wait_for_entries(self._positions, at_once=bool(self._backlog))
            changed = {*news, *self._interrupted}
        else:
            self._positions = self._cursor.positions()
            self._lost = self._cursor.find_lost()
            self._backlog |= dict.fromkeys(self._handled.names())
        try:
            self._add_to_backlog(self._follow_all(changed))
            self._deliver_backlog()
        except WentBack as fault:
            log.warning("catching up from the games: the log of %s went back", fault.game)
            number = partition(fault.game, self._store.partitions)
            self._lost.add(number)
            self._add_to_backlog({number})

    def _follow_all(self, numbers: Iterable[int]) -> set[int]:
        """Deliver what is new in these partitions; return those whose feeds cannot tell.

        Where a server of a cluster is away, its partitions wait and the others do not. Raises Unavailable
        where none could be followed.
        """
        unsure: set[int] = set()
        faults: list[Unavailable] = []
        places: dict[object, list[int]] = {}
        for number in numbers:
            places.setdefault(self._cursor.place_of(number), []).append(number)
        for place, group in places.items():
            try:
                unsure |= self._follow_group(group)
            except Unavailable as fault:
                if place is None:
                    raise
                self._interrupted |= set(group)
                faults.append(fault)
        if faults and len(faults) == len(places):
            raise faults[0]
        return unsure

    def _follow_group(self, numbers: Sequence[int]) -> set[int]:
        """Deliver what is new in partitions of one server; return those whose feeds cannot tell.

        Their positions are saved together, once all is written that the handler has collected.
        """
        unsure: set[int] = set()
        reached: dict[int, str] = {}
        delivered: list[str] = []
        for number in numbers:
            entries = self._read_new(number)
            if entries is None:
                unsure.add(number)
            elif entries:
                reached[number] = entries[-1].position
                for game, (low, high) in _spans(entries).items():
                    self._deliver_new(game, low, high)
                    delivered.append(game)
            if len(delivered) >= SLICE:
                self._settle(delivered, reached)
                reached = {}
                delivered = []
        self._settle(delivered, reached)
        return unsure

    def _settle(self, delivered: Iterable[str], reached: Mapping[int, str]) -> None:
        """Write what was collected of games that were delivered, and save how far that is."""
        self._flush()
        for game in delivered:
            self._backlog.pop(game, None)
        if reached:
            self._advance(reached)

    def _flush(self) -> None:
        """Write what the handler has collected."""
        with translate_redis_errors():
            faults = self._flush_handler()
        for game, fault in faults.items():
            self._record_failure(game, fault)

    def _go_on_after_outage(self, number: int) -> None:
        """Deliver again what was delivered last: another server may have taken over that has less."""
        self._interrupted.discard(number)
        self._forget_written()
        partitions = self._store.partitions
        names = self._handled.names()
        self._backlog |= dict.fromkeys(name for name in names if partition(name, partitions) == number)

    def _read_new(self, number: int) -> Sequence[FeedEntry] | None:
        """Return what is new in the feed of a partition; None where it cannot tell."""
        if number not in self._positions or number in self._lost:
            return None
        try:
            entries = self._store.read_feed(number, self._positions[number], BATCH)
        except Trimmed as fault:
            log.warning("catching up from the games: %s", fault)
            self._lost.add(number)
            return None
        if number in self._interrupted:
            self._go_on_after_outage(number)
        if entries:
            self._cursor.reach(number, entries[-1].position)
        return entries

    def _deliver_new(self, game: str, low: int, high: int) -> None:
        """Deliver these versions of a game, or all of a game that is still in the backlog."""
        if game in self._backlog:
            self._deliver(game)
        else:
            self._deliver(game, low - 1, high - low + 1)

    def _add_to_backlog(self, numbers: set[int]) -> None:
        """Put every game of these partitions into the backlog.

        The bookmarks are set first, so that no commit is missed. Where the log may have gone back, a new
        epoch begins before that: what others have read before is refused from then on.
        """
        if not numbers:
            return
        derived: Iterable[str] = ()
        lost = numbers & self._lost
        if lost:
            self._cursor.begin_epochs(lost)
            self._lost -= lost
            self._forget_written()
            derived = self._list_derived()
        self._unsaved |= {number: self._store.add_bookmark(number) for number in numbers}
        self._positions |= self._unsaved
        games = set(self._store.list_games())
        recent = [game for number in numbers for game in self._store.list_recent(number, RECENT)]
        # Archived games are not among them: all that is derived from them was there before they went.
        self._backlog |= dict.fromkeys(game for game in recent if game in games)
        games |= set(derived)
        self._backlog |= dict.fromkeys(
            game for game in games if partition(game, self._store.partitions) in numbers
        )

    def _deliver_backlog(self) -> None:
        """Deliver some games of the backlog whole.

        The cursor is saved once the backlog is empty: after a crash it begins again.
        """
        games = list(islice(self._backlog, SLICE))
        for game in games:
            self._deliver(game)
        self._settle(games, {})
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
        try:
            self._try_handler(game, after, limit)
        except Exception as fault:
            if not is_of_one_game(fault):
                raise
            # A game that cannot be read or handled must not hold up the others.
            self._record_failure(game, fault)

    def _try_handler(self, game: str, after: int, limit: int | None) -> None:
        commits = self._store.read(game, after, limit)
        with translate_redis_errors():
            if commits:
                self._handled.keep(game, True)
                self._handler(game, commits)
            elif not after:
                self._forget_lost(game)


def _spans(entries: Iterable[FeedEntry]) -> dict[str, tuple[int, int]]:
    """Return the first and last version of each game in the entries; bookmarks have no game."""
    spans: dict[str, tuple[int, int]] = {}
    for entry in entries:
        if entry.game:
            low, high = spans.get(entry.game, (entry.version, entry.version))
            spans[entry.game] = min(low, entry.version), max(high, entry.version)
    return spans


# Saves positions, each unless a new epoch has begun or it is behind the stored one.
#   KEYS  cursor    ARGV  [number  epoch  position ...]
# Replies how many were refused because of their epoch.
_SAVE = """
local function is_behind(position, known)
  local at, number = string.match(position, '^(%d+)-(%d+)$')
  local known_at, known_number = string.match(known, '^(%d+)-(%d+)$')
  if at ~= known_at then return tonumber(at) < tonumber(known_at) end
  return tonumber(number) < tonumber(known_number)
end
local refused = 0
for i = 1, #ARGV, 3 do
  local known = redis.call('HGET', KEYS[1], ARGV[i])
  if (redis.call('HGET', KEYS[1], 'e' .. ARGV[i]) or '') ~= ARGV[i + 1] then
    refused = refused + 1
  elseif not known or not is_behind(ARGV[i + 2], known) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  end
end
return refused
"""
# Begins a new epoch of a partition, unless that was done since the known one.
#   KEYS  cursor  [other places where epochs are stored]    ARGV  random text  number  known epoch
# Replies the epoch. Epochs are counted, and told apart by the random text where a count was lost.
_BEGIN_EPOCHS = """
local field = 'e' .. ARGV[2]
local epoch = redis.call('HGET', KEYS[1], field) or ''
if epoch == ARGV[3] then
  epoch = (tonumber(string.match(epoch, '^%d+') or '0') + 1) .. '-' .. ARGV[1]
  redis.call('HDEL', KEYS[1], ARGV[2], 's' .. ARGV[2])
end
for _, key in ipairs(KEYS) do redis.call('HSET', key, field, epoch) end
return epoch
"""


def parse_position(position: str) -> tuple[int, ...]:
    """Return a position in a feed so that positions can be compared."""
    return tuple(int(part) for part in position.split("-"))


def read_fence(client: Redis, slot: str, name: str, game: str) -> Fence:
    """Return the present view of the log of a game's partition, to be asked for before the log is read."""
    key = cursor_key(slot, name)
    number = find_layout(client).partition(game)
    with translate_redis_errors():
        epoch: Any = client.hget(key, epoch_field(number))
    return Fence(key, number, epoch.decode() if epoch else "")


def read_fences(client: Redis, slots: Sequence[str], name: str, game: str) -> Fences:
    """Return the present views of the log of a game's partition, for what is written to these slots."""
    if not is_cluster(client):
        return OneFence(read_fence(client, slots[0], name, game))
    number = find_layout(client).partition(game)
    keys = [cursor_key(slot, name) for slot in slots]
    with translate_redis_errors(), client.pipeline(transaction=False) as asking:
        for key in keys:
            asking.hget(key, epoch_field(number))
        epochs = asking.execute()
    found = zip(slots, keys, epochs, strict=True)
    return KnownFences(
        {slot: Fence(key, number, epoch.decode() if epoch else "") for slot, key, epoch in found}
    )


def any_fences(client: Redis, slots: Sequence[str], name: str, game: str) -> Fences:
    """Return views that count for the present epochs, whichever they are."""
    number = find_layout(client).partition(game)
    if not is_cluster(client):
        return OneFence(Fence(cursor_key(slots[0], name), number))
    return KnownFences({slot: Fence(cursor_key(slot, name), number) for slot in slots})


class RedisCursor:
    """Positions and epochs in Redis. It needs a client of its own: see `events.redis.connect_blocking`.

    A cursor must lie in the slot of what it vouches for: if a server is lost, both go back together, and what
    was derived since is derived again. On a single server all slots go back together; there the positions are
    in the first of `slots`, and each has the epochs. Without `slots` each partition has a cursor in its own.
    """

    def __init__(
        self, client: Redis, name: str, seconds: float = 1.0, slots: Sequence[str] = ("lobby", "players")
    ) -> None:
        self._redis = client
        self._name = name
        self._keys = tuple(cursor_key(slot, name) for slot in slots)
        self._slots = tuple(slots)
        self._seconds = seconds
        self._place: object = None
        self._watch = FeedWatch(client) if is_cluster(client) else None
        self._epochs: dict[int, str] = {}
        self._reached: dict[int, str] = {}
        self._stored: dict[int, str] = {}
        self._save = client.register_script(_SAVE)
        self._begin_epochs = client.register_script(_BEGIN_EPOCHS)

    @property
    def _layout(self) -> Layout:
        return find_layout(self._redis)

    def positions(self) -> dict[int, str]:
        call: Any = self._redis
        self._place = self._find_place()
        with translate_redis_errors():
            with call.pipeline(transaction=False) as asking:
                for key in self._list_keys():
                    asking.hgetall(key)
                stored = {field: value for found in asking.execute() for field, value in found.items()}
            if not stored:
                # Where 0.2 and before stored them.
                stored = call.hgetall(f"croupier:cursor:{self._name}")
        fields = {field.decode(): value.decode() for field, value in stored.items()}
        self._epochs = {int(name[1:]): value for name, value in fields.items() if name.startswith("e")}
        self._reached = {int(name[1:]): value for name, value in fields.items() if name.startswith("s")}
        self._stored = {int(name): value for name, value in fields.items() if name.isdigit()}
        return dict(self._stored)

    def _find_place(self) -> object:
        """Return the server of the positions; None where it is that of each partition, or the only one."""
        return self._server_of(self._keys[0]) if self._keys else None

    def _server_of(self, key: str) -> object:
        """Return the server of a key; None where one server has all."""
        if not is_cluster(self._redis):
            return None
        client: Any = self._redis
        with translate_redis_errors():
            return client.master_of(key)

    def _list_keys(self) -> Sequence[str]:
        """Return the keys that hold positions."""
        return self._keys[:1] or [self._key_of(number) for number in range(self._layout.partitions)]

    def _key_of(self, number: int) -> str:
        """Return the key that holds the position of a partition."""
        return self._keys[0] if self._keys else cursor_key(self._layout.tag(number), self._name)

    def find_lost(self) -> set[int]:
        """Look for the entries that something was derived from and that no position vouches for.

        After a crash there are some; if they are gone, the server lost them, and what was derived is ahead.
        """
        return self._find_gone(
            (number, position)
            for number, position in self._reached.items()
            if number in self._stored and parse_position(position) > parse_position(self._stored[number])
        )

    def _find_gone(self, entries: Iterable[tuple[int, str]]) -> set[int]:
        """Return the partitions of those entries that their feeds do not have any more."""
        call: Any = self._redis
        wanted = list(entries)
        with translate_redis_errors(), call.pipeline(transaction=False) as asking:
            for number, position in wanted:
                asking.xrange(self._layout.feed_key(number), position, position)
            found = asking.execute()
        return {number for (number, _), entry in zip(wanted, found, strict=True) if not entry}

    def save(self, positions: Mapping[int, str]) -> None:
        by_key: dict[str, list[int | str]] = {}
        for number, position in positions.items():
            arguments = by_key.setdefault(self._key_of(number), [])
            arguments += (number, self._epochs.get(number, ""), position)
        for key, arguments in by_key.items():
            with translate_redis_errors():
                refused: Any = self._save((key,), arguments)
            if refused:
                raise Fenced

    def reach(self, number: int, position: str) -> None:
        self._reached[number] = position

    def fence(self, slot: str, number: int) -> Fence:
        """Return the view that this follower has of a partition, for what it writes in that slot."""
        key = self._keys[self._slots.index(slot)]
        return Fence(key, number, self._epochs.get(number, ""), self._reached.get(number, ""))

    def player_fences(self, number: int) -> Fences:
        """Return the views that this follower has of a partition, for what it writes in slots of players."""
        return OneFence(self.player_fence(number))

    def player_fence(self, number: int) -> Fence:
        """Return the view for what is written of players on a single server."""
        return self.fence(PLAYERS_SLOT, number)

    def partition_fence(self, number: int) -> Fence:
        """Return the view that this follower has of a partition, for what it writes beside its positions."""
        return Fence(
            self._key_of(number), number, self._epochs.get(number, ""), self._reached.get(number, "")
        )

    def begin_epochs(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            keys = self._keys or (self._key_of(number),)
            arguments = (secrets.token_hex(4), number, self._epochs.get(number, ""))
            with translate_redis_errors():
                epoch: Any = self._begin_epochs(keys, arguments)
            self._epochs[number] = epoch.decode()
            self._reached.pop(number, None)

    def forget(self) -> None:
        """Delete the positions: the follower reads all games when it starts next. Epochs stay."""
        positions = self.positions()
        with translate_redis_errors():
            self._redis.delete(f"croupier:cursor:{self._name}")
            for number in positions:
                self._redis.hdel(self._key_of(number), str(number))

    def measure_lag(self) -> float:
        """Return the age of the oldest entry that is not handled yet, in seconds by the server's clock."""
        positions = self.positions()
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for number in range(self._layout.partitions):
                after = positions.get(number)
                asking.xrange(self._layout.feed_key(number), f"({after}" if after else "-", "+", 1)
            asking.time()
            *feeds, (seconds, micros) = asking.execute()
        waiting = [int(entries[0][0].partition(b"-")[0]) / 1000 for entries in feeds if entries]
        return max(0.0, seconds + micros / 1e6 - min(waiting)) if waiting else 0.0

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
        """Return the partitions that may have entries after these positions.

        Unless `at_once` is set, wait a limited time for the first entry. A cluster refuses to read the feeds
        of several slots at once: there the bell says which have news, and now and then all are looked at.
        Raises Fenced if another server has taken over the slot of the positions: what was written last may be
        lost with the former one, and is known from the positions there.
        """
        if self._find_place() != self._place:
            raise Fenced
        if self._watch:
            with translate_redis_errors():
                return self._watch.wait(positions, 0.0 if at_once else self._seconds)
        feeds = {self._layout.feed_key(number).encode(): number for number in positions}
        streams: dict[Any, Any] = {feed: positions[number] for feed, number in feeds.items()}
        with translate_redis_errors():
            found: Any = self._redis.xread(
                streams, count=1, block=None if at_once else int(self._seconds * 1000)
            )
        return [feeds[feed] for feed, _ in found or ()]

    def place_of(self, number: int) -> object:
        return self._server_of(self._layout.feed_key(number))
