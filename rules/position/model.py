"""A table as a client describes it, before it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from events.types import OptionValue
from events.values import Owner


class PositionLot(Struct, frozen=True):
    """Dice of one owner; `face` where their numbers still matter."""

    owner: Owner
    small: int = 0
    big: int = 0
    face: int | None = None
    weight: int | None = None


class PositionTile(Struct, frozen=True):
    """A tile; members that `shows` leaves out are as when the tile was laid."""

    code: str
    shows: Mapping[str, Any] = {}


class PositionCasino(Struct, frozen=True):
    number: int | str
    notes: tuple[int, ...] = ()
    dice: tuple[PositionLot, ...] = ()
    closed: bool = False
    tile: PositionTile | None = None
    chip_cards: tuple[str, ...] = ()


class PositionSeat(Struct, frozen=True):
    """A seat and what it owns.

    `hand` and `glass` are cards, or any other value where they are hidden; None where they are not described.
    Hidden notes are None, and `note_count` may say how many they are.
    """

    name: str | None = None
    dice: int = 0
    big: bool = False
    neutral_dice: int = 0
    chips: int = 0
    notes: tuple[int, ...] | None = ()
    note_count: int | None = None
    seat: int | None = None
    money: int | None = None
    total: int | None = None
    chip_cards: tuple[str, ...] = ()
    hand: Any = None
    glass: tuple[Any, ...] | None = None


class PositionRoll(Struct, frozen=True):
    own: tuple[int, ...] = ()
    big: int | None = None
    neutral: tuple[int, ...] = ()
    seat: int | None = None


class PositionAsk(Struct, frozen=True):
    """The open question: by default that of an ordinary turn, to the seat that wants advice."""

    prompt: str | None = None
    seats: tuple[int, ...] | None = None
    casino: int | None = None


class Position(Struct, frozen=True):
    """A whole table, as a client describes it."""

    edition: str
    seats: tuple[PositionSeat, ...]
    casinos: tuple[PositionCasino, ...]
    options: Mapping[str, OptionValue] = {}
    round: int = 1
    starter: int | None = None
    turn: int | None = None
    roll: PositionRoll | None = None
    asks: tuple[PositionAsk, ...] = ()
    under: tuple[int, ...] = ()
    pile: int | None = None
    bank: tuple[int, ...] | None = None
    turn_number: int | None = None
    rounds: int | None = None
    winners: tuple[int, ...] | None = None

    @property
    def ask(self) -> PositionAsk:
        return self.asks[0] if self.asks else PositionAsk()

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the tiles, in the order of their casinos."""
        numbered = sorted(
            (casino.number, casino.tile.code)
            for casino in self.casinos
            if casino.tile is not None and isinstance(casino.number, int)
        )
        return tuple(code for _, code in numbered)


class PositionFault(Struct, frozen=True):
    """One thing that is wrong, and where: a JSON pointer into the described table."""

    pointer: str
    detail: str


class PositionFaults(Exception):
    """No game can look like this; `faults` says why."""

    def __init__(self, faults: list[PositionFault]) -> None:
        super().__init__(faults[0].detail)
        self.faults = faults
