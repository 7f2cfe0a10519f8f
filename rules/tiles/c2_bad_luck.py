"""BAD LUCK: who has the fewest dice here pays."""

from __future__ import annotations

from events.types import CounterMoved
from events.values import CASINO, OWNER
from rules.bank import collect
from rules.ranking import weights
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "C2"
FINE = 50_000


def debtors(state: State, number: int) -> tuple[int, ...]:
    """Real players with the lowest number of dice, none at all included (T-C2)."""
    weighed = weights(state.heap(CASINO[number]))
    own = [weighed.get(OWNER[seat], 0) for seat in range(len(state.seats))]
    return tuple(seat for seat, weight in enumerate(own) if weight == min(own))


def note_down(seat: int) -> str:
    return f"{CODE}-{seat}"


def before_ties(table: Table, number: int) -> None:
    """The count stands before tied dice leave (D8)."""
    for seat in debtors(table.state, number):
        table.record(CounterMoved(note_down(seat), 1))


def after_payout(table: Table, number: int) -> None:
    players, first = len(table.state.seats), table.state.starter or 0
    for seat in (turn % players for turn in range(first, first + players)):
        if table.state.counters.get(note_down(seat)):
            collect(table, seat, FINE)


def shows(state: State) -> dict[str, object]:
    return {"fewest": list(debtors(state, state.tiles.index(CODE) + 1))}


BAD_LUCK = Tile(
    code=CODE,
    name="BAD LUCK",
    text="Whoever has the fewest dice here when the round ends, ties counted, pays $50,000 to the bank, "
    "or everything if it is less.",
    other="C1",
    before_ties=before_ties,
    after_payout=after_payout,
    shows=shows,
)
