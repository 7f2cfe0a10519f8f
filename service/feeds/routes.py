"""HTTP operation on feeds: what happens in games, for a player, an API key or everybody."""

from __future__ import annotations

from functools import partial

from flask import Response
from msgspec import Struct

from service.feeds.reading import FeedEvent, FeedPage
from service.feeds.schemas import FeedQuery
from service.http.auth import FEED_READER, FeedReader, use_up_ticket
from service.http.compression import compress_for
from service.http.headers import FEED_LAST_EVENT_ID, JSON, NDJSON, SSE, read_feed_last_event_id
from service.http.limits import STREAMING
from service.http.operation import Call, operation
from service.http.problems import Problem
from service.http.responses import VARY, Reply
from service.http.streaming import STREAM_HEADERS, Subscription
from service.players.tickets import MINE


class FeedReply(Struct, frozen=True, omit_defaults=True):
    """`next` is the `after` of the next request.

    With `reset` the reader has missed some, or has read some of a log that has gone back since: these are the
    oldest events that are kept, and the games themselves say how they stand now.
    """

    events: tuple[FeedEvent, ...]
    next: str
    reset: bool = False


@operation(
    "GET /v1/feed",
    "What happens in my games, in those of my API key, or without a token in all public games: in pages, as "
    "lines, or as one stream",
    {JSON: FeedReply, NDJSON: FeedEvent, SSE: FeedEvent},
    access=FEED_READER,
    scope="play",
    query=FeedQuery,
    headers=(FEED_LAST_EVENT_ID,),
    errors=("unavailable", "too_many_streams", "stream_quota", "cursor_lost"),
    rate_limit=STREAMING,
    uncached=True,
)
def show_feed(call: Call[FeedReader]) -> Reply | Response:
    """Reply with the events of the caller's feed as a page, as NDJSON or as server-sent events."""
    left_at = read_feed_last_event_id(call.request)
    if call.media == SSE:
        return _stream(call, left_at)
    limit = call.query.get("limit")
    page = call.services.feed_streams.read(
        _subscribe(call), call.query["after"], limit, seconds=call.query["wait"], caller=call.network
    )
    if call.media == NDJSON:
        return _send_lines(call, page, limit)
    return Reply(FeedReply(tuple(page.events), page.next, page.reset))


def _subscribe(call: Call[FeedReader]) -> Subscription[FeedPage]:
    """Return how the caller's feed is read, in the caller's language."""
    return Subscription(
        bell=call.caller.name,
        read=partial(call.services.feeds.read, call.caller.name),
        is_welcome=call.caller.is_welcome,
        encoder=call.language.encoder,
    )


def _send_lines(call: Call[FeedReader], page: FeedPage, limit: int | None) -> Response:
    """Return the events as NDJSON. Raises Problem if some are no longer stored."""
    if page.reset:
        raise Problem("cursor_lost", "Events after this id are no longer kept. Start again with `after=0`.")
    lines = call.services.feed_streams.lines(_subscribe(call), page, limit)
    body, encoding = compress_for(call.request, lines)
    headers = {**VARY, **encoding, "Content-Language": call.language.tag}
    return Response(body, content_type=NDJSON, headers=headers)


def _stream(call: Call[FeedReader], left_at: str | None) -> Response:
    """Return a stream of events; it holds its listener until it is closed. Uses up the ticket."""
    streams = call.services.feed_streams
    listener = streams.doorbell.listen(call.caller.name, call.network)
    try:
        use_up_ticket(call.request, call.services, MINE)
    except Exception:
        listener.close()
        raise
    after = left_at or call.query["after"]
    frames = streams.frames(_subscribe(call), after, call.query.get("limit"), listener)
    headers = {**STREAM_HEADERS, "Content-Language": call.language.tag}
    response = Response(frames, content_type=SSE, headers=headers)
    response.call_on_close(listener.close)
    return response
