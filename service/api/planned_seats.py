"""Seats of a new game, of every kind."""

from __future__ import annotations

from marshmallow import fields

from service.api.fields import CleanText, Name, StrictBool, StrictInt
from service.api.plain_words import OneOf
from service.api.strict import Strict
from service.play.bot_levels import BOT_NAMES, DEFAULT_BOT
from service.texts import LONGEST_ENTROPY, LONGEST_NAME

MOST_SECONDS = 3_600
ENTROPY = "Chance of one's own, mixed into every roll and draw of the game."
NAMED = '{"name": "Anna"} or {"bot": "greedy"}'


class NamedSeat(Strict):
    """A person, who gets a token."""

    name = Name(LONGEST_NAME, required=True)
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})


class BotSeat(Strict):
    """A bot; see /v1/bots."""

    bot = fields.String(required=True, validate=OneOf(BOT_NAMES, error="no such bot; there are {choices}"))


class OpenSeat(Strict):
    """For somebody to take."""

    open = StrictBool(
        required=True,
        validate=OneOf([True], error="an open seat is true; give any other a `name` or a `bot`"),
    )


class PlayerSeat(Strict):
    """The caller, by the player's token; at most once."""

    player = StrictBool(
        required=True,
        validate=OneOf([True], error="your own seat is true; give any other a `name` or a `bot`"),
    )
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})


class RemoteProgram(Strict):
    """Who it is, how long it may take for an answer, and which level answers when that is over."""

    error_messages = {  # noqa: RUF012
        "type": 'an object is expected, such as {"name": "Carlo", "seconds": 10, "fallback": "greedy"}'
    }
    name = Name(LONGEST_NAME, required=True)
    seconds = StrictInt(1, MOST_SECONDS, load_default=10, metadata={"description": "For every answer."})
    fallback = fields.String(
        load_default=DEFAULT_BOT,
        validate=OneOf(BOT_NAMES, error="no such bot; there are {choices}"),
        metadata={"description": "The level that answers when they are over, each time anew."},
    )


class RemoteSeat(Strict):
    """A program from elsewhere, which gets a token as a person does, and a deadline of its own."""

    remote = fields.Nested(RemoteProgram, required=True)
    entropy = CleanText(LONGEST_ENTROPY, least=0, metadata={"description": ENTROPY})


SEATS = {
    "name": NamedSeat,
    "bot": BotSeat,
    "open": OpenSeat,
    "player": PlayerSeat,
    "remote": RemoteSeat,
}
FORK_SEATS = {name: seat for name, seat in SEATS.items() if name != "open"}
A_SEAT = "A named seat, a bot's, a remote program's, the caller's, or one that is open for somebody to take."
