"""A start token that moves to the winners of the casinos as they are paid."""

from __future__ import annotations

from events.tile_types import TokenMoved
from events.values import SUPPLY, Owner, seat_of
from rules.state import State
from rules.table import Table

START = "start"


def move_to_winner(table: Table, number: int, order: tuple[Owner, ...]) -> None:
    """Casinos pay from 1 to 6, so the last real winner of a higher card stays (P4)."""
    seat = seat_of(order[0]) if order else None
    if seat is not None:
        table.record(TokenMoved(START, SUPPLY[seat]))


def holder(state: State) -> int:
    place = state.tokens.get(START)
    return state.starter if place is None else SUPPLY.index(place)
