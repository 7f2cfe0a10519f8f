"""What comes in where people go, come back, end a game or look for one."""

from __future__ import annotations

from marshmallow import fields

from service.api.fields import CleanText, StrictBool
from service.api.plain_words import OneOf
from service.api.schemas import CODE, LONGEST_CODE
from service.api.strict import Strict
from service.play.bot_levels import BOT_NAMES, DEFAULT_BOT


class FindGame(Strict):
    code = CleanText(LONGEST_CODE, required=True, metadata={"description": CODE})


class LeaveTable(Strict):
    for_good = StrictBool(
        load_default=False,
        metadata={
            "description": "In play: the bot keeps the seat, and its token ends. Else until you return."
        },
    )


class StartTable(Strict):
    bot = fields.String(
        validate=OneOf(BOT_NAMES),
        load_default=DEFAULT_BOT,
        metadata={"description": "Takes every open seat; see /v1/bots."},
    )


class VoidGame(Strict):
    agrees = StrictBool(load_default=True, metadata={"description": "False takes a consent back."})


class NothingToSay(Strict):
    """An empty object, or no body at all."""
