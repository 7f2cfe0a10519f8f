"""What tiles show of themselves: members, dice that lie there, what an open question came with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from msgspec import Struct

from events.values import Place, seat_of

if TYPE_CHECKING:
    from rules.state import State

Size = Literal["small", "big"]


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


def lone_die(state: State, place: Place) -> tuple[int | None, Size | None]:
    """Whose die lies on a space for a single one, and which; nobody's and none when it is empty."""
    for owner, dice in state.heap(place).items():
        return seat_of(owner), "big" if dice.big else "small"
    return None, None


def asked_with(state: State, prompt: str) -> list[int] | None:
    """The numbers that an open question of this kind came with; None while there is no such question."""
    ask = state.ask
    return None if ask is None or ask.prompt != prompt else [int(number) for number in ask.data]
