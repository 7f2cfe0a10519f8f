"""What tiles show of themselves: members, and dice that lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct

from events.values import Place

if TYPE_CHECKING:
    from rules.state import State


class Member(Struct, frozen=True):
    """One member of what a tile shows: `shape` is its type, `text` a sentence for people."""

    shape: Any
    text: str


class TileDice(TypedDict):
    """Dice of one owner that lie on a tile."""

    owner: str
    small: int
    big: int


def dice_shown(state: State, place: Place) -> list[TileDice]:
    return [
        {"owner": owner, "small": dice.small, "big": dice.big} for owner, dice in state.heap(place).items()
    ]
