"""Reads feeds: what happened in the games of a player or an API key, or in all public games.

`Feeds.read` is the one reader of all of them. A feed is one journal, or several that are read as one. A
cursor holds a position in each, so that a reader goes on without loss or repeat.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Container, Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import Annotated, Any

from msgspec import Meta, Struct
from redis import Redis

from events.redis import translate_redis_errors
from events.text import Text
from service.feeds.journals import PUBLIC, Journal, count_public_journals, journal_of, public_journal
from service.games.deadlines import awaited_seats
from service.games.games import Games
from service.games.snapshots import UnknownGame, UnknownVersion
from service.players.feed import BEGINNING, What
from service.players.names import Names

# A position in one journal, or in many. What follows the point counts how often something was taken back.
_POSITION = re.compile(r"([0-9]{1,15})-([0-9]{1,9})(?:\.([0-9]{1,9}))?")
CURSOR = re.compile(rf"0|{_POSITION.pattern}|v[A-Za-z0-9_-]{{1,3800}}")
Id = tuple[int, int]
NO_ID: Id = (0, 0)
# Journals are numbered from 0 on.
ALL = range(10**6)


class Position(Struct, frozen=True):
    """A place in a journal: the last entry that was read, and how often something had been taken back."""

    id: Id = NO_ID
    taken_back: int = 0


START = Position()


class FeedEvent(Struct, frozen=True):
    """Something happened in a game, at this version of it.

    `seat` is whom it is about: in a player's own feed the player, elsewhere null where it concerns all.
    """

    id: str
    game: str
    edition: str
    version: int
    type: What
    seat: int | None
    awaits: tuple[int, ...]
    sentence: Annotated[str, Meta(description="What happened, in the language of the caller.")]


class FeedPage(Struct, frozen=True):
    """`next` is where they go on; with `reset` the reader has missed some, and begins anew at `start`."""

    events: Sequence[FeedEvent]
    next: str
    reset: bool = False
    start: str = BEGINNING


class Entry(Struct, frozen=True):
    """An entry of a journal, and the number of that journal in its feed."""

    id: Id
    journal: int
    fields: Mapping[bytes, bytes]

    @property
    def order(self) -> tuple[int, int, int]:
        """By what the entries of several journals are merged: time, journal, number within the time."""
        return self.id[0], self.journal, self.id[1]

    def read(self, field: bytes) -> str:
        """Return a field as text; empty if it is not there."""
        return self.fields.get(field, b"").decode()


class Reading(Struct, frozen=True):
    """What was found in one journal after a position; the position is another if it was lost."""

    position: Position
    entries: Sequence[Entry]
    is_lost: bool


class Feeds:
    """Reads the feeds of all kinds of readers. Each method raises Unavailable."""

    def __init__(self, client: Redis, games: Games, names: Names) -> None:
        """Read from that client's Redis; `games` say what old entries do not, `names` who sits where."""
        self._redis: Any = client
        self._games = games
        self._names = names

    def read(self, reader: str, after: str, limit: int, among: Container[int] = ALL) -> FeedPage:
        """Return up to `limit` events of a reader's feed after a cursor.

        `reader` is the id of a player or an API key, or PUBLIC; its doorbell has the same name. If entries
        after the cursor are no longer kept, or something was taken back that the reader has read, returns
        the oldest events that are left there, with `reset`. Only the journals in `among` are looked at.
        """
        journals = self._list_journals(reader)
        known = decode_cursor(after, len(journals))
        positions = known or [START] * len(journals)
        wanted = [number for number in range(len(journals)) if number in among or len(journals) == 1]
        readings = self._read_all(journals, positions, wanted, after == BEGINNING or known is None, limit)
        for number, reading in readings.items():
            positions[number] = reading.position
        is_lost = known is None or any(reading.is_lost for reading in readings.values())
        start = encode_cursor(positions)
        found = merge(*(reading.entries for reading in readings.values()), key=lambda entry: entry.order)
        events = list(self._describe(reader, list(islice(found, limit)), positions))
        following = start if is_lost else after
        return FeedPage(events, events[-1].id if events else following, is_lost, start)

    def find_end(self, reader: str) -> str:
        """Return the cursor after the newest event of a reader, from which only news is read."""
        journals = self._list_journals(reader)
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for journal in journals:
                asking.xrevrange(journal.events, "+", "-", 1)
                asking.hget(journal.marks, "#back")
            replies = asking.execute()
        positions = [
            Position(parse_id(newest[0][0].decode()) if newest else NO_ID, _count_taken_back(back))
            for newest, back in zip(replies[::2], replies[1::2], strict=True)
        ]
        return encode_cursor(positions)

    def _list_journals(self, reader: str) -> Sequence[Journal]:
        if reader != PUBLIC:
            return (journal_of(self._redis, reader),)
        return [public_journal(self._redis, number) for number in range(count_public_journals(self._redis))]

    def _read_all(
        self,
        journals: Sequence[Journal],
        positions: Sequence[Position],
        wanted: Sequence[int],
        begins: bool,
        limit: int,
    ) -> dict[int, Reading]:
        """Read the journals with these numbers after their positions, all at once.

        Reads the entry at a position, too: while it is there, no later one has been dropped. A journal in
        which it is gone is read once more, from its beginning. A reader who `begins` has lost nothing.
        """
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for number in wanted:
                at = positions[number].id
                asking.xrange(journals[number].events, "-" if at == NO_ID else write_id(at), "+", limit + 1)
                asking.hget(journals[number].marks, "#back")
            replies = asking.execute()
        readings = {}
        for number, found, back in zip(wanted, replies[::2], replies[1::2], strict=True):
            entries = _list_entries(found, number)
            position = positions[number]
            is_lost = not begins and not _goes_on(position, entries, back)
            if is_lost:
                position = START
                with translate_redis_errors():
                    entries = _list_entries(
                        self._redis.xrange(journals[number].events, "-", "+", limit), number
                    )
            elif position.id != NO_ID:
                entries = entries[1:]
            now = Position(position.id, _count_taken_back(back))
            readings[number] = Reading(now, entries, is_lost)
        return readings

    def _describe(
        self, reader: str, entries: Sequence[Entry], positions: list[Position]
    ) -> Iterator[FeedEvent]:
        """Yield the events of entries; the id of each is the cursor after it."""
        names = self._names.look_up({player for entry in entries if (player := entry.read(b"p"))})
        is_own = reader.startswith("p_")
        for entry in entries:
            positions[entry.journal] = Position(entry.id, positions[entry.journal].taken_back)
            what: Any = entry.read(b"w")
            seat = entry.read(b"s")
            edition, awaits = self._read_table(entry)
            who = names.get(entry.read(b"p")) or entry.read(b"m")
            yield FeedEvent(
                id=encode_cursor(positions),
                game=entry.read(b"g"),
                edition=edition,
                version=int(entry.read(b"v")),
                type=what,
                seat=int(seat) if seat else None,
                awaits=awaits,
                sentence=write_sentence(what, who, is_own),
            )

    def _read_table(self, entry: Entry) -> tuple[str, tuple[int, ...]]:
        """Return the edition and who was awaited; entries of release 0.2 leave that to the log."""
        if b"e" in entry.fields:
            awaits = entry.read(b"a")
            return entry.read(b"e"), tuple(map(int, awaits.split(","))) if awaits else ()
        try:
            state = self._games.snapshot(entry.read(b"g"), int(entry.read(b"v"))).state
        except (UnknownGame, UnknownVersion):
            return "", ()
        return state.edition, awaited_seats(state)


