"""Laying out tiles: double-sided, one a casino from casino 1 up (T0)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from events.types import TilesLaid
from rules.chance import Below
from rules.ruleset import Options, OptionSpec, Ruleset, SetUp
from rules.table import Table
from rules.tile import Tile

Sides = tuple[str, ...]
MOST_TILES = 6

TILES = OptionSpec(
    "tiles",
    "number",
    "Tiles a round, from casino 1 up; 0 is the basic game. Left at 3, it is as many as are named.",
    default=3,
    most=MOST_TILES,
    rule="T0",
)
FRESH_TILES = OptionSpec(
    "fresh_tiles", "flag", "Prefer tiles and sides not seen in this game.", default=False, rule="T1"
)
TILE_CODES = OptionSpec(
    "tile_codes",
    "codes",
    "Exactly these tiles for casinos 1, 2, … in every round; `tiles` is then their number.",
    default=(),
    most=MOST_TILES,
    rule="T2",
    counted_as=TILES.name,
)


def options(tiles: Mapping[str, Tile]) -> tuple[OptionSpec, ...]:
    named = replace(TILE_CODES, codes=tuple(tiles), either=tuple(both_sides(tiles)))
    return TILES, FRESH_TILES, named


def tile_count(options: Options) -> int:
    count = TILES.value_in(options)
    return count if isinstance(count, int) else 0


def take_out(ruleset: Ruleset, options: Options) -> tuple[str, ...]:
    """The codes of all tiles that exist when the game begins; tiles of later versions never join it."""
    return tuple(ruleset.tiles) if tile_count(options) else ()


def lay_tiles(box: Sequence[str] = ()) -> SetUp:
    """Make the step that lays tiles out; games of old logs, which do not record the box, draw from `box`."""

    def lay(table: Table) -> None:
        codes = TILE_CODES.value_in(table.state.options)
        if isinstance(codes, tuple) and codes:
            table.record(TilesLaid(codes))
        elif tile_count(table.state.options):
            _draw(table, table.state.tile_box or box)
        for casino, tile in table.tiles():
            if tile.setup is not None:
                tile.setup(table, casino)

    return lay


def _draw(table: Table, box: Sequence[str]) -> None:
    number, below = table.pick()
    options = table.state.options
    known = table.ruleset.tiles
    used = table.state.tiles_used if FRESH_TILES.value_in(options) else ()
    laid = _pick({code: known[code] for code in box}, tile_count(options), used, below)
    table.record(TilesLaid(laid, number))


def _pick(tiles: Mapping[str, Tile], count: int, used: Sequence[str], below: Below) -> tuple[str, ...]:
    left = both_sides(tiles)
    laid = list[str]()
    while left and len(laid) < count:
        freshest = _freshest(left, used)
        sides = freshest[below(len(freshest))]
        laid.append(sides[below(len(sides))])
        left = [tile for tile in left if laid[-1] not in tile]
    return tuple(laid)


def both_sides(tiles: Mapping[str, Tile]) -> list[Sides]:
    """The codes on the two sides of each tile."""
    found = {min(tile.code, tile.other): (tile.code, tile.other) for tile in tiles.values()}
    return [tuple(sorted(code for code in sides if code in tiles)) for sides in found.values()]


def _freshest(left: list[Sides], used: Sequence[str]) -> list[Sides]:
    """Tiles not seen yet, else unseen sides, else all of them (T1)."""
    unseen = [sides for sides in left if not set(sides) & set(used)]
    turned = [tuple(code for code in sides if code not in used) for sides in left]
    return unseen or [sides for sides in turned if sides] or left
