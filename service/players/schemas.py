"""Schemas of requests about players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from events.text import Text
from service.games.schemas import LONGEST_WAIT, MOST_COMMITS, ListQuery
from service.http.fields import (
    GAME_ID,
    FlagText,
    NumberText,
    OneOf,
    OwnName,
    Pattern,
    Strict,
    StrictBool,
    TicketText,
)
from service.players.feed import BEGINNING, EVENT_ID
from service.text import LONGEST_NAME


class NewPlayer(Strict):
    name = OwnName(LONGEST_NAME, required=True)


class MyGamesQuery(ListQuery):
    awaiting = FlagText(
        load_default=False,
        metadata={"description": "With `true` only games that wait for the player."},
    )


class MyEventsQuery(Strict):
    after = fields.String(
        load_default=BEGINNING,
        validate=Pattern(f"^({EVENT_ID.pattern})$", lambda text: Text("must be the id of an event, or 0")),
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


class NewTicket(Strict):
    """What it is to open: the events of a game, or one's own of all games."""

    game = fields.String(
        validate=Pattern(
            f"^{GAME_ID.pattern}$", lambda text: Text("must be the id of a game: g_ and 22 characters")
        ),
        error_messages={"invalid": "must be the id of a game: g_ and 22 characters"},
    )
    me = StrictBool(validate=OneOf([True], error="it is true, or you name a `game`"))

    @validates_schema(pass_original=True)
    def _check_one(self, data: Any, original: Mapping[str, Any], **given: Any) -> None:
        if len(original) != 1:
            raise ValidationError("must have either `game`, or `me` with true")
