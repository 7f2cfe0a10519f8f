"""BAD LUCK: who has the fewest dice here pays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.types import CounterMoved
from events.values import CASINO, OWNER
from rules.extension import Member
from rules.mechanics.bank import collect
from rules.mechanics.ranking import weights
from rules.restore import InvalidPosition, check_seat, is_paying, with_counter
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "C2"
FINE = 50_000


def fewest_dice(state: State, number: int) -> tuple[int, ...]:
    """Real players with the lowest number of dice, none at all included (T-C2)."""
    weighed = weights(state.heap(CASINO[number]))
    own = [weighed.get(OWNER[seat], 0) for seat in range(len(state.seats))]
    return tuple(seat for seat, weight in enumerate(own) if weight == min(own))


def _mark(seat: int) -> str:
    return f"{CODE}-{seat}"


def record_counts(table: Table, number: int) -> None:
    """Record who has to pay before ties leave: later dice do not change it (D8)."""
    for seat in fewest_dice(table.state, number):
        table.record(CounterMoved(_mark(seat), 1))


def debtors(state: State) -> tuple[int, ...]:
    """Who has to pay when all casinos are paid, the starter first (T12)."""
    return tuple(seat for seat in state.clockwise(state.starter) if state.counters.get(_mark(seat)))


def after_payout(table: Table, number: int) -> None:
    for seat in debtors(table.state):
        collect(table, seat, FINE)


def shows(state: State) -> dict[str, object]:
    """During the payout the recorded seats count: their dice may have left."""
    fewest = debtors(state) or fewest_dice(state, state.tiles.index(CODE) + 1)
    return {"fewest": sorted(fewest)}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    """Before the payout the dice say who has to pay."""
    if not is_paying(state):
        return state
    if "fewest" not in shown:
        raise InvalidPosition("fewest", "in the payout it is needed who has to pay: dice may have left")
    for seat in shown["fewest"]:
        check_seat(state, "fewest", seat)
        state = with_counter(state, _mark(seat), 1)
    return state


BAD_LUCK = Tile(
    code=CODE,
    name="Bad Luck",
    gist="Fewest dice here: pay $50k",
    text="When the round ends, the player with the fewest dice here, or with none, pays $50,000 to the bank, "
    "or everything if that is less. Where several are level all of them pay, and tied dice still count.",
    other="C1",
    record_counts=record_counts,
    after_payout=after_payout,
    shows=shows,
    restore=restore,
    members={
        "fewest": Member(
            list[int],
            "The seats that would have to pay, or in the payout have to.",
            brief="fewest dice: seats {value}",
        )
    },
    debtors=debtors,
)
