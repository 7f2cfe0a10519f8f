"""Schemas of requests for advice: a table as a client describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from events.text import Text
from events.values import MOST_SEATS
from service.catalog.bots import BOT_NAMES
from service.games.schemas import AN_EDITION, MOST_OPTIONS, OPTION_VALUE
from service.http.fields import (
    GAME_ID,
    Items,
    Length,
    Lenient,
    LenientItem,
    OneOf,
    OptionField,
    Pattern,
    Strict,
    StrictBool,
    StrictInt,
    Word,
)

MOST_DICE = 30
MOST_NOTES = 120


class Cards(fields.Raw):
    """A list of cards, or what is shown where they are hidden."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if isinstance(value, dict):
            return {"hidden": True}
        if not isinstance(value, list) or len(value) > MOST_DICE or not all(map(_is_card, value)):
            raise ValidationError("must be a list of cards such as 3 and 5d")
        return tuple(value)


def _is_card(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) < 4


def notes_field(**given: Any) -> Items:
    return Items(StrictInt(0, 1_000_000), MOST_NOTES, **given)


def faces_field() -> Items:
    return Items(StrictInt(1, 6), MOST_DICE, load_default=list)


def seat_field() -> StrictInt:
    return StrictInt(0, MOST_SEATS - 1, allow_none=True, load_default=None)


def chip_cards_field() -> Items:
    return Items(Word(20), MOST_DICE, load_default=list)


class CasinoNumber(fields.Raw):
    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if value == "bandit" or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 6):
            return value
        raise ValidationError("must be a number from 1 to 6, or bandit")


MOST_LOTS = 60
MOST_CASINOS = 8
MOST_BUDGET = 6_000
MOST_MEMBERS = 12
MOST_LETTERS = 100


class SentLot(LenientItem):
    owner = Word(20, required=True, metadata={"description": "`seat-0` and so on, `neutral` or `grey`."})
    small = StrictInt(0, MOST_DICE, load_default=0)
    big = StrictInt(0, MOST_DICE, load_default=0)
    weight = StrictInt(0, allow_none=True, load_default=None)
    face = StrictInt(
        1, 6, allow_none=True, load_default=None, metadata={"description": "Of dice on the bandit."}
    )


class SentTile(Lenient):
    code = Word(4, required=True)
    shows = fields.Dict(
        keys=Word(40),
        load_default=dict,
        validate=Length(max=MOST_MEMBERS),
        metadata={"description": "As the service shows it; what is left out is as when the tile was laid."},
    )


class SentCasino(Lenient):
    number = CasinoNumber(
        required=True,
        metadata={
            "anyOf": [{"type": "integer", "minimum": 1, "maximum": 6}, {"type": "string", "const": "bandit"}]
        },
    )
    notes = notes_field(load_default=list)
    dice = Items(fields.Nested(SentLot), MOST_LOTS, load_default=list)
    closed = StrictBool(load_default=False)
    tile = fields.Nested(SentTile, allow_none=True, load_default=None)
    chip_cards = chip_cards_field()


class SentSeat(Lenient):
    """`dice` are all in hand, the big one included."""

    name = fields.String(
        allow_none=True,
        load_default=None,
        validate=Length(max=MOST_LETTERS),
        metadata={"description": "For the labels of options; else the seat's number."},
    )
    dice = StrictInt(0, MOST_DICE, load_default=0)
    big = StrictBool(load_default=False)
    neutral_dice = StrictInt(0, MOST_DICE, load_default=0)
    chips = StrictInt(0, 1_000, load_default=0)
    notes = notes_field(
        load_default=list, allow_none=True, metadata={"description": "What the seat has won."}
    )
    note_count = StrictInt(
        0, MOST_NOTES, allow_none=True, load_default=None, metadata={"description": "Where they are hidden."}
    )
    seat = seat_field()
    money = StrictInt(0, allow_none=True, load_default=None)
    total = StrictInt(0, allow_none=True, load_default=None)
    chip_cards = chip_cards_field()
    hand = Cards(allow_none=True, load_default=None)
    glass = Items(Cards(allow_none=True), MOST_DICE, allow_none=True, load_default=None)


