"""PAY DAY: $10,000 for each casino with a die of one's own."""

from __future__ import annotations

from events.values import CASINO_NUMBERS, Dice
from rules.mechanics.bank import pay
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "D1"
EACH = 10_000


def casinos(state: State, seat: int) -> int:
    """The casinos where the seat has a die; closed ones count, too (T-D1)."""
    return sum(1 for number in CASINO_NUMBERS if state.own_dice(seat, number).count)


def acts(state: State, seat: int, number: int) -> bool:
    return casinos(state, seat) > 0


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    pay(table, seat, casinos(table.state, seat) * EACH)


PAY_DAY = Tile(
    code=CODE,
    name="Pay Day",
    gist="$10k per casino you are in",
    text="Pays $10,000 for every casino, open or closed, that holds at least one of your dice. "
    "One or two casinos pay it in chips, more of them in notes.",
    other="D2",
    activated=activated,
    acts=acts,
)
