"""Keeps a player's feed: the events in their games, and the list of those games.

`PlayerFeed` writes it, for the projector; `PlayerReading` reads it, for requests.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from redis import Redis

from events.commit import Commit
from events.follower import PROJECTOR, Fence, Fenced, Fences, WentBack, any_fences, read_fences
from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors
from events.redis_store import BELL
from events.script_batch import ScriptCall
from events.store import Store
from events.types import Event, GameClosed, GameEnded, GameStarted, RoundEnded, SeatLeft
from events.values import PRIVATE, PUBLIC, Moment, Visibility
from rules import EDITIONS, State
from rules.evolve import fold
from rules.scoring import total
from rules.seats import VOIDED
from rules.state import EMPTY, Status
from service.games.cache import MOST_GAMES
from service.games.cursors import decode_cursor, encode_cursor
from service.games.deadlines import awaited_seats
from service.games.snapshots import Snapshot
from service.lobby.archived_games import ArchivedGames, decode_sealed
from service.lobby.rows import LobbyGame, name_players_list
from service.players.places import ALL_ROWS, PlayerKeys, find_keys
from service.players.players import read_script

What = Literal["joined", "started", "asked", "round_ended", "over", "voided", "left"]
# So many characters of a commit's hash tell it apart from others of its version.
HASH = 8


class PlayerEvent(Struct, frozen=True):
    """Holds an event for one player; there is at most one of a kind for a seat in one version.

    `awaits` are the seats that owe an answer then, `hash` is how the hash of the commit begins.
    """

    player: str
    version: int
    what: What
    seat: int
    awaits: tuple[int, ...] = ()
    hash: str = ""


Told = TypeVar("Told")


def follow_commits(
    state: State,
    commits: Sequence[Commit],
    newest: Snapshot | None,
    list_told: Callable[[State, Commit, State], Iterable[Told]],
) -> tuple[list[Told], State]:
    """Return what readers are told of these commits, and the state that the commits lead to.

    `state` is the one before them, and `list_told` says what a commit means between the state before and the
    one after it. Where `newest` is the game after a commit, nothing is folded again.
    """
    told: list[Told] = []
    for commit in commits:
        before = state
        is_newest = newest is not None and newest.head == commit.hash
        state = newest.state if newest is not None and is_newest else fold(state, commit.events)
        if state.game != before.game:
            # What happened before a fork happened in another game, to others (W12).
            told = []
            before = EMPTY
        told += list_told(before, commit, state)
    return told, state


def follow_events(
    state: State, commits: Sequence[Commit], newest: Snapshot | None = None
) -> tuple[list[PlayerEvent], State]:
    """Return the events for players in these commits, and the state that the commits lead to."""
    return follow_commits(state, commits, newest, list_events)


def list_events(before: State, commit: Commit, after: State) -> Iterator[PlayerEvent]:
    """Yield the events that a commit means for the players of the game."""
    awaits = awaited_seats(after)
    for player, what, seat in _list_words(before, commit, after):
        yield PlayerEvent(player, commit.version, what, seat, awaits, commit.hash[:HASH])


def _list_words(before: State, commit: Commit, after: State) -> Iterator[tuple[str, What, int]]:
    """Yield whom a commit concerns, what happened in one word, and the seat of that player."""
    for number, player in sorted(_people(after).items() - _people(before).items()):
        yield player, "joined", number
    for event in commit.events:
        yield from _events_for_players(event, before, after)
    for _, seat in sorted(_open_asks(after) - _open_asks(before)):
        yield after.seats[seat].player, "asked", seat


def _events_for_players(event: Event, before: State, after: State) -> Iterator[tuple[str, What, int]]:
    """Yield the events for players that follow from one event of the log."""
    if isinstance(event, SeatLeft):
        left = _people(before).get(event.seat)
        yield from ((left, "left", event.seat),) if left else ()
    what = name_event(event)
    if what is not None:
        yield from ((player, what, seat) for seat, player in _people(after).items())


def name_event(event: Event) -> What | None:
    """Return what an event is called for all seats of the game; None if they are not told of it."""
    match event:
        case GameStarted():
            return "started"
        case RoundEnded():
            return "round_ended"
        case GameEnded():
            return "over"
        case GameClosed(reason):
            return "voided" if reason == VOIDED else "over"
        case _:
            return None


def _people(state: State) -> dict[int, str]:
    """Return the players by their seats."""
    return {number: seat.player for number, seat in enumerate(state.seats) if seat.player}


def _open_asks(state: State) -> set[tuple[int, int]]:
    """Return the seats that owe an answer, each with the number of the ask."""
    return {(state.asked, seat) for seat in awaited_players(state)}


def awaited_players(state: State) -> Iterable[int]:
    """Return the seats of players who owe an answer and have no bot acting for them."""
    seats = state.seats
    return [seat for seat in awaited_seats(state) if seats[seat].player and not seats[seat].acting_bot]


def concern_players(state: State, commits: Sequence[Commit]) -> bool:
    """Return whether commits may mean anything to players: some sit there, or one has just left."""
    return bool(_people(state)) or any(
        isinstance(event, SeatLeft) for commit in commits for event in commit.events
    )


class MySeat(Struct, frozen=True, omit_defaults=True):
    seat: int
    name: str | None
    bot: str | None = None
    open: bool = False
    player: str = ""


class MyGame(Struct, frozen=True):
    """`seat` is the player's own, `awaiting` whether it is asked now; `total` comes with the end.

    `awaits` are all seats that owe an answer.
    """

    id: str
    edition: str
    status: Status
    version: int
    seat: int
    awaiting: bool
    created: Moment
    updated: Moment
    round: int
    rounds: int
    seats: tuple[MySeat, ...]
    winners: tuple[int, ...] | None = None
    total: int | None = None
    visibility: Visibility = PUBLIC
    awaits: tuple[int, ...] = ()
    finished: Moment | None = None
    sandbox: bool | UnsetType = UNSET


_decoder = msgspec.json.Decoder(MyGame)
# What `note.lua` finds instead of a victory in the row of a private or a sandbox game.
_NOT_COUNTED = 2


def describe_game(snapshot: Snapshot, seat: int) -> MyGame:
    """Return the row of a game in the list of the player with that seat."""
    state = snapshot.state
    return MyGame(
        id=snapshot.game,
        edition=state.edition,
        status=state.status,
        version=snapshot.version,
        seat=seat,
        awaiting=seat in awaited_players(state),
        created=snapshot.created_at,
        updated=snapshot.changed_at,
        round=state.round,
        rounds=EDITIONS.of(state).rounds,
        seats=tuple(_describe_seat(state, number) for number in range(len(state.seats))),
        winners=state.winners,
        total=total(state, seat) if state.winners is not None else None,
        visibility=state.visibility,
        awaits=awaited_seats(state),
        finished=snapshot.ended_at or None,
        sandbox=state.sandbox or UNSET,
    )


def _describe_seat(state: State, number: int) -> MySeat:
    """Return a seat as the row shows it."""
    seat = state.seats[number]
    return MySeat(number, seat.name, seat.bot, seat.name is None, seat.player)


def encode_row(game: MyGame, is_sealed: bool) -> str:
    """Return a row as Redis stores it, behind the fields that the script sorts and counts by."""
    return _encode_start(game, is_sealed) + msgspec.json.encode(game).decode()


def _encode_start(game: MyGame, is_sealed: bool = False) -> str:
    """Return what a row begins with.

    These are the time, the version, the status, the edition of a finished game, and whether it was won, or
    that it does not count: it is private or a sandbox game, or counted among the archived games.
    """
    when = int(datetime.fromisoformat(game.updated).timestamp() * 1000)
    finished = "" if game.winners is None else game.edition
    won = int(game.seat in (game.winners or ()))
    is_left_out = is_sealed or game.sandbox or game.visibility == PRIVATE
    counted = _NOT_COUNTED if is_left_out else won
    return f"{when:015d}|{game.version}|{game.status}|{finished}|{counted}|"


def decode_row(row: bytes) -> MyGame | None:
    """Return the row that is stored as these bytes; None of a game whose row is in the archive."""
    text = row.split(b"|", 5)[5]
    return _decoder.decode(text) if text else None


def describe_archived(line: LobbyGame, seat: int) -> MyGame:
    """Return the row of an archived game in the list of the player with that seat."""
    return MyGame(
        id=line.id,
        edition=line.edition,
        status=line.status,
        version=line.version,
        seat=seat,
        awaiting=False,
        created=line.created,
        updated=line.updated,
        round=line.round,
        rounds=line.rounds,
        seats=tuple(MySeat(one.seat, one.name, one.bot, one.open, one.player) for one in line.seats),
        winners=line.winners,
        total=line.totals[seat] if line.winners is not None and line.totals else None,
        visibility=line.visibility,
        awaits=line.awaits,
        finished=line.finished,
        sandbox=line.sandbox,
    )


# A client that has missed more events than this is told to read the list of games instead.
MOST_EVENTS = 2_000
# What the scripts reply in place of a count.
UNTOLD = -1
FENCED = -2
TOLD_ELSE = -3


class FeedCursor(Struct, frozen=True):
    """Says how far the feed has read a game: hash and state of the last commit."""

    head: str
    state: State


NOTHING_READ = FeedCursor("", EMPTY)


class FeedPage(Struct, frozen=True):
    """Holds commits of a game, the events for its players, the state after them, and the newest snapshot.

    `is_sealed` says that the game was archived before.
    """

    commits: Sequence[Commit]
    news: Sequence[PlayerEvent]
    state: State
    snapshot: Snapshot
    since: int
    is_sealed: bool

    @property
    def seats(self) -> dict[str, int]:
        """Return the seat of each player."""
        return {seat.player: number for number, seat in enumerate(self.snapshot.state.seats) if seat.player}


# Comes after `journal.lua`. The keys are those of `PlayerKeys.derived`; a row begins as `note.lua` says.
_FORGET = """
local row = redis.call('HGET', KEYS[1], ARGV[1])
if row then
  local changed, _, status, edition, won = string.match(row, '^(%d+)|(%d+)|(%w+)|([^|]*)|(%d)|')
  redis.call('ZREM', KEYS[2], changed .. '|' .. ARGV[1])
  redis.call('ZREM', KEYS[3], changed .. '|' .. ARGV[1])
  redis.call('HDEL', KEYS[1], ARGV[1])
  if won ~= '2' then redis.call('HINCRBY', KEYS[6], status, -1) end
  if edition ~= '' and won ~= '2' then
    redis.call('HINCRBY', KEYS[6], 'finished:' .. edition, -1)
    if won == '1' then redis.call('HINCRBY', KEYS[6], 'won:' .. edition, -1) end
  end
