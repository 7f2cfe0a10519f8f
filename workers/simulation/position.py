"""A table of dice in the form that lanes need."""

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
    """How many of each colour lie at the casinos and with the seats."""

    lying: tuple[Row, ...]
    held: tuple[Row, ...]
    white_counts: bool


class Bandit(Struct, frozen=True):
    """Per seat its dice by face, and the notes."""

    dice: tuple[Row, ...]
    notes: Row


class DicePosition(Struct, frozen=True):
    """`weights` by casino and owner, the neutral one last if there is one."""

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
        return len(self.small)

    @property
    def owners(self) -> int:
        return len(self.weights[0])


def read_position(view: State, seat: int, neutral: bool, white_counts: bool) -> DicePosition:
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
    return tuple(sorted((note // THOUSAND for note in notes), reverse=True))


def _read_bandit(view: State) -> Bandit:
    seats = range(len(view.seats))
    dice = tuple(
        tuple(view.dice_of(OWNER[seat], BANDIT_STACK[number]).weight for number in CASINO_NUMBERS)
        for seat in seats
    )
    return Bandit(dice, _thousands(view.notes[BANDIT]))


def _read_chips(view: State, white_counts: bool) -> Chips:
    lying = tuple(_by_colour(view.chip_cards.get(CASINO[number], ())) for number in CASINO_NUMBERS)
    held = tuple(_by_colour(view.chip_cards.get(PURSE[seat], ())) for seat in range(len(view.seats)))
    return Chips(lying, held, white_counts)


def _by_colour(cards: tuple[str, ...]) -> Row:
    found = Counter(cards)
    return tuple(found[colour] for colour in COLOURS)
