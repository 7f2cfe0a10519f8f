"""Fields of a table that somebody describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, fields

from events.values import MOST_SEATS
from service.api.fields import StrictInt, Word
from service.api.plain_words import Length

MOST_DICE, MOST_NOTES = 30, 120


class Lenient(Schema):
    """Whoever sends what the service shows need not leave anything out."""

    error_messages = {"type": "an object is expected"}  # noqa: RUF012

    class Meta:
        unknown = EXCLUDE


class Cards(fields.Raw):
    """A list of cards, or what is shown where they are hidden."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if isinstance(value, dict):
            return {"hidden": True}
        if not isinstance(value, list) or len(value) > MOST_DICE or not all(map(_is_card, value)):
            raise ValidationError("a list of cards is expected, such as 3 and 5d")
        return tuple(value)


def _is_card(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) < 4


def notes_field(**given: Any) -> fields.List[Any]:
    return fields.List(StrictInt(0, 1_000_000), validate=Length(max=MOST_NOTES), **given)


def faces_field() -> fields.List[Any]:
    return fields.List(StrictInt(1, 6), load_default=list, validate=Length(max=MOST_DICE))


def seat_field() -> StrictInt:
    return StrictInt(0, MOST_SEATS - 1, allow_none=True, load_default=None)


def chip_cards_field() -> fields.List[Any]:
    return fields.List(Word(20), load_default=list, validate=Length(max=MOST_DICE))


class CasinoNumber(fields.Raw):
    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if value == "bandit" or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 6):
            return value
        raise ValidationError("a number from 1 to 6 is expected, or bandit")
