"""Every tile, by its side."""

from __future__ import annotations

from rules.tile import Tile
from rules.tiles.a1_lucky_punch import LUCKY_PUNCH
from rules.tiles.a2_jackpot import JACKPOT
from rules.tiles.b1_prime_time import PRIME_TIME
from rules.tiles.b2_fifty_fifty import FIFTY_FIFTY
from rules.tiles.c1_high_five import HIGH_FIVE
from rules.tiles.c2_bad_luck import BAD_LUCK
from rules.tiles.d1_pay_day import PAY_DAY
from rules.tiles.d2_power_play import POWER_PLAY
from rules.tiles.e1_no_entry import NO_ENTRY
from rules.tiles.e2_knockout import KNOCKOUT
from rules.tiles.f1_block_it import BLOCK_IT
from rules.tiles.f2_handicap import HANDICAP
from rules.tiles.g1_black_box import BLACK_BOX
from rules.tiles.g2_double_down import DOUBLE_DOWN
from rules.tiles.h1_nice_dice import NICE_DICE
from rules.tiles.h2_my_choice import MY_CHOICE

TILES: tuple[Tile, ...] = (
    LUCKY_PUNCH,
    JACKPOT,
    PRIME_TIME,
    FIFTY_FIFTY,
    HIGH_FIVE,
    BAD_LUCK,
    PAY_DAY,
    POWER_PLAY,
    NO_ENTRY,
    KNOCKOUT,
    BLOCK_IT,
    HANDICAP,
    BLACK_BOX,
    DOUBLE_DOWN,
    NICE_DICE,
    MY_CHOICE,
)