class SentRoll(Lenient):
    own = faces_field()
    big = StrictInt(1, 6, allow_none=True, load_default=None)
    neutral = faces_field()
    seat = seat_field()


class SentAsk(Lenient):
    """Any question that the edition or a tile at the table can ask; that of an ordinary turn, if left out."""

    prompt = Word(40, allow_none=True, load_default=None)
    seats = Items(StrictInt(0, MOST_SEATS - 1), MOST_SEATS, 1, allow_none=True, load_default=None)
    casino = StrictInt(1, 6, allow_none=True, load_default=None)


class SentTable(Lenient):
    error_messages = {  # noqa: RUF012
        "type": "must be a table as `GET /v1/games/{game}` shows it, such as "
        '{"edition": "classic", "seats": [{"dice": 8}, {"dice": 8}], '
        '"casinos": [{"number": 1, "notes": [60000]}], "roll": {"own": [1, 3, 3]}}'
    }
    edition = Word(40, required=True, metadata=AN_EDITION)
    options = fields.Dict(
        keys=Word(40),
        values=OptionField(allow_none=True, metadata=OPTION_VALUE),
        load_default=dict,
        validate=Length(max=MOST_OPTIONS),
    )
    status = fields.String(
        load_default="playing",
        validate=OneOf(["playing"], error="nothing is to be chosen at this table"),
    )
    round = StrictInt(1, 10, load_default=1)
    starter = seat_field()
    turn = seat_field()
    seats = Items(fields.Nested(SentSeat), MOST_SEATS, 2, required=True)
    casinos = Items(fields.Nested(SentCasino), MOST_CASINOS, required=True)
    roll = fields.Nested(SentRoll, allow_none=True, load_default=None)
    asks = Items(fields.Nested(SentAsk), 4, load_default=list)
    under = notes_field(load_default=list)
    bank = notes_field(allow_none=True, load_default=None)
    pile = StrictInt(0, MOST_NOTES, allow_none=True, load_default=None)
    turn_number = StrictInt(1, 10, allow_none=True, load_default=None)
    rounds = StrictInt(1, 10, allow_none=True, load_default=None)
    winners = Items(StrictInt(0, MOST_SEATS - 1), MOST_SEATS, allow_none=True, load_default=None)


class AdviceWanted(Strict):
    """For one's own seat in a game here, or for a seat at any table, a wooden one included."""

    # A table as the service shows it, with paths and previews of all options, has up to 22 KB.
    largest_body = 32 * 1024
    game = fields.String(
        validate=Pattern(
            f"^{GAME_ID.pattern}$", lambda text: Text("must be the id of a game: g_ and 22 characters")
        ),
        error_messages={"invalid": "must be the id of a game: g_ and 22 characters"},
        metadata={"description": "Advice for the seat whose token is sent."},
    )
    table = fields.Nested(
        SentTable, metadata={"description": "In the form of `GET /v1/games/{game}`, or as much as is needed."}
    )
    seat = StrictInt(
        0, MOST_SEATS - 1, metadata={"description": "Whose turn it is at that table; with a game, one's own."}
    )
    bot = fields.String(
        load_default=BOT_NAMES[-1],
        validate=OneOf(BOT_NAMES),
        metadata={"description": "Who is asked; the strongest, if left out."},
    )
    budget = StrictInt(
        1,
        MOST_BUDGET,
        metadata={"description": "How much the bot thinks, in its own measure; as at a table, if left out."},
    )

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_one(self, data: Any, original: Mapping[str, Any], **given: Any) -> None:
        if ("game" in original) == ("table" in original):
            raise ValidationError("must have either `game`, or `table` and `seat`")
        if "table" in original and "seat" not in original:
            raise ValidationError("is required with `table`", "seat")
        if "seat" in data and "table" in data and data["seat"] >= len(data["table"].get("seats", ())):
            raise ValidationError("must be the number of a seat at the table", "seat")
