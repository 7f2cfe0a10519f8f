"""Parts of a log on their way out, each as its reader may see it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from events.chain import GENESIS, redact_commit
from events.commit import ENDINGS, Commit
from events.seat_types import find_given_up
from service.api.marks import write_mark
from service.play.pages import Page

_encoder = msgspec.json.Encoder()


class Reader(Struct, frozen=True):
    """Who reads which game from where; `over` opens every secret (S1).

    `place` is the hash of the commit after which it goes on: "" as long as nobody knows. `marked` readers
    want it in the ids too. At version `seated` the seat was the reader's: later it may be given up.
    """

    game: str
    seat: int | None
    after: int
    over: bool
    limit: int | None = None
    place: str = ""
    marked: bool = False
    seated: int = 0


class Tail(Struct, frozen=True):
    """Encoded commits, version and hash of the last, and whether the game ended with them.

    `off` means that the log does not go on from where the reader is, `left` that with the last of these
    the reader gave up the seat. `ring` counts those heard before it was read.
    """

    lines: Sequence[bytes]
    ids: Sequence[str]
    version: int
    head: str
    ended: bool
    off: bool = False
    left: bool = False
    ring: int = 0


# Which versions the reader shares with the log nobody knows: it has to begin with the first.
OFF = Tail((), (), 0, GENESIS, ended=False, off=True)


class Opening(Struct, frozen=True):
    """Who reads, the first tail, and how far the game has come."""

    reader: Reader
    tail: Tail
    version: int
    head: str


def encode_page(reader: Reader, page: Page) -> Tail:
    if not page.place or reader.place not in ("", page.place):
        return OFF
    commits, left = _cut_at_departure(reader, page.commits)
    ended = any(isinstance(event, ENDINGS) for commit in commits for event in commit.events)
    lines = [_encoder.encode(redact_commit(commit, reader.seat, reader.over or ended)) for commit in commits]
    ids = [_write_id(reader, commit) for commit in commits]
    if not commits:
        return Tail((), (), reader.after, page.place, ended)
    return Tail(lines, ids, commits[-1].version, commits[-1].hash, ended, left=left)


def _cut_at_departure(reader: Reader, commits: Sequence[Commit]) -> tuple[Sequence[Commit], bool]:
    """What comes after it is for whoever has the seat then."""
    for number, commit in enumerate(() if reader.seat is None else commits, 1):
        if commit.version > reader.seated and reader.seat in map(find_given_up, commit.events):
            return commits[:number], True
    return commits, False


def _write_id(reader: Reader, commit: Commit) -> str:
    return write_mark(commit.version, commit.hash) if reader.marked else str(commit.version)


def advance(reader: Reader, tail: Tail) -> Reader:
    limit = None if reader.limit is None else reader.limit - len(tail.lines)
    over = reader.over or tail.ended
    return msgspec.structs.replace(reader, after=tail.version, over=over, limit=limit, place=tail.head)
