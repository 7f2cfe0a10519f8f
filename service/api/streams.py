"""Commits on their way out: pages, lines and streams, each as its viewer may see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

import msgspec
from msgspec import Struct

from events.chain import redact_commit
from events.commit import ENDINGS, Commit
from events.store import Unavailable
from service.api.doorbell import Doorbell, Listener
from service.play.games import Games
from service.play.recently_used import RecentlyUsed

BATCH = 200
HEARTBEAT = 15.0
# A tail this short is what all viewers of a live game ask for at once.
SHORT, MOST_TAILS = 4, 1_000
RETRY = b"retry: 2000\n\n"
STILL_HERE = b": still here\n\n"
_encoder = msgspec.json.Encoder()


class Reader(Struct, frozen=True):
    """Who reads which game from where; `over` opens every secret (S1)."""

    game: str
    seat: int | None
    after: int
    over: bool
    limit: int | None = None


class Tail(Struct, frozen=True):
    """Encoded commits, version and hash of the last, and whether the game ended with them."""

    lines: Sequence[bytes]
    version: int
    head: str
    ended: bool


class Opening(Struct, frozen=True):
    """Who reads, the first tail, and the version that the game has reached."""

    reader: Reader
    tail: Tail
    version: int


class Streams:
    def __init__(self, games: Games, doorbell: Doorbell) -> None:
        self._games, self.doorbell = games, doorbell
        self._tails: RecentlyUsed[Tail] = RecentlyUsed(MOST_TAILS)

    def open_log(self, game: str, seat: int | None, after: int, limit: int | None) -> Opening:
        """Where a reader begins, out of one reading of the log. Raises UnknownGame."""
        reading = self._games.read_after(game, after, BATCH if limit is None else limit)
        reader = Reader(game, seat, after, reading.snapshot.state.status == "over", limit)
        return Opening(reader, _encode_tail(reader, reading.commits), reading.snapshot.version)

    def read_tail(self, reader: Reader) -> Tail:
        """One batch; one reading serves all who ask until the game goes on."""
        name = f"{reader.game}|{reader.after}|{reader.seat}|{reader.over}|{reader.limit}"
        known = self._tails.find(name)
        if known is not None and self._is_newest(reader.game, known):
            return known
        limit = BATCH if reader.limit is None else reader.limit
        tail = _encode_tail(reader, self._games.commits(reader.game, reader.after, limit))
        if 0 < len(tail.lines) <= SHORT:
            self._tails.keep(name, tail)
        return tail

    def _is_newest(self, game: str, tail: Tail) -> bool:
        """Whether nothing that we know of came after it, or in its place."""
        known = self._games.cached_snapshot(game)
        return known is None or tail.version > known.version or tail.head == known.head

    def await_tail(self, reader: Reader, tail: Tail, seconds: float) -> Tail:
        """The first tail, or where it is empty the first news within that time."""
        if tail.lines or not seconds or reader.over:
            return tail
        end = monotonic() + seconds
        with self.doorbell.listen(reader.game) as listener:
            while not (tail := self.read_tail(reader)).lines and self.doorbell.is_open and monotonic() < end:
                listener.wait(end - monotonic())
        return tail

    def lines(self, reader: Reader, tail: Tail) -> Iterator[bytes]:
        """NDJSON, from a first tail on until there is nothing more."""
        while tail.lines:
            yield b"\n".join(tail.lines) + b"\n"
            reader = _advance(reader, tail)
            if reader.limit == 0:
                return
            tail = self.read_tail(reader)

    def frames(self, reader: Reader, tail: Tail, listener: Listener) -> Iterator[bytes]:
        """Server-sent events until the game, the server or the limit ends them; the id is the version.

        The listener is older than the first tail, so that what comes after it rings.
        """
        yield RETRY
        try:
            while self.doorbell.is_open:
                yield from _commit_frames(reader, tail)
                reader = _advance(reader, tail)
                full = len(tail.lines) == BATCH
                if reader.limit == 0:
                    yield _frame("over" if tail.ended else "limit", reader.after)
                    return
                if reader.over and not full:
                    yield _frame("over", reader.after)
                    return
                more = full or (tail.lines and listener.heard > reader.after)
                if not more and not listener.wait(HEARTBEAT):
                    yield STILL_HERE
                tail = self.read_tail(reader)
        except Unavailable:
            # Whoever listens comes back with the last id and finds us, or the problem, then.
            pass
        yield _frame("bye", reader.after)


def _encode_tail(reader: Reader, commits: Sequence[Commit]) -> Tail:
    ended = any(isinstance(event, ENDINGS) for commit in commits for event in commit.events)
    lines = [_encoder.encode(redact_commit(commit, reader.seat, reader.over or ended)) for commit in commits]
    last = commits[-1] if commits else None
    return Tail(lines, last.version if last else reader.after, last.hash if last else "", ended)


def _advance(reader: Reader, tail: Tail) -> Reader:
    limit = None if reader.limit is None else reader.limit - len(tail.lines)
    over = reader.over or tail.ended
    return msgspec.structs.replace(reader, after=tail.version, over=over, limit=limit)


def _commit_frames(reader: Reader, tail: Tail) -> Iterator[bytes]:
    for version, line in enumerate(tail.lines, start=reader.after + 1):
        yield b"id: %d\ndata: %b\n\n" % (version, line)


def _frame(event: str, version: int) -> bytes:
    return f'event: {event}\ndata: {{"version":{version}}}\n\n'.encode()
