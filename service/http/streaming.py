"""Sends logs and feeds to clients as pages, NDJSON lines and server-sent events.

`Streams.frames` sends the log of a game as server-sent events, `FeedStreams.frames` a feed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Sequence
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from events.chain import GENESIS, redact_commit
from events.commit import ENDINGS, Commit
from events.recently_used import RecentlyUsed
from events.store import Unavailable
from events.types import find_given_up
from service.feeds.reading import ALL, FeedEvent
from service.games.cache import BrokenLog, LogPage, before, cut_page
from service.games.games import Games
from service.games.snapshots import UnknownGame
from service.http.doorbell import Doorbell, Listener
from service.http.headers import JSON, format_position
from service.http.responses import VARY
from service.http.sentences import CommitTeller
from service.languages.catalogue import LANGUAGES
from service.players.feed import MyEvent, MyEvents, PlayerReading
from service.players.players import Player, Players

Json = dict[str, Any]
# How long a browser waits before it comes back: the first frame of every stream says it.
RETRY_AFTER = 2000


class StreamEnd(Struct, frozen=True):
    """The data of a stream's last frame, whose `event` says why it ends.

    `over`: nothing more will come. `limit`: these are as many as were asked for. `bye`: the server goes away;
    come back with the last id. `reset`: the log does not go on from where you are; begin after `version`.
    """

    version: int


class MyStreamEnd(Struct, frozen=True):
    """The data of the last frame of a feed, whose `event` says why it ends.

    `limit`: these are as many as were asked for. `bye`: the server goes away, or the token has ended; come
    back with the last id. `reset`: the events after yours are no longer kept; begin anew after `next`.
    """

    next: str


class Ending(Struct, frozen=True):
    """Says how a stream ends; `name` is the member of its items that a frame has as its id."""

    data: type[Struct]
    events: tuple[str, ...]
    name: str


# By the schema of what a stream consists of.
STREAM_ENDINGS = {
    "Commit": Ending(StreamEnd, ("over", "limit", "bye", "reset"), "version"),
    "MyEvent": Ending(MyStreamEnd, ("limit", "bye", "reset"), "id"),
    "FeedEvent": Ending(MyStreamEnd, ("limit", "bye", "reset"), "id"),
}


def frame_schema(item: Json) -> Json:
    """Return the JSON Schema of a frame in a stream of such items."""
    ending = STREAM_ENDINGS[item["$ref"].rpartition("/")[2]]
    news = _object({"id": {"type": "string"}, "data": _json_text(item)}, "id", "data")
    end = {
        "id": {"type": "string"},
        "event": {"type": "string", "enum": list(ending.events)},
        "data": _json_text({"$ref": f"#/components/schemas/{ending.data.__name__}"}),
    }
    retry = _object({"retry": {"type": "integer", "const": RETRY_AFTER}}, "retry")
    return {"oneOf": [retry, news, _object(end, "event", "data")]}


def _json_text(schema: Json) -> Json:
    return {"type": "string", "contentMediaType": JSON, "contentSchema": schema}


def _object(properties: Json, *required: str) -> Json:
    closed = {"required": list(required), "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed}


def frame_lines(lines: str) -> str:
    """Return what a stream would send for these lines, up to a limit; for examples in the contract."""
    texts = lines.splitlines()
    items = [json.loads(line) for line in texts]
    ending = STREAM_ENDINGS["Commit" if "commits" in items[0] or "hash" in items[0] else "MyEvent"]
    names = [item[ending.name] for item in items]
    frames = "".join(f"id: {name}\ndata: {line}\n\n" for name, line in zip(names, texts, strict=True))
    (member,) = ending.data.__struct_fields__
    end = json.dumps({member: names[-1]}, separators=(",", ":"))
    return f"retry: {RETRY_AFTER}\n\n{frames}event: limit\ndata: {end}\n\n"


_encoder = msgspec.json.Encoder()


class Reader(Struct, frozen=True):
    """Says who reads which game, and from where; `over` opens every secret (S1).

    `place` is the hash of the commit after which it goes on: "" until it is known. `marked` readers want it
    in the ids too. At version `seated` the seat was the reader's: later it may be given up. `language` is the
    tag of the language in which commits are told in sentences; empty for none.
    """

    game: str
    seat: int | None
    after: int
    over: bool
    limit: int | None = None
    place: str = ""
    marked: bool = False
    seated: int = 0
    language: str = ""


class Tail(Struct, frozen=True):
    """Holds encoded commits, version and hash of the last, and whether the game ended with them.

    `off` means that the log does not go on from where the reader is, `left` that with the last of these the
    reader gave up the seat. `ring` counts the rings that were heard before it was read.
    """

    lines: Sequence[bytes]
    ids: Sequence[str]
    version: int
    head: str
    ended: bool
    off: bool = False
    left: bool = False
    ring: int = 0


# It is not known which versions the reader has in common with the log: it has to begin with the first.
OFF = Tail((), (), 0, GENESIS, ended=False, off=True)


class Opening(Struct, frozen=True):
    """Holds the reader, the first tail, and how far the game has come."""

    reader: Reader
    tail: Tail
    version: int
    head: str


def encode_page(reader: Reader, page: LogPage, teller: CommitTeller | None = None) -> Tail:
    """Return commits as the reader may see them; OFF if the log does not go on from where the reader is."""
    if not page.place or reader.place not in ("", page.place):
        return OFF
    commits, left = _cut_at_departure(reader, page.commits)
    ended = any(isinstance(event, ENDINGS) for commit in commits for event in commit.events)
    opened = reader.over or ended
    lines = [_encoder.encode(redact_commit(commit, reader.seat, opened)) for commit in commits]
    if teller is not None and reader.language:
        told = teller.tell(reader.game, commits, reader.seat, opened)
        encoder = LANGUAGES[reader.language].encoder
        lines = [_add_sentences(line, encoder.encode(own)) for line, own in zip(lines, told, strict=True)]
    ids = [_write_id(reader, commit) for commit in commits]
    if not commits:
        return Tail((), (), reader.after, page.place, ended)
    return Tail(lines, ids, commits[-1].version, commits[-1].hash, ended, left=left)


def _add_sentences(line: bytes, sentences: bytes) -> bytes:
    """Return an encoded commit with its sentences as the last member."""
    return line[:-1] + b',"sentences":' + sentences + b"}"


def _cut_at_departure(reader: Reader, commits: Sequence[Commit]) -> tuple[Sequence[Commit], bool]:
    """Cut the commits after the one in which the reader gave up the seat."""
    for number, commit in enumerate(() if reader.seat is None else commits, 1):
        if commit.version > reader.seated and reader.seat in map(find_given_up, commit.events):
            return commits[:number], True
    return commits, False


def _write_id(reader: Reader, commit: Commit) -> str:
    """Return the id of a frame: the version, with the hash if the reader wants it."""
    return format_position(commit.version, commit.hash) if reader.marked else str(commit.version)


def advance(reader: Reader, tail: Tail) -> Reader:
    """Return the reader behind a tail."""
    limit = None if reader.limit is None else reader.limit - len(tail.lines)
    over = reader.over or tail.ended
    return msgspec.structs.replace(reader, after=tail.version, over=over, limit=limit, place=tail.head)


# The headers of a response that is a stream: no proxy may buffer it.
STREAM_HEADERS = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    **VARY,
}
BATCH = 200
HEARTBEAT = 15.0
# A tail this short is what all viewers of a live game ask for at once.
SHORT = 4
MOST_TAILS = 1_000
RETRY = f"retry: {RETRY_AFTER}\n\n".encode()
STILL_HERE = b": still here\n\n"
# With an id, so that a browser which comes back by itself begins anew.
RESET = b'id: 0\nevent: reset\ndata: {"version":0}\n\n'


class Streams:
    """Reads the logs of games for clients, and waits for news of them."""

    def __init__(self, games: Games, doorbell: Doorbell, teller: CommitTeller | None = None) -> None:
        """Read these games; `doorbell` tells of news, and `teller` puts commits into sentences."""
        self._games = games
        self._teller = teller
        self.doorbell = doorbell
        self._tails: RecentlyUsed[Tail] = RecentlyUsed(MOST_TAILS)

    def open_log(
        self,
        game: str,
        seat: int | None,
        after: int,
        limit: int | None,
        log_epoch: int | None = None,
        head: str | None = None,
        language: str = "",
    ) -> Opening:
        """Read the log once after a version and return who reads on from there, with the first commits.

        `head` is how the hash at `after` must begin, if the reader names it. With a `language` each commit
        has its sentences. Raises UnknownGame and LogReplaced.
        """
        try:
            reading = self._games.read_after(game, after, BATCH if limit is None else limit, log_epoch)
        except BrokenLog:
            return self._open_broken_log(Reader(game, seat, after, False, limit, language=language))
        over = reading.snapshot.state.status == "over"
        page = reading.page
        seated = 0 if seat is None else reading.snapshot.version
        reader = Reader(
            game=game,
            seat=seat,
            after=after,
            over=over,
            limit=limit,
            place=page.place,
            marked=head is not None,
            seated=seated,
            language=language,
        )
        tail = encode_page(reader, page, self._teller) if page.place.startswith(head or "") else OFF
        return Opening(reader, tail, reading.snapshot.version, reading.snapshot.head)

    def _open_broken_log(self, reader: Reader) -> Opening:
        """Open the log as it stands, with secrets covered, so that readers can see where it is broken."""
        return Opening(reader, self._read_log(reader), *self._games.head(reader.game))

    def read_tail(self, reader: Reader, ring: int | None = None) -> Tail:
        """Read the next batch for a reader. Does not wait.

        Readers that were woken by one ring share one reading, if it was made after that ring.
        """
        name = "|".join(map(str, msgspec.structs.astuple(reader)))
        known = self._tails.find(name)
        if known is not None and ring is not None and known.ring >= ring:
            return known
        heard = self.doorbell.rings
        tail = msgspec.structs.replace(self._read_log(reader), ring=heard)
        if 0 < len(tail.lines) <= SHORT:
            self._tails.keep(name, tail)
        return tail

    def _read_log(self, reader: Reader) -> Tail:
        """Read the next batch from the log; OFF if it does not go on from where the reader is.

        After a restore a game that was over may go on, and its secrets are secret again.
        """
        limit = BATCH if reader.limit is None else reader.limit
        try:
            if reader.over:
                reading = self._games.read_after(reader.game, reader.after, limit)
                if reading.snapshot.state.status != "over":
                    return OFF
                return encode_page(reader, reading.page, self._teller)
            commits = self._games.commits(reader.game, before(reader.after), limit + 1)
        except (UnknownGame, BrokenLog):
            return OFF
        return encode_page(reader, cut_page(commits, reader.after, limit), self._teller)

    def await_tail(self, reader: Reader, tail: Tail, seconds: float, caller: str = "") -> Tail:
        """Return the first tail, or if it is empty block until there is news or `seconds` have passed.

        Raises what `Doorbell.listen` raises.
        """
        if tail.lines or tail.off or not seconds or reader.over:
            return tail
        end = monotonic() + seconds
        ring = None
        with self.doorbell.listen(reader.game, caller) as listener:
            while not ((tail := self.read_tail(reader, ring)).lines or tail.off):
                if not self.doorbell.is_open or listener.is_dismissed or monotonic() >= end:
                    break
                ring = listener.rings if listener.wait(end - monotonic()) else None
        return tail

    def lines(self, reader: Reader, tail: Tail) -> Iterator[bytes]:
        """Yield the log as NDJSON, from a first tail on until there is nothing more.

        Does not wait for news.
        """
        while tail.lines:
            yield b"\n".join(tail.lines) + b"\n"
            reader = advance(reader, tail)
            if reader.limit == 0 or tail.left:
                return
            tail = self.read_tail(reader)

    def frames(
        self, reader: Reader, tail: Tail, listener: Listener, is_welcome: Callable[[], bool] = lambda: True
    ) -> Iterator[bytes]:
        """Yield the log as server-sent events, and block for news between them; the id is the version.

        The stream ends when the game, the server or the limit ends it, when the reader gives up the seat, or
        when `is_welcome` says that the token has ended. It ends with a reset if the log does not go on from
        the last event. The listener must be older than the first tail, so that no news is missed.
        """
        yield RETRY
        try:
            while self.doorbell.is_open and not listener.is_dismissed and is_welcome():
                if tail.off:
                    yield RESET
                    return
                yield from _commit_frames(tail)
                reader = advance(reader, tail)
                if tail.left and not tail.ended:
                    break
                full = len(tail.lines) == BATCH
                if reader.limit == 0:
                    yield _frame("over" if tail.ended else "limit", reader.after)
                    return
                if reader.over and not full:
                    yield _frame("over", reader.after)
                    return
                more = full or (tail.lines and listener.heard > reader.after)
                # Only a reader that was woken by a ring may share what others have read since that ring.
                rung = listener.wait(0.0 if more else HEARTBEAT)
                if not (more or rung):
                    yield STILL_HERE
                tail = self.read_tail(reader, listener.rings if rung else None)
        except Unavailable:
            # The client reconnects with the last id, and then gets the stream or the problem.
            pass
        yield _frame("bye", reader.after)


def _commit_frames(tail: Tail) -> Iterator[bytes]:
    """Yield a frame for each commit."""
    for name, line in zip(tail.ids, tail.lines, strict=True):
        yield b"id: %b\ndata: %b\n\n" % (name.encode(), line)


def _frame(event: str, version: int) -> bytes:
    """Return the last frame of a stream; `event` says why it ends."""
    return f'event: {event}\ndata: {{"version":{version}}}\n\n'.encode()


class Page(Protocol):
    """A page of a feed; with `reset` the reader has missed some, and begins anew at `start`."""

    @property
    def events(self) -> Sequence[MyEvent | FeedEvent]: ...
    @property
    def next(self) -> str: ...
    @property
    def reset(self) -> bool: ...
    @property
    def start(self) -> str: ...


P = TypeVar("P", bound=Page)


class Subscription(Struct, Generic[P], frozen=True):
    """Says who follows a feed, and how it is read.

    `read` returns a page after a cursor, of at most so many events, from the journals with these numbers.
    `is_welcome` says whether the caller's token is still valid. `bell` is what rings when there is news.
    """

    bell: str
    read: Callable[[str, int, Container[int]], P]
    is_welcome: Callable[[], bool]
    encoder: msgspec.json.Encoder = _encoder


class SharedPage(Struct, frozen=True):
    """A page, the journals that it was read from, and how many rings had been heard before."""

    page: Any
    among: Container[int]
    ring: int


class FeedStreams:
    """Reads feeds for clients, and waits for news of them."""

    def __init__(self, doorbell: Doorbell) -> None:
        """`doorbell` tells of news."""
        self.doorbell = doorbell
        self._pages: RecentlyUsed[SharedPage] = RecentlyUsed(MOST_TAILS)

    def read(self, to: Subscription[P], after: str, limit: int | None, seconds: float, caller: str = "") -> P:
        """Return a batch of events, or if there is none block until there is one or `seconds` have passed.

        Raises Unavailable, and what `Doorbell.listen` raises.
        """
        most = min(limit or BATCH, BATCH if limit is None else limit)
        end = monotonic() + seconds
        page = to.read(after, most, ALL)
        if page.events or page.reset or not seconds:
            return page
        with self.doorbell.listen(to.bell, caller) as listener:
            page = to.read(after, most, ALL)
            while not (page.events or page.reset):
                if monotonic() >= end or not self._goes_on(to, listener):
                    break
                if listener.wait(end - monotonic()):
                    page = self._read_news(to, after, most, listener)
        return page

    def _read_news(self, to: Subscription[P], after: str, most: int, listener: Listener) -> P:
        """Read what a ring told of; readers of a feed whom one ring called, and who are as far, share it."""
        numbers = listener.take_numbers()
        among = ALL if 0 in numbers or not numbers else {number - 1 for number in numbers}
        name = f"{to.bell}|{after}|{most}"
        known = self._pages.find(name)
        if known is not None and known.ring >= listener.rings and known.among == among:
            page: P = known.page
            return page
        heard = self.doorbell.rings
        page = to.read(after, most, among)
        if len(page.events) <= SHORT:
            self._pages.keep(name, SharedPage(page, among, heard))
        return page

    def _goes_on(self, to: Subscription[P], listener: Listener) -> bool:
        """Return whether a stream may go on: server and listener are there, and the token is still valid."""
        return self.doorbell.is_open and not listener.is_dismissed and to.is_welcome()

    def lines(self, to: Subscription[P], page: P, limit: int | None) -> Iterator[bytes]:
        """Yield a feed as NDJSON, from a first page on until there is nothing more.

        Does not wait for news. Where the feed begins anew meanwhile it ends: the next request is told so.
        """
        left = limit
        while page.events and not page.reset:
            yield b"".join(to.encoder.encode(event) + b"\n" for event in page.events)
            left = None if left is None else left - len(page.events)
            if left == 0:
                return
            page = to.read(page.next, BATCH if left is None else left, ALL)

    def frames(
        self, to: Subscription[P], after: str, limit: int | None, listener: Listener
    ) -> Iterator[bytes]:
        """Yield a feed as server-sent events, and block for news between them; the id is a place to resume.

        The stream ends when the token, the server or the limit ends it, or when others need its room.
        """
        yield RETRY
        left = limit
        rung = False
        try:
            while self._goes_on(to, listener):
                most = BATCH if left is None else min(left, BATCH)
                page = self._read_news(to, after, most, listener) if rung else to.read(after, most, ALL)
                if page.reset:
                    yield _feed_reset(page.start)
                    return
                yield from _frames(page, to.encoder)
                after = page.next
                left = None if left is None else left - len(page.events)
                if left == 0:
                    yield _feed_frame("limit", after)
                    return
                rung = False
                if len(page.events) < most:
                    rung = listener.wait(HEARTBEAT)
                    if not rung:
                        yield STILL_HERE
        except Unavailable:
            # The client reconnects with the last id, and then gets the stream or the problem.
            pass
        yield _feed_frame("bye", after)


def _frames(page: Page, encoder: msgspec.json.Encoder) -> Iterator[bytes]:
    """Yield a frame for each event."""
    for event in page.events:
        yield b"id: %b\ndata: %b\n\n" % (event.id.encode(), encoder.encode(event))


def _feed_reset(start: str) -> bytes:
    """Return the last frame of a stream whose reader begins anew at `start`.

    It has an id, so that a browser which comes back by itself does that.
    """
    return f'id: {start}\nevent: reset\ndata: {{"next":"{start}"}}\n\n'.encode()


def _feed_frame(name: str, after: str) -> bytes:
    """Return the last frame of a stream; `event` says why it ends."""
    return f'event: {name}\ndata: {{"next":"{after}"}}\n\n'.encode()


class MyStreams:
    """Reads the feeds of players for `/v1/me/events`, and waits for news of them."""

    def __init__(self, reading: PlayerReading, players: Players, doorbell: Doorbell) -> None:
        """Read these feeds; `doorbell` tells of news."""
        self._reading = reading
        self._players = players
        self._streams = FeedStreams(doorbell)
        self.doorbell = doorbell

    def _subscribe(self, player: Player) -> Subscription[MyEvents]:
        """Return how a player's feed is read: it has one journal."""
        return Subscription(
            bell=player.id,
            read=lambda after, limit, _: self._reading.events(player.id, after, limit),
            is_welcome=lambda: self._players.is_current(player.id, player.credential),
        )

    def read(
        self, player: Player, after: str, limit: int | None, seconds: float, caller: str = ""
    ) -> MyEvents:
        """Return a batch of events as `FeedStreams.read` does."""
        return self._streams.read(self._subscribe(player), after, limit, seconds=seconds, caller=caller)

    def lines(self, player: Player, page: MyEvents, limit: int | None) -> Iterator[bytes]:
        """Yield the feed as NDJSON, as `FeedStreams.lines` does."""
        return self._streams.lines(self._subscribe(player), page, limit)

    def frames(self, player: Player, after: str, limit: int | None, listener: Listener) -> Iterator[bytes]:
        """Yield the feed as server-sent events, as `FeedStreams.frames` does."""
        return self._streams.frames(self._subscribe(player), after, limit, listener)
