"""The schema of what a reader of a feed asks for."""

from __future__ import annotations

from marshmallow import fields

from events.text import Text
from service.feeds.reading import CURSOR
from service.http.fields import Pattern
from service.players.feed import BEGINNING
from service.players.schemas import MyEventsQuery


class FeedQuery(MyEventsQuery):
    after = fields.String(
        load_default=BEGINNING,
        validate=Pattern(
            f"^(?:{CURSOR.pattern})$",
            lambda text: Text("must be the `next` of a page, the id of an event, or 0"),
        ),
        metadata={"description": "Events after this place: the `next` of a page or the `id` of an event."},
    )
