"""What can be played, and with what options."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct

from rules.editions import EDITIONS
from rules.ruleset import Ruleset
from rules.tile import Tile
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.option_schemas import options_schema
from service.api.replies import Reply
from service.play.bot_levels import BOT_LEVELS


class Seats(Struct, frozen=True):
    min: int
    max: int


class TileText(Struct, frozen=True):
    """`shows` says of each member that the tile has in a table's `shows` what it means."""

    code: str
    name: str
    text: str
    shows: dict[str, str]


class Edition(Struct, frozen=True):
    """`options` is a JSON Schema, good to build a form from; its `$comment` explains the `x-` marks."""

    id: str
    title: str
    text: str
    seats: Seats
    rounds: int
    casinos: tuple[str, ...]
    bandit: Annotated[str | None, Meta(description="The name of the casino that the option `bandit` adds.")]
    options: dict[str, Any]
    tiles: tuple[TileText, ...]
    bots: tuple[str, ...]


class Editions(Struct, frozen=True):
    editions: tuple[Edition, ...]


@operation("GET /v1/editions", "What can be played, and with what options", Editions, access=ANYBODY)
def list_editions(call: Call[None]) -> Reply:
    return Reply(_editions())


@cache
def _editions() -> Editions:
    return Editions(tuple(map(describe_edition, EDITIONS.newest.values())))


def describe_edition(ruleset: Ruleset) -> Edition:
    return Edition(
        id=ruleset.id,
        title=ruleset.title,
        text=ruleset.text,
        seats=Seats(*ruleset.seats),
        rounds=ruleset.rounds,
        casinos=ruleset.casinos,
        bandit=ruleset.bandit,
        options=options_schema(ruleset),
        tiles=tuple(map(_describe_tile, ruleset.tiles.values())),
        bots=tuple(level.name for level in BOT_LEVELS),
    )


def _describe_tile(tile: Tile) -> TileText:
    shows = {name: member.text for name, member in tile.members.items()}
    return TileText(tile.code, tile.name, tile.text, shows)
