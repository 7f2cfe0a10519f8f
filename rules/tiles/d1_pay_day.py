"""PAY DAY: $10,000 for each casino with a die of one's own."""

from __future__ import annotations

from events.values import CASINO_NUMBERS, Dice
from rules.bank import pay
from rules.table import Table
from rules.tile import Tile

CODE = "D1"
EACH = 10_000


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    """Closed casinos count like the rest (T-D1)."""
    state = table.state
    casinos = sum(1 for casino in CASINO_NUMBERS if state.own_dice(seat, casino).count)
    if casinos:
        pay(table, seat, casinos * EACH)


PAY_DAY = Tile(
    code=CODE,
    name="PAY DAY",
    text="Pays $10,000 for every casino that holds at least one of your dice.",
    other="D2",
    activated=activated,
)
