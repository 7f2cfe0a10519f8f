"""What comes in from players about themselves, as marshmallow schemas."""

from __future__ import annotations

from marshmallow import fields

from service.api.fields import Name, NumberText, Pattern, TicketText
from service.api.list_schemas import ListQuery
from service.api.plain_words import OneOf
from service.api.schemas import LONGEST_WAIT, MOST_COMMITS
from service.api.strict import Strict
from service.players.reading import BEGINNING, EVENT_ID
from service.texts import LONGEST_NAME


class NewPlayer(Strict):
    name = Name(LONGEST_NAME, required=True)


class MyGamesQuery(ListQuery):
    awaiting = fields.String(
        load_default="false",
        validate=OneOf(["true", "false"]),
        metadata={"description": "With `true` only games that wait for the player."},
    )


class MyEventsQuery(Strict):
    after = fields.String(
        load_default=BEGINNING,
        validate=Pattern(f"^({EVENT_ID.pattern})$", lambda text: "it is the id of an event, or 0"),
        metadata={"description": "Events after the one with this id; `0` for all that are kept."},
    )
    limit = NumberText(
        1,
        MOST_COMMITS,
        metadata={"description": "At most so many events; 200 in a JSON page, else as many as there are."},
    )
    wait = NumberText(
        0,
        LONGEST_WAIT,
        load_default=0,
        metadata={"description": "Seconds to wait for the first event when there is none yet."},
    )
    ticket = TicketText()
