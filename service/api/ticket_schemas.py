"""What comes in of tickets, as marshmallow schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from service.api.fields import Pattern, StrictBool
from service.api.plain_words import OneOf
from service.api.routes import GAME_ID
from service.api.strict import Strict


class NewTicket(Strict):
    """What it is to open: the events of a game, or one's own of all games."""

    game = fields.String(
        validate=Pattern(f"^{GAME_ID.pattern}$", lambda text: "the id of a game is expected, g_…"),
        error_messages={"invalid": "the id of a game is expected, g_…"},
    )
    me = StrictBool(validate=OneOf([True], error="it is true, or you name a `game`"))

    @validates_schema(pass_original=True)
    def _check_one(self, data: Any, original: Mapping[str, Any], **given: Any) -> None:
        if len(original) != 1:
            raise ValidationError('either {"game": "g_…"} or {"me": true} is expected')
