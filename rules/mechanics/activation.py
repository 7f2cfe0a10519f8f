"""A casino's tile acts after dice were placed there."""

from __future__ import annotations

from events.agenda import Step, require
from events.values import Dice
from rules.table import Table


def activate(table: Table, step: Step) -> None:
    seat = require(step.seat)
    number = require(step.number)
    tile = table.ruleset.tiles[table.state.tiles[number - 1]]
    if tile.activated is not None and tile.acts(table.state, seat, number):
        small, big = map(int, step.data)
        tile.activated(table, seat, number, Dice(small, big))


STEPS = {"tile": activate}
