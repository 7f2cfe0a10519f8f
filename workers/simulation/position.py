"""Reads a table of dice into the numbers that lanes are built from."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from events.values import BANDIT, BANDIT_STACK, CASINO, CASINO_NUMBERS, NEUTRAL, OWNER, PURSE, SUPPLY
from rules import EDITIONS, State
from rules.scoring import CHIP, money

THOUSAND = 1_000
COLOURS = ("gold", "pink", "blue", "green", "red")

Row = tuple[int, ...]


class Chips(Struct, frozen=True):
    """Holds how many chip cards of each colour lie at the casinos and with the seats.

    `white_counts` says whether neutral dice help to earn one.
    """

    lying: tuple[Row, ...]
    held: tuple[Row, ...]
    white_counts: bool


class Bandit(Struct, frozen=True):
    """Holds the dice at the bandit, by seat and face, and its notes."""

    dice: tuple[Row, ...]
    notes: Row


class DicePosition(Struct, frozen=True):
    """Holds a table as numbers.

    `weights` are by casino and owner, with the neutral dice last if there are any.

    Money and notes are in thousands of dollars.
    """

    seat: int
    weights: tuple[Row, ...]
    small: Row
    big: Row
    white: Row
    notes: tuple[Row, ...]
    cash: Row
    notes_held: Row
    rounds_left: int
    bandit: Bandit | None
    chips: Chips | None

    @property
    def players(self) -> int:
        """Return the number of seats."""
        return len(self.small)

    @property
    def owners(self) -> int:
        """Return the number of owners of dice: the seats, and the neutral dice if there are any."""
        return len(self.weights[0])


def read_position(view: State, seat: int, neutral: bool, white_counts: bool) -> DicePosition:
    """Return the table that a seat sees as numbers; `neutral` says whether neutral dice are in play."""
    seats = range(len(view.seats))
    owners = (*(OWNER[other] for other in seats), *([NEUTRAL] if neutral else []))
    return DicePosition(
        seat=seat,
        weights=tuple(
            tuple(view.dice_of(owner, CASINO[number]).weight for owner in owners) for number in CASINO_NUMBERS
        ),
        small=tuple(view.supply_of(other).small for other in seats),
        big=tuple(view.supply_of(other).big for other in seats),
        white=tuple(view.dice_of(NEUTRAL, SUPPLY[other]).small for other in seats),
        notes=tuple(_thousands(view.notes_at(number)) for number in CASINO_NUMBERS),
        cash=tuple((money(view, other) + CHIP * view.chips_of(other)) // THOUSAND for other in seats),
        notes_held=tuple(len(view.notes_of(other)) + view.chips_of(other) for other in seats),
        rounds_left=EDITIONS.of(view).rounds - view.round,
        bandit=_read_bandit(view) if BANDIT in view.notes else None,
        chips=_read_chips(view, white_counts) if view.chip_cards else None,
    )


def _thousands(notes: Row) -> Row:
    """Return the notes in thousands, the highest first."""
    return tuple(sorted((note // THOUSAND for note in notes), reverse=True))


def _read_bandit(view: State) -> Bandit:
    """Return the bandit's dice and notes."""
    seats = range(len(view.seats))
    dice = tuple(
        tuple(view.dice_of(OWNER[seat], BANDIT_STACK[number]).weight for number in CASINO_NUMBERS)
        for seat in seats
    )
    return Bandit(dice, _thousands(view.notes[BANDIT]))


def _read_chips(view: State, white_counts: bool) -> Chips:
    """Return the chip cards at the casinos and with the seats."""
    lying = tuple(_by_colour(view.chip_cards.get(CASINO[number], ())) for number in CASINO_NUMBERS)
    held = tuple(_by_colour(view.chip_cards.get(PURSE[seat], ())) for seat in range(len(view.seats)))
    return Chips(lying, held, white_counts)


def _by_colour(cards: tuple[str, ...]) -> Row:
    """Return how many cards there are of each colour."""
    found = Counter(cards)
    return tuple(found[colour] for colour in COLOURS)
