"""Schemas of requests about remote bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from marshmallow import ValidationError, fields, validates_schema

from events.text import Text
from service.catalog.bots import BOT_NAMES, DEFAULT_BOT
from service.games.schemas import MOST_SECONDS
from service.http.fields import CleanText, NumberText, OneOf, OwnName, Pattern, Strict, StrictInt
from service.players.places import PLAYER_ID
from service.remote_bots.remote_bots import EVERYONE, OpenTo
from service.text import LONGEST_NAME

LONGEST_BUILD = 40
MOST_GAMES = 1_000
MOST_LISTED = 50
_BUILD = {
    "description": "Which version of the program plays, in your own words. "
    "Change it when the program plays differently.",
    "example": "1.4.0",
}
_SECONDS = {"description": "The time for every answer. Then `fallback` answers this once.", "example": 10}
_FALLBACK = {
    "description": "The bot of the service that answers when the time is over.",
    "example": "greedy",
}
_OPEN_TO = {
    "description": "Who may seat the bot in new games: `everyone`, or only its `owner`.",
    "example": "everyone",
}
_MOST_GAMES = {
    "description": "In so many games that are not over the bot plays at most. Further ones get `bot_busy`.",
    "example": 20,
}


def _build(**given: Any) -> CleanText:
    return CleanText(LONGEST_BUILD, metadata=_BUILD, **given)


def _seconds(**given: Any) -> StrictInt:
    return StrictInt(1, MOST_SECONDS, metadata=_SECONDS, **given)


def _fallback(**given: Any) -> fields.String:
    return fields.String(validate=OneOf(BOT_NAMES), metadata=_FALLBACK, **given)


def _open_to(**given: Any) -> fields.String:
    return fields.String(validate=OneOf(get_args(OpenTo)), metadata=_OPEN_TO, **given)


def _most_games(**given: Any) -> StrictInt:
    return StrictInt(1, MOST_GAMES, metadata=_MOST_GAMES, **given)


class NewRemoteBot(Strict):
    name = OwnName(LONGEST_NAME, required=True)
    build = _build(required=True)
    seconds = _seconds(load_default=10)
    fallback = _fallback(load_default=DEFAULT_BOT)
    open_to = _open_to(load_default=EVERYONE)
    most_games = _most_games(load_default=20)


class RemoteBotChange(Strict):
    build = _build()
    seconds = _seconds()
    fallback = _fallback()
    open_to = _open_to()
    most_games = _most_games()

    @validates_schema(pass_original=True)
    def _check_any(self, data: Any, original: Mapping[str, Any], **given: Any) -> None:
        if not original:
            raise ValidationError("must have at least one member")


class RemoteBotsQuery(Strict):
    cursor = fields.String(
        validate=Pattern(f"^{PLAYER_ID.pattern}$", lambda text: Text("must be the `cursor` of a page")),
        metadata={"description": "From `cursor` of the page before."},
    )
    limit = NumberText(1, MOST_LISTED, load_default=20, metadata={"description": "At most so many bots."})
