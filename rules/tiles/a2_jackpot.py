"""JACKPOT: two black dice; a seven or a double wins what has built up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.text import Text
from events.types import CounterMoved
from events.values import Dice
from rules.extension import Member
from rules.mechanics.bank import pay
from rules.restore import InvalidPosition, with_counter
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "A2"
SPACES = (30_000, 40_000, 50_000, 60_000, 70_000, 80_000)


def setup(table: Table, number: int) -> None:
    table.record(CounterMoved(CODE, 0))


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    space = table.state.counters[CODE]
    first, second = table.roll_black()
    if first == second or first + second == 7:
        pay(table, seat, SPACES[space])
        table.record(CounterMoved(CODE, 0))
    elif space + 1 < len(SPACES):
        table.record(CounterMoved(CODE, space + 1))


def shows(state: State) -> dict[str, object]:
    return {"jackpot": SPACES[state.counters[CODE]]}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    jackpot = shown.get("jackpot", SPACES[0])
    if jackpot not in SPACES:
        raise InvalidPosition(
            "jackpot",
            Text("it is from {least} to {most}, in steps of 10000", least=SPACES[0], most=SPACES[-1]),
        )
    return with_counter(state, CODE, SPACES.index(jackpot))


JACKPOT = Tile(
    code=CODE,
    name="Jackpot",
    gist="Seven or a double wins it",
    text="Two black dice are thrown: a seven or a double wins the jackpot. "
    "Anything else raises it by $10,000, up to $80,000.",
    other="A1",
    setup=setup,
    activated=activated,
    shows=shows,
    restore=restore,
    members={
        "jackpot": Member(int, "What a seven or a double wins now, in dollars.", brief="jackpot ${value}")
    },
    track=SPACES,
)
