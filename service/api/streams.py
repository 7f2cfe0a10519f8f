"""Commits on their way out: pages, lines and streams, each as its viewer may see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

import msgspec
from msgspec import Struct

from events.chain import redact_commit
from events.commit import ENDINGS
from events.store import Unavailable
from service.api.doorbell import Doorbell, Listener
from service.play.chain_guard import BrokenLog
from service.play.games import Games
from service.play.pages import Page, before, cut_page
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import UnknownGame

BATCH = 200
HEARTBEAT = 15.0
# A tail this short is what all viewers of a live game ask for at once.
SHORT, MOST_TAILS = 4, 1_000
RETRY = b"retry: 2000\n\n"
STILL_HERE = b": still here\n\n"
# With an id, so that a browser which comes back by itself begins anew.
RESET = b'id: 0\nevent: reset\ndata: {"version":0}\n\n'
_encoder = msgspec.json.Encoder()


class Reader(Struct, frozen=True):
    """Who reads which game from where; `over` opens every secret (S1).

    `place` is the hash of the commit after which it goes on: "" as long as nobody knows.
    """

    game: str
    seat: int | None
    after: int
    over: bool
    limit: int | None = None
    place: str = ""


class Tail(Struct, frozen=True):
    """Encoded commits, version and hash of the last, and whether the game ended with them.

    `off` means that the log does not go on from where the reader is. `ring` counts those heard before it
    was read.
    """

    lines: Sequence[bytes]
    version: int
    head: str
    ended: bool
    off: bool = False
    ring: int = 0


# Which versions the reader shares with the log nobody knows: it has to begin with the first.
OFF = Tail((), 0, "", ended=False, off=True)


class Opening(Struct, frozen=True):
    """Who reads, the first tail, and the version that the game has reached."""

    reader: Reader
    tail: Tail
    version: int


class Streams:
    def __init__(self, games: Games, doorbell: Doorbell) -> None:
        self._games, self.doorbell = games, doorbell
        self._tails: RecentlyUsed[Tail] = RecentlyUsed(MOST_TAILS)

    def open_log(
        self, game: str, seat: int | None, after: int, limit: int | None, branch: int | None = None
    ) -> Opening:
        """Where a reader begins, out of one reading of the log. Raises UnknownGame, and BranchLost."""
        try:
            reading = self._games.read_after(game, after, BATCH if limit is None else limit, branch)
        except BrokenLog:
            return self._open_broken_log(Reader(game, seat, after, False, limit))
        over, page = reading.snapshot.state.status == "over", reading.page
        reader = Reader(game, seat, after, over, limit, page.place)
        return Opening(reader, _encode_page(reader, page), reading.snapshot.version)

    def _open_broken_log(self, reader: Reader) -> Opening:
        """As it stands, secrets covered: whoever checks it shall see where it does not fit."""
        return Opening(reader, self._read_log(reader), self._games.newest_version(reader.game))

    def read_tail(self, reader: Reader, ring: int | None = None) -> Tail:
        """One batch; where a ring called for it, one reading after that ring serves all whom it called."""
        name = f"{reader.game}|{reader.place}|{reader.after}|{reader.seat}|{reader.over}|{reader.limit}"
        known = self._tails.find(name)
        if known is not None and ring is not None and known.ring >= ring:
            return known
        heard = self.doorbell.rings
        tail = msgspec.structs.replace(self._read_log(reader), ring=heard)
        if 0 < len(tail.lines) <= SHORT:
            self._tails.keep(name, tail)
        return tail

    def _read_log(self, reader: Reader) -> Tail:
        """A game that was over may be no more, and its secrets are secret again."""
        limit = BATCH if reader.limit is None else reader.limit
        try:
            if reader.over:
                reading = self._games.read_after(reader.game, reader.after, limit)
                return OFF if reading.snapshot.state.status != "over" else _encode_page(reader, reading.page)
            commits = self._games.commits(reader.game, before(reader.after), limit + 1)
        except (UnknownGame, BrokenLog):
            return OFF
        return _encode_page(reader, cut_page(commits, reader.after, limit))

    def await_tail(self, reader: Reader, tail: Tail, seconds: float) -> Tail:
        """The first tail, or where it is empty the first news within that time."""
        if tail.lines or tail.off or not seconds or reader.over:
            return tail
        end, ring = monotonic() + seconds, None
        with self.doorbell.listen(reader.game) as listener:
            while not ((tail := self.read_tail(reader, ring)).lines or tail.off):
                if not self.doorbell.is_open or monotonic() >= end:
                    break
                ring = listener.rings if listener.wait(end - monotonic()) else None
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

        Where the log does not go on from the last of them any more, they end with a reset.
        The listener is older than the first tail, so that what comes after it rings.
        """
        yield RETRY
        try:
            while self.doorbell.is_open:
                if tail.off:
                    yield RESET
                    return
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
                rung = more or listener.wait(HEARTBEAT)
                if not rung:
                    yield STILL_HERE
                tail = self.read_tail(reader, listener.rings if rung else None)
        except Unavailable:
            # Whoever listens comes back with the last id and finds us, or the problem, then.
            pass
        yield _frame("bye", reader.after)


def _encode_page(reader: Reader, page: Page) -> Tail:
    if not page.place or reader.place not in ("", page.place):
        return OFF
    commits = page.commits
    ended = any(isinstance(event, ENDINGS) for commit in commits for event in commit.events)
    lines = [_encoder.encode(redact_commit(commit, reader.seat, reader.over or ended)) for commit in commits]
    last = commits[-1] if commits else None
    return Tail(lines, last.version if last else reader.after, last.hash if last else page.place, ended)


def _advance(reader: Reader, tail: Tail) -> Reader:
    limit = None if reader.limit is None else reader.limit - len(tail.lines)
    over = reader.over or tail.ended
    return msgspec.structs.replace(reader, after=tail.version, over=over, limit=limit, place=tail.head)


def _commit_frames(reader: Reader, tail: Tail) -> Iterator[bytes]:
    for version, line in enumerate(tail.lines, start=reader.after + 1):
        yield b"id: %d\ndata: %b\n\n" % (version, line)


def _frame(event: str, version: int) -> bytes:
    return f'event: {event}\ndata: {{"version":{version}}}\n\n'.encode()
