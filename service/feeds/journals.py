"""Writes what happens in games into the journals of API keys, and into those of all public games.

`KeyFeed` and `PublicFeed` write, for the projector. Journals of players are written by `PlayerFeed`, which
keeps their lists as well. Whatever is told is told once: see `journal.lua` and ADR 0047.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import Struct
from redis import Redis

from events.commit import Commit
from events.follower import (
    PROJECTOR,
    Fence,
    Fenced,
    Fences,
    OneFence,
    WentBack,
    any_fences,
    cursor_key,
    read_fence,
    read_fences,
)
from events.layout import find_layout
from events.recently_used import RecentlyUsed
from events.redis import is_cluster, translate_redis_errors
from events.redis_store import BELL
from events.script_batch import ScriptCall
from events.store import Store
from events.types import SeatLeft
from events.values import PUBLIC as PUBLIC_GAME
from rules import EDITIONS, State
from rules.state import EMPTY
from service.games.cache import MOST_GAMES
from service.games.deadlines import awaited_seats
from service.games.snapshots import Snapshot, UnknownGame
from service.lobby.archived_games import ArchivedGames
from service.players.feed import FENCED, HASH, TOLD_ELSE, UNTOLD, What, follow_commits, name_event
from service.players.places import find_keys
from service.players.players import Players, read_script

# The reader who sees all public games; the others are named by the id of their player or API key.
PUBLIC = "public"
# Players of whom it is remembered which API key made them.
MOST_PLAYERS = 10_000
# A server with many users has many events.
MOST_KEY_EVENTS = 20_000
MOST_PUBLIC_EVENTS = 20_000
MOST_PARTITION_EVENTS = 1_000
# So many commits of which no reader is told are remembered before the mark of the game is moved on.
MOST_SILENT = 50


class Journal(Struct, frozen=True):
    """Names the stream of a journal and the hash of its marks."""

    events: str
    marks: str


def journal_of(client: Redis, reader: str) -> Journal:
    """Return the journal of a player or an API key. Raises Unavailable."""
    *_, events, marks, _ = find_keys(client).derived(reader)
    return Journal(events, marks)


_ALL_PUBLIC = Journal("croupier:{public}:events", "croupier:{public}:marks")


def count_public_journals(client: Redis) -> int:
    """Return how many journals of public games there are. Raises Unavailable.

    With one server, or one behind sentinels, all slots go back together, and one journal holds all. In a
    cluster each partition has its own in its slot, beside the cursor of the follower that writes it.
    """
    return find_layout(client).partitions if is_cluster(client) else 1


def public_journal(client: Redis, number: int) -> Journal:
    """Return the journal of public games in a partition."""
    if not is_cluster(client):
        return _ALL_PUBLIC
    layout = find_layout(client)
    return Journal(layout.key(number, "public"), layout.key(number, "public-marks"))


class GameEvent(Struct, frozen=True):
    """Something that happened in a game, as everybody who may see the game is told.

    `seat` is whom it is about, None where it concerns all; `player` or `name` says who sits there. `players`
    are those who had a seat before or after it.
    """

    version: int
    hash: str
    what: What
    seat: int | None
    awaits: tuple[int, ...]
    player: str = ""
    name: str = ""
    players: frozenset[str] = frozenset()

    @property
    def arguments(self) -> tuple[str | int, ...]:
        """What `journal.lua` is told of it."""
        seat = "" if self.seat is None else self.seat
        awaits = ",".join(map(str, self.awaits))
        return self.version, self.what, seat, awaits, self.hash, self.player, self.name


def follow_game(
    state: State, commits: Sequence[Commit], newest: Snapshot | None = None
) -> tuple[list[GameEvent], State]:
    """Return the events in these commits, and the state that the commits lead to."""
    return follow_commits(state, commits, newest, list_game_events)


def list_game_events(before: State, commit: Commit, after: State) -> Iterator[GameEvent]:
    """Yield the events that a commit means for all who may see the game."""
    awaits = awaited_seats(after)
    players = frozenset(seat.player for state in (before, after) for seat in state.seats if seat.player)
    for what, number, state in _list_words(before, commit, after):
        who = None if number is None else state.seats[number]
        player = who.player if who else ""
        yield GameEvent(
            version=commit.version,
            hash=commit.hash[:HASH],
            what=what,
            seat=number,
            awaits=awaits,
            player=player,
            name=who.name or "" if who and not player else "",
            players=players,
        )


def _list_words(before: State, commit: Commit, after: State) -> Iterator[tuple[What, int | None, State]]:
    """Yield what happened, the seat that it is about, and the state in which that seat is taken."""
    for number, _ in sorted(_people(after) - _people(before)):
        yield "joined", number, after
    for event in commit.events:
        if isinstance(event, SeatLeft) and any(seat == event.seat for seat, _ in _people(before)):
            yield "left", event.seat, before
        what = name_event(event)
        if what is not None:
            yield what, None, after
    for _, number in sorted(_open_asks(after) - _open_asks(before)):
        yield "asked", number, after


def _people(state: State) -> set[tuple[int, str]]:
    """Return the seats that people have, at the table or away, with their names or ids."""
    return {(number, seat.name or "") for number, seat in enumerate(state.seats) if seat.is_person}


def _open_asks(state: State) -> set[tuple[int, int]]:
    """Return the seats in which a person owes an answer, each with the number of the ask."""
    return {(state.asked, seat) for seat in awaited_seats(state) if not state.seats[seat].acting_bot}


# Comes after `journal.lua`.
#   KEYS  journal  marks  epochs
#   ARGV  reader  channel  game  newest version  most events  first version  hashes from the one before it on
#         version after which all is new on another log  version up to which all was told without a mark
#         field of the epoch  epoch, or * for any  field of the place in the feed  that place, or empty
#         edition  [version what seat awaits hash player name ...]
# Replies as `note.lua` does.
_TELL = """
local epoch = redis.call('HGET', KEYS[3], ARGV[10]) or ''
if ARGV[11] ~= '*' and ARGV[11] ~= epoch then return -2 end
local count = tell({
  journal = KEYS[1], marks = KEYS[2], game = ARGV[3], edition = ARGV[14], newest = tonumber(ARGV[4]),
  most = ARGV[5], first = tonumber(ARGV[6]), hashes = ARGV[7], since = tonumber(ARGV[8]),
  sealed = tonumber(ARGV[9]),
  epoch = tonumber(string.match(epoch, '^%d+') or '0'), events = 15,
})
if count < 0 then return count end
reach(KEYS[3], ARGV[12], ARGV[13])
-- The field of the epoch ends with the number of the partition.
local number = tonumber(string.sub(ARGV[10], 2)) + 1
if count > 0 then redis.call('PUBLISH', ARGV[2], ARGV[1] .. '|' .. number) end
return count
"""
#   KEYS  journal  marks    ARGV  reader  channel  game  where in the journal to begin  most pages
# Replies where to go on, nil once all of the game is gone.
_FORGET = """
local _, _, rest = take_back(
  KEYS[1], KEYS[2], ARGV[3], function() return false end, ARGV[4], tonumber(ARGV[5]))
