"""Every tile, by its side."""

from __future__ import annotations

from rules.tile import Tile
from rules.tiles.a1_lucky_punch import LUCKY_PUNCH
from rules.tiles.a2_jackpot import JACKPOT
from rules.tiles.b2_fifty_fifty import FIFTY_FIFTY
from rules.tiles.c1_high_five import HIGH_FIVE
from rules.tiles.d1_pay_day import PAY_DAY
from rules.tiles.d2_power_play import POWER_PLAY
from rules.tiles.e1_no_entry import NO_ENTRY
from rules.tiles.h2_my_choice import MY_CHOICE

TILES: tuple[Tile, ...] = (
    LUCKY_PUNCH,
    JACKPOT,
    FIFTY_FIFTY,
    HIGH_FIVE,
    PAY_DAY,
    POWER_PLAY,
    NO_ENTRY,
    MY_CHOICE,
)
