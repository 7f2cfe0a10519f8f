"""What comes in, as marshmallow schemas; openapi.yaml is rendered from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, get_args

from marshmallow import ValidationError, fields, validates_schema

from events.chain import GENESIS
from events.values import MOST_SEATS, PUBLIC, Visibility
from rules.editions import EDITIONS
from service.api.fields import (
    LARGEST,
    LONGEST_WORD,
    VISIBLE,
    Characters,
    ChoiceWord,
    CleanText,
    HashText,
    Name,
    NumberText,
    OptionField,
    StrictInt,
    TicketText,
    Word,
)
from service.api.marks import FEWEST
from service.api.option_fields import Options
from service.api.plain_words import OneOf
from service.api.planned_seats import A_SEAT, ENTROPY, FORK_SEATS, NAMED, SEATS
from service.api.strict import Strict
from service.api.variants import Variants
from service.texts import LONGEST_ENTROPY, LONGEST_NAME

FEWEST_SEATS = 2
LONGEST_CHOICE = 100
LONGEST_CODE = 40
MOST_COMMITS = 1_000
MOST_GAMES = 100
LONGEST_WAIT = 60
CODE = "Of a private game; case, spaces and hyphens do not matter."
AN_EDITION = {"description": "See /v1/editions.", "enum": [*EDITIONS.newest]}
VISIBILITY = (
    "Who finds the game: `public` stands in the list, `unlisted` is for those who have its id, and `private` "
    "is shown only to those at its table; the reply then has the `code` with which one sits down there."
)
OPTION_VALUE = {
    "anyOf": [
        {"type": ["boolean", "null"]},
        {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST},
        {"type": "string", "maxLength": LONGEST_WORD},
        {"type": "array", "items": {"type": "string"}},
    ]
}


class EditionWord(Word):
    pattern = Characters(VISIBLE, lambda text: f"no such edition; there are {', '.join(EDITIONS.newest)}")


class NewGame(Strict):
    edition = EditionWord(40, required=True, metadata=AN_EDITION)
    options = Options(
        keys=Word(40),
        values=OptionField(allow_none=True, metadata=OPTION_VALUE),
        load_default=dict,
        metadata={"description": "Members and values as the edition's own schema in /v1/editions says."},
        error_messages={"invalid": 'an object is expected, such as {{"hide_money": true}}'},
    )
    seats = fields.List(
        Variants("NewSeat", A_SEAT, SEATS, NAMED),
        required=True,
        metadata={"minItems": FEWEST_SEATS, "maxItems": MOST_SEATS},
        error_messages={"invalid": 'an array is expected, such as [{{"name": "Anna"}}, {{"bot": "greedy"}}]'},
    )
    visibility = fields.String(
        validate=OneOf(get_args(Visibility)),
        load_default=PUBLIC,
        metadata={"description": VISIBILITY},
    )

    @validates_schema(skip_on_field_errors=False)
    def _check_players(self, data: Any, **given: Any) -> None:
        seats = [seat for seat in data.get("seats", ()) if isinstance(seat, Mapping)]
        if sum(seat.get("player") is True for seat in seats) > 1:
            raise ValidationError("a player sits on one seat of a game", "seats")


class NewFork(Strict):
    at = StrictInt(
        1, required=True, metadata={"description": "The version whose table the fork begins with."}
    )
    seats = fields.List(
        Variants("ForkSeat", "A named seat, a bot's seat, or the caller's.", FORK_SEATS, NAMED),
        required=True,
        error_messages={"invalid": 'an array is expected, such as [{{"name": "Anna"}}, {{"bot": "greedy"}}]'},
    )


class SitDown(Strict):
    """Without a player's token `name` is required; with one the seat is the player's, under their name."""

    hints: ClassVar[Mapping[str, str]] = {"player": "leave it out: a player's token says who sits down"}
    name = Name(LONGEST_NAME)
    entropy = CleanText(LONGEST_ENTROPY, least=0, load_default="", metadata={"description": ENTROPY})
    seat = StrictInt(0, metadata={"description": "The first open seat when left out."})
    code = CleanText(LONGEST_CODE, least=0, load_default="", metadata={"description": CODE})


class Choice(Strict):
    ask = StrictInt(1, required=True, metadata={"description": "Which of the table's asks is answered."})
    choice = ChoiceWord(
        LONGEST_CHOICE, required=True, metadata={"description": "The `choice` of one of its options."}
    )


class EventsQuery(Strict):
    after = NumberText(0, load_default=0, metadata={"description": "Commits after this version."})
    limit = NumberText(
        1,
        MOST_COMMITS,
        metadata={"description": "At most so many commits; 200 in a JSON page, else as many as there are."},
    )
    head = HashText(
        FEWEST,
        len(GENESIS),
        metadata={
            "description": "The hash of the commit at `after` (of none: zeros), or how it begins. Where the "
            "log has another there, begin anew: `next` leads to its beginning, a stream ends with `reset`. "
            "`next` and the ids of a stream then carry the hash too."
        },
    )
    wait = NumberText(
        0,
        LONGEST_WAIT,
        load_default=0,
        metadata={"description": "Seconds to wait for the first commit when there is none yet."},
    )
    ticket = TicketText()


class NoQuery(Strict):
    """For what takes no parameters."""
