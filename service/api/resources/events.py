"""The log of a game: in pages, as lines, as a stream."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, request
from msgspec import Raw, Struct

from service.api.media_types import JSON, NDJSON, SSE
from service.api.parts import etag, parts, query, reply, unchanged, viewer
from service.api.problems import Fault, Problem
from service.api.schemas import EventsQuery
from service.api.streams import BATCH, Reader

blueprint = Blueprint("events", __name__, url_prefix="/v1/games/<game>")
QUERY = EventsQuery()


class EventsReply(Struct, frozen=True):
    """`next` is where the log goes on, now or later."""

    commits: tuple[Raw, ...]
    next: str


@blueprint.get("/events")
def show_events(game: str) -> Response:
    seat, asked, kind = viewer(game), query(QUERY), _kind()
    snapshot = parts().games.snapshot(game)
    reader = Reader(game, seat, asked["after"], snapshot.state.status == "over", asked.get("limit"))
    if kind == SSE:
        return _stream(reader, snapshot.version)
    if kind == NDJSON:
        return _lines(reader, asked["wait"])
    return _page(reader, asked["wait"], snapshot.version)


def _kind() -> str:
    accepted = request.accept_mimetypes
    kind = accepted.best_match([JSON, NDJSON, SSE]) if accepted else JSON
    if kind is None:
        raise Problem("not_acceptable", f"there are {JSON}, {NDJSON} and {SSE}")
    return kind


def _page(reader: Reader, wait: int, version: int) -> Response:
    kept = msgspec.structs.replace(reader, limit=reader.limit or BATCH)
    tail = parts().streams.await_tail(kept, wait)
    newest = max(version, tail.version if tail.lines else 0)
    place = {"after": tail.version} | ({"limit": reader.limit} if reader.limit else {})
    following = f"/v1/games/{reader.game}/events?{urlencode(place)}"
    return unchanged(newest) or reply(
        EventsReply(tuple(map(Raw, tail.lines)), following), headers=etag(newest)
    )


def _lines(reader: Reader, wait: int) -> Response:
    streams = parts().streams
    tail = streams.await_tail(reader, wait)
    headers = {"Vary": "Authorization, Accept"}
    return Response(streams.lines(reader, tail), content_type=NDJSON, headers=headers)


def _stream(reader: Reader, version: int) -> Response:
    streams, after = parts().streams, _resumed(reader.after)
    if reader.over and after >= version:
        # What tells a browser's EventSource not to come back.
        return Response(status=204)
    listener = streams.doorbell.listen(reader.game)
    reader = msgspec.structs.replace(reader, after=after)
    response = Response(streams.frames(reader, listener), content_type=SSE, headers=_STREAM_HEADERS)
    response.call_on_close(listener.close)
    return response


def _resumed(after: int) -> int:
    last = request.headers.get("Last-Event-ID", "")
    if not last:
        return after
    if not (last.isascii() and last.isdigit() and len(last) < 10):
        fault = Fault("it is the id of an event, a version", parameter="Last-Event-ID")
        raise Problem("bad_header", "this Last-Event-ID is none of ours", errors=[fault])
    return int(last)


_STREAM_HEADERS = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    "Vary": "Authorization, Accept",
}
