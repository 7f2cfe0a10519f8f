"""Commits on their way out: pages, lines and streams, each as its viewer may see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

import msgspec

from events.store import Unavailable
from service.api.doorbell import Doorbell, Listener
from service.api.stream_frames import RETRY_AFTER
from service.api.tails import OFF, Opening, Reader, Tail, advance, encode_page
from service.play.chain_guard import BrokenLog
from service.play.games import Games
from service.play.pages import before, cut_page
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import UnknownGame

BATCH = 200
HEARTBEAT = 15.0
# A tail this short is what all viewers of a live game ask for at once.
SHORT, MOST_TAILS = 4, 1_000
RETRY = f"retry: {RETRY_AFTER}\n\n".encode()
STILL_HERE = b": still here\n\n"
# With an id, so that a browser which comes back by itself begins anew.
RESET = b'id: 0\nevent: reset\ndata: {"version":0}\n\n'


class Streams:
    def __init__(self, games: Games, doorbell: Doorbell) -> None:
        self._games, self.doorbell = games, doorbell
        self._tails: RecentlyUsed[Tail] = RecentlyUsed(MOST_TAILS)

    def open_log(
        self,
        game: str,
        seat: int | None,
        after: int,
        limit: int | None,
        branch: int | None = None,
        head: str | None = None,
    ) -> Opening:
        """Where a reader begins, out of one reading of the log. Raises UnknownGame, and BranchLost.

        `head` is how the hash at `after` begins, where the reader is to be held to it.
        """
        try:
            reading = self._games.read_after(game, after, BATCH if limit is None else limit, branch)
        except BrokenLog:
            return self._open_broken_log(Reader(game, seat, after, False, limit))
        over, page = reading.snapshot.state.status == "over", reading.page
        seated = 0 if seat is None else reading.snapshot.version
        reader = Reader(game, seat, after, over, limit, page.place, head is not None, seated)
        tail = encode_page(reader, page) if page.place.startswith(head or "") else OFF
        return Opening(reader, tail, reading.snapshot.version, reading.snapshot.head)

    def _open_broken_log(self, reader: Reader) -> Opening:
        """As it stands, secrets covered: whoever checks it shall see where it does not fit."""
        return Opening(reader, self._read_log(reader), *self._games.head(reader.game))

    def read_tail(self, reader: Reader, ring: int | None = None) -> Tail:
        """One batch; where a ring called for it, one reading after that ring serves all whom it called."""
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
        """A game that was over may be no more, and its secrets are secret again."""
        limit = BATCH if reader.limit is None else reader.limit
        try:
            if reader.over:
                reading = self._games.read_after(reader.game, reader.after, limit)
                return OFF if reading.snapshot.state.status != "over" else encode_page(reader, reading.page)
            commits = self._games.commits(reader.game, before(reader.after), limit + 1)
        except (UnknownGame, BrokenLog):
            return OFF
        return encode_page(reader, cut_page(commits, reader.after, limit))

    def await_tail(self, reader: Reader, tail: Tail, seconds: float, caller: str = "") -> Tail:
        """The first tail, or where it is empty the first news within that time. Raises as `listen` does."""
        if tail.lines or tail.off or not seconds or reader.over:
            return tail
        end, ring = monotonic() + seconds, None
        with self.doorbell.listen(reader.game, caller) as listener:
            while not ((tail := self.read_tail(reader, ring)).lines or tail.off):
                if not self.doorbell.is_open or listener.is_dismissed or monotonic() >= end:
                    break
                ring = listener.rings if listener.wait(end - monotonic()) else None
        return tail

    def lines(self, reader: Reader, tail: Tail) -> Iterator[bytes]:
        """NDJSON, from a first tail on until there is nothing more."""
        while tail.lines:
            yield b"\n".join(tail.lines) + b"\n"
            reader = advance(reader, tail)
            if reader.limit == 0 or tail.left:
                return
            tail = self.read_tail(reader)

    def frames(
        self, reader: Reader, tail: Tail, listener: Listener, is_welcome: Callable[[], bool] = lambda: True
    ) -> Iterator[bytes]:
        """Server-sent events until the game, the server or the limit ends them; the id is the version.

        They end as well with the seat of whoever reads, and with the token that `is_welcome` knows of.
        Where the log does not go on from the last of them any more, they end with a reset.
        The listener is older than the first tail, so that what comes after it rings.
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
                # Only who was called may share what others have read since that ring.
                rung = listener.wait(0.0 if more else HEARTBEAT)
                if not (more or rung):
                    yield STILL_HERE
                tail = self.read_tail(reader, listener.rings if rung else None)
        except Unavailable:
            # Whoever listens comes back with the last id and finds us, or the problem, then.
            pass
        yield _frame("bye", reader.after)


def _commit_frames(tail: Tail) -> Iterator[bytes]:
    for name, line in zip(tail.ids, tail.lines, strict=True):
        yield b"id: %b\ndata: %b\n\n" % (name.encode(), line)


def _frame(event: str, version: int) -> bytes:
    return f'event: {event}\ndata: {{"version":{version}}}\n\n'.encode()
