"""What happens in all games of a player: in pages, as lines, as a stream."""

from __future__ import annotations

from flask import Response
from msgspec import Struct

from service.api.calls import Call
from service.api.doorbell import Listener
from service.api.headers import MY_LAST_EVENT_ID, read_my_last_event_id
from service.api.media_types import JSON, NDJSON, SSE
from service.api.operation import operation
from service.api.player_schemas import MyEventsQuery
from service.api.problems import Problem
from service.api.rate_limits import STREAMING
from service.api.replies import VARY, Reply
from service.api.resources.events import STREAM_HEADERS
from service.api.tickets import MYSELF, use_up_ticket
from service.players.players import Player
from service.players.reading import MyEvent, MyEvents
from service.players.tickets import MINE


class MyEventsReply(Struct, frozen=True, omit_defaults=True):
    """`next` is the `after` of the next request.

    With `reset` the events after the one that was named are no longer kept: these are the oldest that are,
    and `GET /v1/me/games?awaiting=true` says what is to be done now.
    """

    events: tuple[MyEvent, ...]
    next: str
    reset: bool = False


@operation(
    "GET /v1/me/events",
    "What happens in all my games: in pages, as lines, or as one stream",
    {JSON: MyEventsReply, NDJSON: MyEvent, SSE: MyEvent},
    access=MYSELF,
    query=MyEventsQuery,
    headers=(MY_LAST_EVENT_ID,),
    refusals=("unavailable", "too_many_streams", "stream_quota", "cursor_lost"),
    kind=STREAMING,
    uncached=True,
)
def show_my_events(call: Call[Player]) -> Reply | Response:
    left_at = read_my_last_event_id(call.request)
    if call.media == SSE:
        return _stream(call, left_at)
    streams, limit = call.services.my_streams, call.query.get("limit")
    page = streams.read(call.caller, call.query["after"], limit, call.query["wait"], call.network)
    if call.media == NDJSON:
        return _send_lines(call, page, limit)
    return Reply(MyEventsReply(tuple(page.events), page.next, page.reset))


def _send_lines(call: Call[Player], page: MyEvents, limit: int | None) -> Response:
    if page.reset:
        raise Problem("cursor_lost", "events after this id are no longer kept: begin anew with after=0")
    lines = call.services.my_streams.lines(call.caller, page, limit)
    return Response(lines, content_type=NDJSON, headers=VARY)


def _stream(call: Call[Player], left_at: str | None) -> Response:
    listener = call.services.my_streams.doorbell.listen(call.caller.id, call.network)
    try:
        use_up_ticket(call.request, call.services, MINE)
    except Exception:
        listener.close()
        raise
    response = _begin_stream(call, listener, left_at)
    response.call_on_close(listener.close)
    return response


def _begin_stream(call: Call[Player], listener: Listener, left_at: str | None) -> Response:
    after, limit = left_at or call.query["after"], call.query.get("limit")
    frames = call.services.my_streams.frames(call.caller, after, limit, listener)
    return Response(frames, content_type=SSE, headers=STREAM_HEADERS)
