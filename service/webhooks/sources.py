"""Reads the feeds that webhooks send: events as `GET /v1/feed` shows them, with sentences in English."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from service.feeds.reading import CURSOR as CURSOR
from service.feeds.reading import FeedEvent
from service.feeds.reading import Feeds as FeedReader


class WebhookEvent(Struct, frozen=True):
    """An event of a feed, or a test: something happened in a game, at this version of it."""

    id: str
    game: str
    edition: str
    version: int
    type: str
    seat: int | None
    awaits: tuple[int, ...]
    sentence: str


class SourcePage(Struct, frozen=True):
    """Events, and the cursor after them. With `reset` some before them are no longer kept."""

    events: Sequence[WebhookEvent]
    next: str
    reset: bool = False


class Feeds:
    """Reads the feeds of players and API keys. Each method raises Unavailable."""

    def __init__(self, reader: FeedReader) -> None:
        """Read through the reader of all feeds."""
        self._reader = reader

    def read(self, owner: str, after: str, limit: int) -> SourcePage:
        """Return events of an owner's feed after a place in it."""
        page = self._reader.read(owner, after, limit)
        return SourcePage([_write_plainly(event) for event in page.events], page.next, page.reset)

    def find_end(self, owner: str) -> str:
        """Return the place after the newest event of an owner's feed."""
        return self._reader.find_end(owner)


def _write_plainly(event: FeedEvent) -> WebhookEvent:
    """Return an event as it is stored until it is delivered."""
    return WebhookEvent(
        id=event.id,
        game=event.game,
        edition=event.edition,
        version=event.version,
        type=event.type,
        seat=event.seat,
        awaits=event.awaits,
        sentence=str(event.sentence),
    )