def _list_entries(found: Sequence[tuple[bytes, Mapping[bytes, bytes]]], journal: int) -> list[Entry]:
    return [Entry(parse_id(position.decode()), journal, fields) for position, fields in found]


def _goes_on(position: Position, entries: Sequence[Entry], back: bytes | None) -> bool:
    """Return whether a journal goes on from a position: nothing was dropped or taken back since.

    `entries` begin with the one at the position, or with the first that is kept.
    """
    if position.id == NO_ID:
        return not entries or entries[0].read(b"i") in ("", "1")
    if not entries or entries[0].id != position.id:
        return False
    if not back or position.taken_back >= _count_taken_back(back):
        return True
    return position.id < parse_id(back.decode().partition(" ")[2])


def _count_taken_back(back: bytes | None) -> int:
    """Return how often something was taken back, of what `journal.lua` has noted."""
    return int(back.partition(b" ")[0]) if back else 0


def parse_id(text: str) -> Id:
    """Return the id of an entry."""
    at, _, number = text.partition("-")
    return int(at), int(number)


def write_id(entry: Id) -> str:
    return f"{entry[0]}-{entry[1]}"


def encode_cursor(positions: Sequence[Position]) -> str:
    """Return the cursor of a feed: for one journal the id of the last entry, for several a list of them."""
    if len(positions) > 1:
        return "v" + urlsafe_b64encode(_pack(positions)).rstrip(b"=").decode()
    (only,) = positions
    if only.id == NO_ID and not only.taken_back:
        return BEGINNING
    return write_id(only.id) + (f".{only.taken_back}" if only.taken_back else "")


