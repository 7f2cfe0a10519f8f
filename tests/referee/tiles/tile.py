"""What a tile may have to say; most say little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.referee.tiles.log import Script
from tests.referee.tiles.table import Table, place_of

# Sets off the tile beside a casino, for a seat and the dice it has placed there just now.
Placed = Counter[str]
Activate = Callable[[int, int, Placed], Script[None]]


@dataclass
class Tile:
    table: Table
    number: int
    neighbours: Sequence[int]
    activate: Activate

    @property
    def place(self) -> str:
        return place_of(self.number)

    def weight(self, seat: int) -> int:
        return self.table.weights(self.place).get(f"seat-{seat}", 0)

    def laid(self) -> Script[None]:
        yield from ()

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        yield from ()

    def dice_moved(self) -> Script[None]:
        """Dice have moved somewhere."""
        yield from ()

    def turn(self, seat: int) -> Script[bool]:
        """Whether the seat takes its turn without a roll."""
        yield from ()
        return False

    def before_payout(self) -> Script[None]:
        yield from ()

    def count(self) -> Script[None]:
        yield from ()

    def paid(self, ranked: Sequence[str]) -> Script[None]:
        """Its casino has just paid; who was ranked there, best first."""
        yield from ()

    def after_payout(self) -> Script[None]:
        yield from ()


def seat_in(owner: str) -> int | None:
    """None for imaginary players."""
    kind, _, number = owner.partition("-")
    return int(number) if kind == "seat" else None
