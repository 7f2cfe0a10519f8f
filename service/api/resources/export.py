"""A game as a file that proves itself, and many of them at once."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec
from flask import Response
from msgspec import Struct

from events.commit import Commit
from events.store import Unavailable
from events.values import PRIVATE, PUBLIC
from service.api.access import ANYBODY, SPECTATORS
from service.api.calls import Call
from service.api.inputs import bad_query
from service.api.list_schemas import ExportsQuery
from service.api.media_types import NDJSON
from service.api.operation import operation
from service.api.problems import Fault, Problem
from service.api.rate_limits import ARCHIVING, REVIEWING
from service.api.replies import Reply
from service.fairness.export_file import CURSOR_FORMAT, ExportCursor, ExportHeader
from service.lobby.exports import Unlisted
from service.play.archive import ExportedGame
from service.play.branches import Holder
from service.play.chain_guard import BrokenLog
from service.play.cursors import (
    BadCursor,
    age_in,
    decode_cursor,
    encode_cursor,
    game_in,
    to_milliseconds,
)
from service.play.snapshots import UnknownGame
from service.players.players import Player

FOR_EVER = "max-age=31536000, immutable"
BATCH = 50
GZIP = 16 + zlib.MAX_WBITS
LISTING = "the games are still being listed from the log, and some would be passed over; ask again later"
_encoder = msgspec.json.Encoder()


class ExportLine(Struct, frozen=True):
    """A line of a game's file: the header comes first, then every commit."""

    header: ExportHeader
    commit: Commit


class ExportsLine(Struct, frozen=True):
    """A line of many files: headers and commits as in each of them, and a cursor after every game."""

    header: ExportHeader
    commit: Commit
    cursor: ExportCursor


@operation(
    "GET /v1/games/{game}/export",
    "The game as a file that proves itself; once it is over, the same bytes for ever",
    {NDJSON: ExportLine},
    access=SPECTATORS,
    kind=REVIEWING,
)
def export_game(call: Call[Holder | Player | None]) -> Reply:
    exported = call.services.games.archive.export(call.game, call.seat, call.branch)
    if not exported.ended:
        return Reply(exported.file, call.tag(exported.version, exported.head), media=NDJSON)
    seen = "private" if exported.visibility == PRIVATE else "public"
    headers = {"Cache-Control": f"{seen}, {FOR_EVER}"}
    return Reply(exported.file, exported.head, media=NDJSON, headers=headers)


@operation(
    "GET /v1/exports",
    "Files of public games that were played here and are over, longest ended first; in gzip where accepted",
    {NDJSON: ExportsLine},
    access=ANYBODY,
    query=ExportsQuery,
    refusals=("unavailable",),
    uncached=True,
    kind=ARCHIVING,
)
def export_games(call: Call[None]) -> Response:
    place = _read_place(call)
    files = _write_files(call, place, _list_first(call, place))
    headers = {"Vary": "Accept-Encoding"}
    if call.request.accept_encodings["gzip"]:
        files, headers["Content-Encoding"] = _compress(files), "gzip"
    return Response(files, content_type=NDJSON, headers=headers)


def _read_place(call: Call[None]) -> bytes:
    """That of the cursor, unless all games from there on ended before what is asked for. Raises Problem."""
    since = call.query.get("finished_after")
    start = b"%015d|-" % (to_milliseconds(datetime.fromisoformat(since)) if since else 0)
    try:
        place = decode_cursor(call.query["cursor"]) if "cursor" in call.query else start
    except BadCursor:
        raise bad_query([Fault("it is no cursor of these exports", parameter="cursor")]) from None
    return max(place, start, key=age_in)


def _list_first(call: Call[None], place: bytes) -> Sequence[bytes]:
    """Before anything is sent. Raises Problem and Unavailable."""
    try:
        return _list(call, place, call.query["limit"])
    except Unlisted:
        raise Problem("unavailable", LISTING, cause="listing") from None


def _list(call: Call[None], place: bytes, left: int) -> Sequence[bytes]:
    return call.services.lobby.list_exports(call.query.get("edition", ""), place, min(left, BATCH))


def _write_files(call: Call[None], place: bytes, members: Sequence[bytes]) -> Iterator[bytes]:
    """What breaks off, because the log is away or the caller is, goes on from the last cursor.

    Games that are left out count, too: whoever asks for few is not to have all of them read.
    """
    left = call.query["limit"]
    try:
        while members:
            for place in members:
                yield _write_file(call, game_in(place)) + _write_cursor(place, more=True)
            left -= len(members)
            if not left:
                return
            members = _list(call, place, left)
    except (Unavailable, Unlisted):
        return
    yield _write_cursor(place, more=False)


def _write_file(call: Call[None], game: str) -> bytes:
    """Nothing where it is not for everybody, was played elsewhere, ended before, or cannot be read."""
    try:
        exported = call.services.games.archive.export(game)
    except (UnknownGame, BrokenLog):
        return b""
    return exported.file if _is_wanted(call, exported) else b""


def _is_wanted(call: Call[None], exported: ExportedGame) -> bool:
    ours = exported.visibility == PUBLIC and not exported.imported
    return ours and exported.ended > call.query.get("finished_after", "")


def _write_cursor(place: bytes, more: bool) -> bytes:
    return _encoder.encode(ExportCursor(CURSOR_FORMAT, encode_cursor(place), more)) + b"\n"


def _compress(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Each piece can be read as soon as it is there."""
    packer = zlib.compressobj(wbits=GZIP)
    for piece in pieces:
        yield packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