if rest then return rest end
redis.call('PUBLISH', ARGV[2], ARGV[1] .. '|0')
redis.call('HDEL', KEYS[2], ARGV[3])
return false
"""
# What a journal is searched for a game at a time, in pages of `journal.lua`: other requests run in between.
FORGET_PAGES = 10


class FollowedGame(Struct, frozen=True):
    """Says how far a feed has read a game: hash and state of the last commit.

    `hashes` are those of the commits since the mark of the game was last moved, from that of version `marked`
    on.
    """

    head: str
    state: State
    marked: int
    hashes: str


class GamePage(Struct, frozen=True):
    """Holds what a feed writes of a game: events after version `marked`, and the hashes from that one on.

    In a new epoch of the log all after version `since` are new. Up to version `sealed` all was told, also
    where no mark says so. With `is_whole` it begins with the first commit.
    """

    snapshot: Snapshot
    news: Sequence[GameEvent]
    marked: int
    hashes: str
    newest: int
    since: int
    sealed: int
    is_whole: bool


class GameFeed(ABC):
    """Writes the events of games for some readers. Recording twice, or by two at once, does no harm."""

    def __init__(self, client: Redis, store: Store, most_events: int) -> None:
        """Write to that client's Redis; a journal holds up to `most_events` events."""
        self._redis: Any = client
        self._store = store
        self._most = most_events
        self._followed: RecentlyUsed[FollowedGame] = RecentlyUsed(MOST_GAMES)
        self._archived = ArchivedGames(client)
        journal = read_script("journal.lua")
        self._tell = client.register_script(journal + _TELL.encode())
        self._forget = client.register_script(journal + _FORGET.encode())

    @abstractmethod
    def _concerns(self, game: str, commits: Sequence[Commit], snapshot: Snapshot) -> bool:
        """Return whether any reader may have to be told of these commits."""

    @abstractmethod
    def _list_readers(self, game: str, page: GamePage) -> Iterable[str]:
        """Return the readers of a page."""

    @abstractmethod
    def _choose(self, reader: str, game: str, news: Sequence[GameEvent]) -> Sequence[GameEvent]:
        """Return the events that a reader is told of."""

    @abstractmethod
    def _find_journal(self, reader: str, game: str) -> Journal:
        """Return the journal of a reader in which a game is told."""

    @abstractmethod
    def _find_slot(self, reader: str, game: str) -> str:
        """Return the slot of the journal of a reader in which a game is told."""

    @abstractmethod
    def read_fences(self, game: str) -> Fences:
        """Return the present views of a game's log, to be asked for before the game is read.

        Raises Unavailable.
        """

    @abstractmethod
    def _any_fences(self, game: str) -> Fences:
        """Return the fences of a writer that does not know in which epoch the game was read."""

    def record(
        self, game: str, commits: Sequence[Commit], snapshot: Snapshot, fences: Fences | None = None
    ) -> None:
        """Write what these commits mean for the readers of the game.

        Where more was written already, nothing is. Raises Fenced, Unavailable, and WentBack if what was
        written is not in the log.
        """
        if _is_told(snapshot) and self._concerns(game, commits, snapshot):
            self._record_all(game, commits, snapshot, commits[0].version - 1, fences)

    def describe(self, game: str, snapshot: Snapshot, fences: Fences | None = None) -> None:
        """Write what is missing of a game, all of it if necessary. Raises as `record` does."""
        if _is_told(snapshot) and self._concerns(game, (), snapshot):
            self._followed.drop(game)
            self._record_all(game, self._store.read(game), snapshot, snapshot.version, fences)

    def _record_all(
        self, game: str, commits: Sequence[Commit], snapshot: Snapshot, since: int, fences: Fences | None
    ) -> None:
        """Write the events of commits, unless there are none and the log goes on as it was."""
        fences = fences or self._any_fences(game)
        known = self._followed.find(game)
        if known is None or known.head != commits[0].prev:
            known = None
            commits = commits if commits[0].version == 1 else self._store.read(game)
        page, state = self._read_page(known, commits, snapshot, since)
        if known is None or page.news or len(page.hashes) > MOST_SILENT * HASH:
            for reader in self._list_readers(game, page):
                fences.write(self._find_slot(reader, game), partial(self._prepare, reader, game, page))
            page = _begin_after(page)
        # Where a write fails that is sent later, the mark of the game says so: all is read again then.
        self._followed.keep(game, FollowedGame(commits[-1].hash, state, page.marked, page.hashes))

    def _read_page(
        self, known: FollowedGame | None, commits: Sequence[Commit], snapshot: Snapshot, since: int
    ) -> tuple[GamePage, State]:
        """Return what is to be written of commits that follow on what is known, and the state after them."""
        first = commits[0]
        known = known or FollowedGame(first.prev, EMPTY, first.version - 1, first.prev[:HASH])
        news, state = follow_game(known.state, commits, snapshot)
        # A game that comes back from the archive was told to its end.
        is_sealed = snapshot.state.status == "over" and self._archived.is_sealed(snapshot.game)
        newest = max(snapshot.version, commits[-1].version)
        page = GamePage(
            snapshot=snapshot,
            news=news,
            marked=known.marked,
            hashes=known.hashes + "".join(commit.hash[:HASH] for commit in commits),
            newest=newest,
            since=since,
            sealed=newest if is_sealed else 0,
            is_whole=first.version == 1,
        )
        return page, state

    def _prepare(self, reader: str, game: str, page: GamePage, fence: Fence) -> ScriptCall:
        """Return the script that writes a page for one reader.

        Where the reader was not told of something before it, all of the game is read and written.
        """
        journal = self._find_journal(reader, game)
        arguments: list[str | int] = [
            reader,
            BELL,
            game,
            page.newest,
            self._most,
            page.marked + 1,
            page.hashes,
            page.since,
            page.sealed,
            *fence.arguments,
            page.snapshot.state.edition,
        ]
        for event in self._choose(reader, game, page.news):
            arguments += event.arguments
        keys = (journal.events, journal.marks, fence.key)
        return ScriptCall(self._tell, keys, arguments, partial(self._settle, reader, game, page, fence))

    def _settle(self, reader: str, game: str, page: GamePage, fence: Fence, reply: int) -> int:
        """Return how many events were new. Raises Fenced and WentBack."""
        if reply == FENCED:
            raise Fenced
        if reply == TOLD_ELSE and not self._is_in_log(self._find_journal(reader, game), game):
            raise WentBack(game)
        if reply == UNTOLD and not page.is_whole:
            whole, _ = self._read_page(None, self._store.read(game), page.snapshot, page.since)
            return self._prepare(reader, game, whole, fence).run()
        return reply

    def _is_in_log(self, journal: Journal, game: str) -> bool:
        """Return whether the log has the commit up to which a reader was told of a game."""
        with translate_redis_errors():
            mark = self._redis.hget(journal.marks, game)
        if mark is None:
            return True
        version, told, *_ = mark.decode().split(":")
        return any(commit.hash.startswith(told) for commit in self._store.read(game, int(version) - 1, 1))

    def _remove_from(self, game: str, readers: Iterable[str]) -> None:
        """Remove a game from the journals of these readers, who are told to begin anew."""
        self._followed.drop(game)
        for reader in readers:
            journal = self._find_journal(reader, game)
            rest: bytes | str | None = "+"
            while rest is not None:
                with translate_redis_errors():
                    arguments = (reader, BELL, game, rest, FORGET_PAGES)
                    rest = self._forget((journal.events, journal.marks), arguments)

    def _drop_marks(self, game: str, readers: Iterable[str]) -> None:
        """Forget how far an archived game was told: if it comes back, it was told to its end."""
        with translate_redis_errors():
            for reader in readers:
                self._redis.hdel(self._find_journal(reader, game).marks, game)


