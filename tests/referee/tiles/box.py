"""All sixteen sides of the eight tiles."""

from __future__ import annotations

from collections.abc import Mapping

from tests.referee.tiles.doors import Knockout, NoEntry
from tests.referee.tiles.endings import BadLuck, BlackBox, PrimeTime
from tests.referee.tiles.gambles import FiftyFifty, Jackpot, LuckyPunch
from tests.referee.tiles.grey import BlockIt, Handicap
from tests.referee.tiles.my_choice import MyChoice
from tests.referee.tiles.spaces import DoubleDown, NiceDice
from tests.referee.tiles.tile import Tile
from tests.referee.tiles.tokens import HighFive, PayDay, PowerPlay

TILES: Mapping[str, type[Tile]] = {
    "A1": LuckyPunch,
    "A2": Jackpot,
    "B1": PrimeTime,
    "B2": FiftyFifty,
    "C1": HighFive,
    "C2": BadLuck,
    "D1": PayDay,
    "D2": PowerPlay,
    "E1": NoEntry,
    "E2": Knockout,
    "F1": BlockIt,
    "F2": Handicap,
    "G1": BlackBox,
    "G2": DoubleDown,
    "H1": NiceDice,
    "H2": MyChoice,
}