end
take_back(KEYS[4], KEYS[5], ARGV[1], function() return false end)
return redis.call('HDEL', KEYS[5], ARGV[1])
"""


class PlayerFeed:
    """Writes the events and lists of players. Recording twice, or by two at once, does no harm."""

    def __init__(self, client: Redis, store: Store, most_events: int = MOST_EVENTS) -> None:
        """Write to that client's Redis; a player's feed holds up to `most_events` events."""
        self._redis: Any = client
        self._store = store
        self._most = most_events
        self._seal = client.register_script(read_script("seal.lua"))
        self._note = client.register_script(read_script("journal.lua") + read_script("note.lua"))
        self._forget = client.register_script(read_script("journal.lua") + _FORGET.encode())
        self._told: RecentlyUsed[FeedCursor] = RecentlyUsed(MOST_GAMES)
        self._archived = ArchivedGames(client)

    @property
    def _keys(self) -> PlayerKeys:
        return find_keys(self._redis)

    def read_fences(self, game: str) -> Fences:
        """Return the present views of a game's log, to be asked for before the game is read.

        Raises Unavailable.
        """
        return read_fences(self._redis, self._keys.slots, PROJECTOR, game)

    def record(
        self, game: str, commits: Sequence[Commit], snapshot: Snapshot, fences: Fences | None = None
    ) -> None:
        """Write what these commits mean for the players of the game.

        Where more was written already, nothing is. Raises Fenced, Unavailable, and WentBack if what was
        written is not in the log.
        """
        if _is_ours(snapshot, commits):
            self._record_all(game, commits, snapshot, commits[0].version - 1, fences)

    def describe(self, game: str, snapshot: Snapshot, fences: Fences | None = None) -> None:
        """Write what is missing of a game, all of it if necessary. Raises as `record` does."""
        if _is_ours(snapshot, ()):
            self._told.drop(game)
            self._record_all(game, self._store.read(game), snapshot, snapshot.version, fences)

    def _record_all(
        self, game: str, commits: Sequence[Commit], snapshot: Snapshot, since: int, fences: Fences | None
    ) -> None:
        """Write the events of commits. In a new epoch of the log all after version `since` are new."""
        fences = fences or any_fences(self._redis, self._keys.slots, PROJECTOR, game)
        known = self._told.find(game)
        if known is None or known.head != commits[0].prev:
            known = NOTHING_READ
            commits = commits if commits[0].version == 1 else self._store.read(game)
        # A game that comes back from the archive was told to its end, and is counted there.
        is_sealed = snapshot.state.status == "over" and self._archived.is_sealed(game)
        page = _read_page(known.state, commits, snapshot, since, is_sealed)
        for player in dict.fromkeys([*page.seats, *(one.player for one in page.news)]):
            fences.write(self._keys.slot_of(player), partial(self._prepare, player, page))
        # Where a write fails that is sent later, the mark of the player says so: all is read again then.
        self._told.keep(game, FeedCursor(page.commits[-1].hash, page.state))

    def _prepare(self, player: str, page: FeedPage, fence: Fence) -> ScriptCall:
        """Return the script that writes the events of one player, and the player's row.

        Where the player was not told of something before them, all of the game is read and written.
        """
        seat = page.seats.get(player)
        snapshot = page.snapshot
        first = page.commits[0]
        row = None if seat is None else describe_game(snapshot, seat)
        newest = max(snapshot.version, page.commits[-1].version)
        hashes = first.prev[:HASH] + "".join(commit.hash[:HASH] for commit in page.commits)
        arguments: list[str | int] = [
            player,
            snapshot.game,
            newest,
            encode_row(row, page.is_sealed) if row else "",
            int(row is not None and row.awaiting),
            BELL,
            self._most,
            first.version,
            hashes,
            page.since,
            newest if page.is_sealed else 0,
            *fence.arguments,
            snapshot.state.edition,
        ]
        for one in page.news:
            if one.player == player:
                awaits = ",".join(map(str, one.awaits))
                arguments += (one.version, one.what, one.seat, awaits, one.hash, "", "")
        names = self._keys
        departures = names.departures(names.slot_of(player))
        keys = (names.record(player), *names.derived(player), departures, fence.key)
        return ScriptCall(self._note, keys, arguments, partial(self._settle, player, page, fence))

    def _settle(self, player: str, page: FeedPage, fence: Fence, reply: int) -> int:
        """Return how many events were new. Raises Fenced and WentBack."""
        game = page.snapshot.game
        if reply == FENCED:
            raise Fenced
        if reply == TOLD_ELSE and not self._is_in_log(player, game):
            raise WentBack(game)
        if reply == UNTOLD and page.commits[0].version > 1:
            commits = self._store.read(game)
            whole = _read_page(EMPTY, commits, page.snapshot, page.since, page.is_sealed)
            return self._prepare(player, whole, fence).run()
        return reply

    def _is_in_log(self, player: str, game: str) -> bool:
        """Return whether the log has the commit up to which a player was told of a game."""
        *_, marks, _ = self._keys.derived(player)
        with translate_redis_errors():
            mark = self._redis.hget(marks, game)
        if mark is None:
            return True
        version, told, *_ = mark.decode().split(":")
        return any(commit.hash.startswith(told) for commit in self._store.read(game, int(version) - 1, 1))

    def find_told(self, game: str) -> list[str]:
        """Return the players of a game whom this process has told of it lately."""
        known = self._told.find(game)
        return [] if known is None else list(_people(known.state).values())

    def seal(self, line: LobbyGame) -> None:
        """Take an archived game out of the lists of its players, or its text, if no list has it.

        Raises Unavailable.
        """
        for seat in line.seats:
            if seat.player:
                rows, games, awaiting, _, marks, counts = self._keys.derived(seat.player)
                keys = (self._keys.record(seat.player), rows, games, awaiting, counts, marks)
                row = "" if line.is_listed else _encode_start(describe_archived(line, seat.seat))
                with translate_redis_errors():
                    self._seal(keys, (line.id, row))

    def remove(self, game: str, players: Sequence[str]) -> None:
        """Remove a game from the lists and the events of these players. Raises Unavailable."""
        self._told.drop(game)
        for player in players:
            keys = self._keys.derived(player)
            with translate_redis_errors():
                self._forget(keys, (game,))

    def clear_lists(self) -> None:
        """Delete the lists of all players, which a rebuild writes again; the events stay.

        Raises Unavailable.
        """
        with translate_redis_errors():
            for key in self._redis.scan_iter(ALL_ROWS, count=1000):
                self._redis.delete(*self._keys.lists(key.decode().rpartition(":")[2]))


def _is_ours(snapshot: Snapshot, commits: Sequence[Commit]) -> bool:
    """Return whether a game concerns players of this service; an imported one does not."""
    concerned = concern_players(snapshot.state, commits) and EDITIONS.knows(snapshot.state)
    return concerned and not snapshot.imported_at


def _read_page(
    state: State, commits: Sequence[Commit], snapshot: Snapshot, since: int, is_sealed: bool
) -> FeedPage:
    """Return a page of commits with their events; `state` is the state before them."""
    news, state = follow_events(state, commits, snapshot)
    return FeedPage(commits, news, state, snapshot, since=since, is_sealed=is_sealed)


BEGINNING = "0"
_MINE = "mine"
EVENT_ID = re.compile(r"0|[0-9]{1,15}-[0-9]{1,9}")


class MyEvent(Struct, frozen=True):
    """Something happened in a game of the player, at this version of it.

    After `left`, which may be the clock's doing (`takeover`), a bot answers and nothing is `asked` of the
    player, until they answer an ask or `POST /v1/games/{game}/return`: what is open is then `asked`.
    """

    id: str
    game: str
    version: int
    type: What
    what: Annotated[
        What, Meta(description="The former name of `type`.", extra_json_schema={"deprecated": True})
    ]
    seat: int


class MyEvents(Struct, frozen=True):
    """`next` is where they go on; with `reset` the reader has missed some, and begins anew at `start`."""

    events: Sequence[MyEvent]
    next: str
    reset: bool = False
    start: str = BEGINNING


class MyGames(Struct, frozen=True):
    games: Sequence[MyGame]
    cursor: str | None


class PlayerReading:
    """Reads the feeds of players."""

    def __init__(self, client: Redis, store: Store | None = None) -> None:
        """Read from that client's Redis; rows of archived games are read from the store."""
        self._redis: Any = client
        self._store = store
        self._archived = ArchivedGames(client)

    @property
    def _keys(self) -> PlayerKeys:
        return find_keys(self._redis)

    def events(self, player: str, after: str, limit: int) -> MyEvents:
        """Return up to `limit` events of a player after the one with the id `after`. Raises Unavailable.

        Reads that one, too: while it is there, no later one has been dropped. If it is gone, returns the
        oldest events that are left, with `reset`.
        """
        key = self._keys.derived(player)[3]
        start = "-" if after == BEGINNING else after
        with translate_redis_errors():
            found = self._redis.xrange(key, start, "+", limit + 1)
        events = [_event(position, fields) for position, fields in found]
        if after == BEGINNING:
            return _page(events[:limit], after)
        if events and events[0].id == after:
            return _page(events[1:], after)
        beginning = self.events(player, BEGINNING, limit)
        return MyEvents(beginning.events, beginning.next, reset=True)

    def games(self, player: str, awaiting: bool, cursor: str | None, limit: int) -> MyGames:
        """Return a page of a player's games, newest change first; with `awaiting` those that wait for them.

        Archived games are read from the archive. Raises BadCursor and Unavailable.
        """
        rows, games, awaited, *_ = self._keys.derived(player)
        place = None if cursor is None else decode_cursor(cursor, _MINE)
        start = "+" if place is None else b"(" + place
        with translate_redis_errors():
            own = self._redis.zrevrangebylex(awaited if awaiting else games, start, "-", 0, limit + 1)
        members = own
        if not awaiting:
            archived = self._archived.read_down("changed", name_players_list(player), place, limit + 1)
            members = sorted({*own, *archived}, reverse=True)[: limit + 1]
        lines = self._read_rows(player, rows, members[:limit], set(own))
        return MyGames(lines, encode_cursor(members[limit - 1], _MINE) if len(members) > limit else None)

    def list_up(self, player: str, place: bytes, number: int) -> Sequence[bytes]:
        """Return up to `number` entries of a player's games after a place, longest unchanged first.

        A game that changes meanwhile comes again. Raises Unavailable.
        """
        with translate_redis_errors():
            own = self._redis.zrangebylex(self._keys.derived(player)[1], b"(" + place, "+", 0, number)
        archived = self._archived.read_up("changed", name_players_list(player), place, number)
        return sorted({*own, *archived})[:number]

    def _read_rows(self, player: str, key: str, members: Sequence[bytes], own: set[bytes]) -> list[MyGame]:
        """Return the row of each member; `own` are those that are not in the list of archived games alone."""
        names = [member.partition(b"|")[2] for member in members]
        with translate_redis_errors():
            found = self._redis.hmget(key, names) if names else []
        stored = [None if row is None else decode_row(row) for row in found]
        missing = [name.decode() for name, row in zip(names, stored, strict=True) if row is None]
        derived = self._store.read_derived(missing) if self._store and missing else {}
        read: list[MyGame | None] = []
        for member, name, row in zip(members, names, stored, strict=True):
            if row is not None:
                # A game that came back from the archive has a place of its own, and its former one.
                read.append(row if member in own else None)
            else:
                read.append(_find_archived(derived.get(name.decode()), player))
        return [row for row in read if row is not None]

    def counts(self, player: str) -> Mapping[str, int]:
        """Return a player's counts: games by status, and by edition the finished ones and the won ones.

        Raises Unavailable.
        """
        with translate_redis_errors():
            found = self._redis.hgetall(self._keys.derived(player)[5])
        counts = Counter({name.decode(): int(count) for name, count in found.items()})
        counts.update(self._archived.read_counts_of(player))
        return counts


def _find_archived(derived: Mapping[str, Raw] | None, player: str) -> MyGame | None:
    """Return the row of an archived game; None of another one, and where the player has no seat."""
    line = decode_sealed(derived).line if derived else None
    seats = [seat.seat for seat in line.seats if seat.player == player] if line else []
    return describe_archived(line, seats[0]) if line and seats else None


def _page(events: Sequence[MyEvent], after: str) -> MyEvents:
    """Return a page of events; an empty one goes on where it began."""
    return MyEvents(events, events[-1].id if events else after)


def _event(position: bytes, fields: Mapping[bytes, bytes]) -> MyEvent:
    """Return the event that is stored like this."""
    what: Any = fields[b"w"].decode()
    return MyEvent(
        id=position.decode(),
        game=fields[b"g"].decode(),
        version=int(fields[b"v"]),
        type=what,
        what=what,
        seat=int(fields[b"s"]),
    )
