"""The log of a game: in pages, as lines, as a stream."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from flask import Response
from msgspec import Raw, Struct

from events.commit import Commit
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.headers import LAST_EVENT_ID, read_last_event_id
from service.api.media_types import JSON, NDJSON, SSE
from service.api.operation import operation
from service.api.replies import Reply
from service.api.schemas import EventsQuery
from service.api.streams import BATCH, Reader

NOTHING_LEFT = {204: "The game is over and there is nothing left to stream."}
_STREAM_HEADERS = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    "Vary": "Authorization, Accept",
}


class EventsReply(Struct, frozen=True):
    """`next` is where the log goes on, now or later."""

    commits: tuple[Raw, ...]
    next: str


@operation(
    "GET /v1/games/{game}/events",
    "The log of a game: in pages, as lines, or as a stream",
    {JSON: EventsReply, NDJSON: Commit, SSE: Commit},
    access=SPECTATORS,
    query=EventsQuery,
    headers=(LAST_EVENT_ID,),
    refusals=("too_many_streams",),
    also=NOTHING_LEFT,
)
def show_events(call: Call[int | None]) -> Reply | Response:
    snapshot = call.services.games.snapshot(call.game)
    over, limit = snapshot.state.status == "over", call.query.get("limit")
    reader = Reader(call.game, call.caller, call.query["after"], over, limit)
    if call.media == SSE:
        return _stream(call, reader, snapshot.version)
    if call.media == NDJSON:
        return _send_lines(call, reader)
    return _send_page(call, reader, snapshot.version)


def _send_page(call: Call[int | None], reader: Reader, version: int) -> Reply:
    page = msgspec.structs.replace(reader, limit=reader.limit or BATCH)
    tail = call.services.streams.await_tail(page, call.query["wait"])
    newest = max(version, tail.version if tail.lines else 0)
    place = {"after": tail.version} | ({"limit": reader.limit} if reader.limit else {})
    following = f"/v1/games/{reader.game}/events?{urlencode(place)}"
    return Reply(EventsReply(tuple(map(Raw, tail.lines)), following), newest)


def _send_lines(call: Call[int | None], reader: Reader) -> Response:
    streams = call.services.streams
    tail = streams.await_tail(reader, call.query["wait"])
    headers = {"Vary": "Authorization, Accept"}
    return Response(streams.lines(reader, tail), content_type=NDJSON, headers=headers)


def _stream(call: Call[int | None], reader: Reader, version: int) -> Response:
    streams, left_at = call.services.streams, read_last_event_id(call.request)
    reader = reader if left_at is None else msgspec.structs.replace(reader, after=left_at)
    if reader.over and reader.after >= version:
        # What tells a browser's EventSource not to come back.
        return Response(status=204)
    listener = streams.doorbell.listen(reader.game)
    response = Response(streams.frames(reader, listener), content_type=SSE, headers=_STREAM_HEADERS)
    response.call_on_close(listener.close)
    return response