def _begin_after(page: GamePage) -> GamePage:
    """Return an empty page that begins where one ended that was written."""
    last = page.marked - 1 + len(page.hashes) // HASH
    return GamePage(
        snapshot=page.snapshot,
        news=(),
        marked=last,
        hashes=page.hashes[-HASH:],
        newest=page.newest,
        since=page.since,
        sealed=page.sealed,
        is_whole=False,
    )


def _is_told(snapshot: Snapshot) -> bool:
    """Return whether readers are told of a game; an imported one happened elsewhere."""
    return EDITIONS.knows(snapshot.state) and not snapshot.imported_at


class KeyFeed(GameFeed):
    """Tells API keys of games that their requests created, and of those in which their players sit."""

    def __init__(
        self,
        client: Redis,
        store: Store,
        players: Players,
        creating_key: Callable[[str], str],
        most_events: int = MOST_KEY_EVENTS,
    ) -> None:
        """`creating_key` returns the id of the API key that created a game, empty if none did."""
        super().__init__(client, store, most_events)
        self._players = players
        self._creating_key = creating_key
        self._keys: RecentlyUsed[str] = RecentlyUsed(MOST_PLAYERS)
        self._creators: RecentlyUsed[str] = RecentlyUsed(MOST_GAMES)

    def list_keys(self, game: str, players: Iterable[str]) -> list[str]:
        """Return the API keys that hear of a game with these players. Raises UnknownGame and Unavailable."""
        creating = self._creating_key(game)
        if creating:
            self._creators.keep(game, creating)
        return list(dict.fromkeys(filter(None, [creating, *map(self._find_key, players)])))

    def list_told(self, game: str, players: Iterable[str]) -> list[str]:
        """Return the API keys that were told of a game whose log was lost, with these players."""
        known = self._creators.find(game)
        return list(dict.fromkeys(filter(None, [known, *map(self._find_key, players)])))

    def _find_key(self, player: str) -> str:
        """Return the API key that made a player; empty if none did, or the player was erased."""
        known = self._keys.find(player)
        if known is None:
            record = self._players.read(player)
            known = record.key if record else ""
            if record:
                self._keys.keep(player, known)
        return known

    def _concerns(self, game: str, commits: Sequence[Commit], snapshot: Snapshot) -> bool:
        if any(isinstance(event, SeatLeft) for commit in commits for event in commit.events):
            return True
        return bool(self.list_keys(game, (seat.player for seat in snapshot.state.seats if seat.player)))

    def _list_readers(self, game: str, page: GamePage) -> Iterable[str]:
        players = {player for event in page.news for player in event.players}
        present = {seat.player for seat in page.snapshot.state.seats if seat.player}
        return self.list_keys(game, sorted(players | present))

    def _choose(self, reader: str, game: str, news: Sequence[GameEvent]) -> Sequence[GameEvent]:
        if reader == self._creating_key(game):
            return news
        return [event for event in news if reader in map(self._find_key, event.players)]

    def _find_journal(self, reader: str, game: str) -> Journal:
        return journal_of(self._redis, reader)

    def _find_slot(self, reader: str, game: str) -> str:
        return find_keys(self._redis).slot_of(reader)

    def read_fences(self, game: str) -> Fences:
        return read_fences(self._redis, find_keys(self._redis).slots, PROJECTOR, game)

    def _any_fences(self, game: str) -> Fences:
        return any_fences(self._redis, find_keys(self._redis).slots, PROJECTOR, game)

    def remove(self, game: str, keys: Sequence[str]) -> None:
        """Remove a game from the journals of these API keys. Raises Unavailable."""
        self._remove_from(game, keys)

    def seal(self, game: str, players: Sequence[str]) -> None:
        """Forget how far an archived game with these players was told. Raises Unavailable."""
        with suppress(UnknownGame):
            self._drop_marks(game, self.list_keys(game, players))


