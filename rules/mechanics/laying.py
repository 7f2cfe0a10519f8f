"""Laying out tiles: double-sided, one a casino from casino 1 up (T0)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from events.types import TilesLaid
from rules.chance import Below
from rules.ruleset import Options
from rules.table import Table
from rules.tile import Tile

Sides = tuple[str, ...]


def tile_count(options: Options) -> int:
    count = options.get("tiles")
    return count if isinstance(count, int) else 0


def lay_tiles(table: Table) -> None:
    options = table.state.options
    codes, count = options.get("tile_codes"), tile_count(options)
    if isinstance(codes, tuple) and codes:
        table.record(TilesLaid(codes))
    elif count:
        number, below = table.pick()
        used = table.state.tiles_used if options.get("fresh_tiles") else ()
        table.record(TilesLaid(_drawn(table.ruleset.tiles, count, used, below), number))
    for casino, tile in table.tiles():
        if tile.setup is not None:
            tile.setup(table, casino)


def _drawn(tiles: Mapping[str, Tile], count: int, used: Sequence[str], below: Below) -> tuple[str, ...]:
    left, laid = both_sides(tiles), list[str]()
    while left and len(laid) < count:
        freshest = _freshest(left, used)
        sides = freshest[below(len(freshest))]
        laid.append(sides[below(len(sides))])
        left = [tile for tile in left if laid[-1] not in tile]
    return tuple(laid)


def both_sides(tiles: Mapping[str, Tile]) -> list[Sides]:
    """The tiles as things: the codes on the two sides of each."""
    found = {min(tile.code, tile.other): (tile.code, tile.other) for tile in tiles.values()}
    return [tuple(sorted(code for code in sides if code in tiles)) for sides in found.values()]


def _freshest(left: list[Sides], used: Sequence[str]) -> list[Sides]:
    """Tiles not seen yet, else unseen sides, else all of them (T1)."""
    unseen = [sides for sides in left if not set(sides) & set(used)]
    turned = [tuple(code for code in sides if code not in used) for sides in left]
    return unseen or [sides for sides in turned if sides] or left
