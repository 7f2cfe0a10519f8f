"""What tables and lists are asked for, in the query string."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, get_args

from marshmallow import ValidationError, fields, validates_schema

from events.values import MOST_SEATS
from rules.editions import EDITIONS
from rules.state import Status
from service.api.fields import Name, NumberText, Pattern, Word
from service.api.plain_words import OneOf
from service.api.routes import GAME_ID
from service.api.schemas import LONGEST_WAIT, MOST_GAMES
from service.api.strict import Strict
from service.lobby.wishes import Order
from service.players.credentials import PLAYER_ID
from service.texts import LONGEST_KEPT_NAME
from service.timestamps import stamp

AT_LEAST = "Only once the game has come so far: what one has written oneself is read so for certain."
MOST_EXPORTED = 1_000
A_NAME = (
    "Games where somebody who is called so has a seat, in capitals or not. Players are not among them, "
    "for no list holds their names: they are found by `player`."
)
A_PLAYER = "the id of a player is expected, p_ and 22 letters, digits, _ or -"
WAIT = "Seconds to wait until the game has reached `min_version`."


class MomentText(fields.String):
    """A date and time of RFC 3339, with its zone; read as the service writes moments."""

    def __init__(self, text: str) -> None:
        super().__init__(metadata={"description": text, "format": "date-time"})

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> str:
        try:
            # A plus that was not escaped arrives as a space.
            moment = datetime.fromisoformat(value.upper().replace(" ", "+"))
            return stamp(moment.astimezone(UTC)) if moment.tzinfo else self._refuse()
        except (ValueError, OverflowError):
            return self._refuse()

    def _refuse(self) -> str:
        raise ValidationError("a moment is expected, such as 2026-11-15T12:00:00Z")


class WaitingQuery(Strict):
    min_version = NumberText(1, metadata={"description": AT_LEAST})
    wait = NumberText(0, LONGEST_WAIT, load_default=0, metadata={"description": WAIT})

    @validates_schema
    def _check_wait(self, data: Mapping[str, Any], **given: Any) -> None:
        if data.get("wait") and "min_version" not in data:
            raise ValidationError("it says how long to wait for `min_version`, which is missing", "wait")


class TableQuery(WaitingQuery):
    at = NumberText(1, metadata={"description": "The table as it was at this version."})


class ExportsQuery(Strict):
    edition = fields.String(
        validate=OneOf([*EDITIONS.newest]),
        metadata={"description": "Games of this edition; see /v1/editions."},
    )
    finished_after = MomentText("Games that ended later than this.")
    cursor = Word(200, metadata={"description": "From the last line of that kind that was read."})
    limit = NumberText(
        1,
        MOST_EXPORTED,
        load_default=100,
        metadata={"description": "After so many games it ends, sent or left out."},
    )


class ListQuery(WaitingQuery):
    """Of a list of games, page by page."""

    game = fields.String(
        validate=Pattern(f"^{GAME_ID.pattern}$", lambda text: "the id of a game is expected"),
        metadata={"description": "The game whose `min_version` the list has to know."},
    )
    cursor = Word(200, metadata={"description": "From `next` of the page before."})
    limit = NumberText(1, MOST_GAMES, load_default=20, metadata={"description": "At most so many games."})

    @validates_schema
    def _check_game(self, data: Mapping[str, Any], **given: Any) -> None:
        if ("min_version" in data) != ("game" in data):
            raise ValidationError("a list takes `game` and `min_version` together", "min_version")


class GamesQuery(ListQuery):
    status = fields.String(
        validate=OneOf(get_args(Status)),
        metadata={"description": "Games that stand so."},
    )
    edition = fields.String(
        validate=OneOf([*EDITIONS.newest]),
        metadata={"description": "Games of this edition; see /v1/editions."},
    )
    name = Name(LONGEST_KEPT_NAME, A_NAME)
    player = fields.String(
        validate=Pattern(f"^{PLAYER_ID.pattern}$", lambda text: A_PLAYER),
        metadata={"description": "Games where this player has a seat, by id."},
    )
    open_seats = NumberText(1, MOST_SEATS, metadata={"description": "Games with so many open seats or more."})
    updated_after = MomentText("Games where something happened later than this.")
    finished_after = MomentText("Games that ended later than this.")
    order = fields.String(
        validate=OneOf(get_args(Order)),
        metadata={
            "description": "Newest first by creation, or by the last change; the latter where "
            "`updated_after` or `finished_after` is asked for and nothing is said."
        },
    )
