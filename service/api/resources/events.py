"""The log of a game: in pages, as lines, as a stream."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

from flask import Response
from msgspec import Raw, Struct

from events.commit import Commit
from service.api.calls import Call
from service.api.doorbell import Listener
from service.api.headers import LAST_EVENT_ID, read_last_event_id
from service.api.marks import WRITTEN, Mark
from service.api.media_types import JSON, NDJSON, SSE
from service.api.operation import operation
from service.api.problems import Problem
from service.api.rate_limits import STREAMING
from service.api.replies import VARY, Reply
from service.api.schemas import EventsQuery
from service.api.streams import BATCH
from service.api.tails import Opening
from service.api.tickets import FOLLOWERS, use_up_ticket
from service.play.branches import Holder
from service.players.players import Player

NOTHING_LEFT = {204: "The game is over and there is nothing left to stream."}
STREAM_HEADERS = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    **VARY,
}


class EventsReply(Struct, frozen=True):
    """`next` is where the log goes on, now or later: at its beginning where it does not reach `after`."""

    commits: tuple[Raw, ...]
    next: str


@operation(
    "GET /v1/games/{game}/events",
    "The log of a game: in pages, as lines, or as a stream",
    {JSON: EventsReply, NDJSON: Commit, SSE: Commit},
    access=FOLLOWERS,
    query=EventsQuery,
    headers=(LAST_EVENT_ID,),
    refusals=("unknown_version", "too_many_streams", "stream_quota"),
    also=NOTHING_LEFT,
    kind=STREAMING,
)
def show_events(call: Call[Holder | Player | None]) -> Reply | Response:
    left_at = read_last_event_id(call.request)
    if call.media == SSE:
        return _stream(call, left_at)
    return _send_lines(call) if call.media == NDJSON else _send_page(call)


def _send_page(call: Call[Holder | Player | None]) -> Reply:
    streams, limit = call.services.streams, call.query.get("limit")
    opening = _open_log(call, limit or BATCH)
    tail = streams.await_tail(opening.reader, opening.tail, call.query["wait"], call.network)
    newest = call.services.games.head(call.game) if tail.off else (opening.version, opening.head)
    newest = max(newest, (tail.version, tail.head))
    place = {"after": tail.version} | ({"limit": limit} if limit else {})
    place |= {"head": tail.head[:WRITTEN]} if opening.reader.marked else {}
    following = f"/v1/games/{call.game}/events?{urlencode(place)}"
    return Reply(EventsReply(tuple(map(Raw, tail.lines)), following), call.tag(*newest))


def _open_log(call: Call[Holder | Player | None], limit: int | None, left_at: Mark | None = None) -> Opening:
    """From `after` on, or from where a stream was left; held to the hash there, where it is told."""
    after, head = call.query["after"], call.query.get("head")
    if left_at is not None:
        after, head = left_at.version, left_at.head or (None if head is None else "")
    opening = call.services.streams.open_log(call.game, call.seat, after, limit, call.branch, head)
    if left_at is None and head is None and after > opening.version:
        _refuse_beyond(call, opening.version)
    return opening


def _refuse_beyond(call: Call[Holder | Player | None], newest: int) -> None:
    """Whoever waits there would wait for ever, and never know why; but one may have been there before."""
    if not call.services.games.has_moved(call.game):
        detail = f"the log ends with version {newest}; read on after that"
        raise Problem("unknown_version", detail, version=newest)


def _send_lines(call: Call[Holder | Player | None]) -> Response:
    streams = call.services.streams
    opening = _open_log(call, call.query.get("limit"))
    tail = streams.await_tail(opening.reader, opening.tail, call.query["wait"], call.network)
    return Response(streams.lines(opening.reader, tail), content_type=NDJSON, headers=VARY)


def _stream(call: Call[Holder | Player | None], left_at: Mark | None) -> Response:
    listener = call.services.streams.doorbell.listen(call.game, call.network)
    try:
        response = _begin_stream(call, listener, left_at)
    except Exception:
        listener.close()
        raise
    response.call_on_close(listener.close)
    return response


def _begin_stream(call: Call[Holder | Player | None], listener: Listener, left_at: Mark | None) -> Response:
    streams = call.services.streams
    opening = _open_log(call, call.query.get("limit"), left_at)
    if opening.reader.over and opening.reader.after >= opening.version and not _has_strayed(call, opening):
        # What tells a browser's EventSource not to come back.
        return Response(status=204)
    use_up_ticket(call.request, call.services, call.game)
    frames = streams.frames(opening.reader, opening.tail, listener, partial(_is_welcome, call))
    return Response(frames, content_type=SSE, headers=STREAM_HEADERS)


def _is_welcome(call: Call[Holder | Player | None]) -> bool:
    """Whether the token that opened the stream is still a player's; one of a seat ends in the log."""
    caller = call.caller
    if not isinstance(caller, Holder) or not caller.player:
        return True
    return call.services.players.is_current(caller.player, caller.credential)


def _has_strayed(call: Call[Holder | Player | None], opening: Opening) -> bool:
    """Whether the reader comes from another log than this, as far as can be told."""
    told = opening.reader.marked or call.services.games.has_moved(call.game)
    return opening.tail.off and told