def decode_cursor(cursor: str, journals: int) -> list[Position] | None:
    """Return the positions that a cursor stands for; None of a cursor that is not one of such a feed."""
    if cursor == BEGINNING:
        return [START] * journals
    one = _POSITION.fullmatch(cursor)
    if one is not None:
        position = Position((int(one[1]), int(one[2])), int(one[3] or 0))
        return [position] if journals == 1 else None
    positions = _unpack(cursor[1:])
    return positions if positions is not None and len(positions) == journals > 1 else None


def _pack(positions: Sequence[Position]) -> bytes:
    """Return positions in few bytes: times as what they lack to the newest."""
    newest = max(position.id[0] for position in positions)
    packed = bytearray(_pack_number(newest))
    for position in positions:
        at, number = position.id
        packed += _pack_number(newest - at) + _pack_number(number) + _pack_number(position.taken_back)
    return bytes(packed)


def _unpack(text: str) -> list[Position] | None:
    """Return the positions that were packed; None of anything else."""
    try:
        numbers = list(_unpack_numbers(urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    except ValueError:
        return None
    if len(numbers) % 3 != 1 or max(numbers) >= 10**15:
        return None
    newest, *rest = numbers
    triples = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    if any(less > newest for less in rest[::3]):
        return None
    return [Position((newest - less, number), taken_back) for less, number, taken_back in triples]


def _pack_number(number: int) -> bytes:
    """Return a number in groups of seven bits, the last one first; the highest bit says that more follow."""
    packed = bytearray()
    while number >= 0x80:
        packed.append(number & 0x7F | 0x80)
        number >>= 7
    packed.append(number)
    return bytes(packed)


def _unpack_numbers(packed: bytes) -> Iterator[int]:
    """Yield the numbers that were packed. Raises ValueError if the last one is cut."""
    number = shift = 0
    for byte in packed:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0
    if shift:
        raise ValueError("the last number is cut")


def write_sentence(what: What, who: str, is_own: bool) -> Text:
    """Return what happened as a sentence; `who` is the name of the seat that it is about.

    In a player's own feed the seat is the player's.
    """
    match what:
        case "started":
            return Text("The game has begun.")
        case "round_ended":
            return Text("A round has ended.")
        case "over":
            return Text("The game is over.")
        case "voided":
            return Text("The game was declared void.")
        case "joined":
            return Text("You have sat down.") if is_own else Text("{name} has sat down.", name=who)
        case "asked":
            return Text("It is your turn.") if is_own else Text("It is the turn of {name}.", name=who)
        case "left":
            return (
                Text("You have left the table.") if is_own else Text("{name} has left the table.", name=who)
            )