class PublicFeed(GameFeed):
    """Tells everybody of public games; sandbox games are not among them."""

    def __init__(self, client: Redis, store: Store, most_events: int | None = None) -> None:
        """Write to that client's Redis; `most_events` are those that a journal holds."""
        most = MOST_PARTITION_EVENTS if is_cluster(client) else MOST_PUBLIC_EVENTS
        super().__init__(client, store, most if most_events is None else most_events)

    def _concerns(self, game: str, commits: Sequence[Commit], snapshot: Snapshot) -> bool:
        return is_public(snapshot.state)

    def _list_readers(self, game: str, page: GamePage) -> Iterable[str]:
        return (PUBLIC,)

    def _choose(self, reader: str, game: str, news: Sequence[GameEvent]) -> Sequence[GameEvent]:
        return news

    def _find_journal(self, reader: str, game: str) -> Journal:
        return public_journal(self._redis, find_layout(self._redis).partition(game))

    def read_fences(self, game: str) -> Fences:
        return OneFence(read_fence(self._redis, self._find_slot(PUBLIC, game), PROJECTOR, game))

    def _any_fences(self, game: str) -> Fences:
        number = find_layout(self._redis).partition(game)
        return OneFence(Fence(cursor_key(self._find_slot(PUBLIC, game), PROJECTOR), number))

    def _find_slot(self, reader: str, game: str) -> str:
        """Return the slot of the cursor that vouches for what is told of a game."""
        layout = find_layout(self._redis)
        return layout.tag(layout.partition(game)) if is_cluster(self._redis) else "lobby"

    def list_told(self) -> set[str]:
        """Return the games that everybody was told of, but for archived ones. Raises Unavailable."""
        told: set[str] = set()
        for number in range(count_public_journals(self._redis)):
            with translate_redis_errors():
                names = self._redis.hkeys(public_journal(self._redis, number).marks)
            told |= {name.decode() for name in names if not name.startswith(b"#")}
        return told

    def remove(self, game: str) -> None:
        """Remove a game from what everybody is told. Raises Unavailable."""
        self._remove_from(game, (PUBLIC,))

    def seal(self, game: str) -> None:
        """Forget how far an archived game was told. Raises Unavailable."""
        self._drop_marks(game, (PUBLIC,))


def is_public(state: State) -> bool:
    """Return whether everybody hears of a game: it is neither unlisted, private nor a sandbox game."""
    return state.visibility == PUBLIC_GAME and not state.sandbox
