"""A table as somebody describes it, perhaps one of wood: what is not said is nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from events.types import OptionValue
from events.values import Owner


class TypedLot(Struct, frozen=True):
    """Dice of one owner; `face` where their numbers still matter."""

    owner: Owner
    small: int = 0
    big: int = 0
    face: int | None = None


class TypedCasino(Struct, frozen=True):
    number: int | str
    notes: tuple[int, ...] = ()
    dice: tuple[TypedLot, ...] = ()
    closed: bool = False
    tile: Mapping[str, Any] | None = None
    chip_cards: tuple[str, ...] = ()


class TypedSeat(Struct, frozen=True):
    """`hand` and `glass` are cards, or anything where they are hidden."""

    dice: int = 0
    big: bool = False
    neutral_dice: int = 0
    chips: int = 0
    notes: tuple[int, ...] = ()
    chip_cards: tuple[str, ...] = ()
    hand: Any = ()
    glass: tuple[Any, ...] = ()


class TypedRoll(Struct, frozen=True):
    own: tuple[int, ...] = ()
    big: int | None = None
    neutral: tuple[int, ...] = ()


class TypedTable(Struct, frozen=True):
    edition: str
    seats: tuple[TypedSeat, ...]
    casinos: tuple[TypedCasino, ...]
    options: Mapping[str, OptionValue] = {}
    round: int = 1
    starter: int | None = None
    roll: TypedRoll | None = None
    under: tuple[int, ...] = ()
    pile: int | None = None
    bank: tuple[int, ...] | None = None
    turn_number: int = 1


class TableFault(Struct, frozen=True):
    """What is wrong, and where: a JSON pointer into the table."""

    pointer: str
    detail: str


class BadTable(Exception):
    """No game can look like this, or none that can be told by a table."""

    def __init__(self, faults: list[TableFault]) -> None:
        super().__init__(faults[0].detail)
        self.faults = faults
