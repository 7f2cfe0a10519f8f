"""Dice that lie on a tile, as the table shows them."""

from __future__ import annotations

from events.values import Place
from rules.state import State


def dice_shown(state: State, place: Place) -> list[dict[str, object]]:
    return [
        {"owner": owner, "small": dice.small, "big": dice.big} for owner, dice in state.heap(place).items()
    ]
