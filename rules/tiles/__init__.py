"""Every tile, by its side."""

from __future__ import annotations

from rules.tile import Tile
from rules.tiles.a2_jackpot import JACKPOT
from rules.tiles.c1_high_five import HIGH_FIVE
from rules.tiles.d1_pay_day import PAY_DAY
from rules.tiles.e1_no_entry import NO_ENTRY

TILES: tuple[Tile, ...] = (
    JACKPOT,
    HIGH_FIVE,
    PAY_DAY,
    NO_ENTRY,
)
