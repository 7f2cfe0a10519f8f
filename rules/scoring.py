"""Money and points of a seat, and who comes first."""

from __future__ import annotations

from collections import Counter

from events.values import PURSE
from rules.state import State

CHIP = 10_000
CHIP_CARD_SETS = (0, 10_000, 30_000, 60_000, 100_000, 150_000)


def money(state: State, seat: int) -> int:
    return sum(state.notes_of(seat))


def total(state: State, seat: int) -> int:
    """Notes, chips at $10,000 each, and chip cards by colour (C7)."""
    return money(state, seat) + CHIP * state.chips_of(seat) + chip_card_money(state, seat)


def chip_card_money(state: State, seat: int) -> int:
    cards = state.chip_cards.get(PURSE[seat])
    return sum(CHIP_CARD_SETS[count] for count in Counter(cards).values()) if cards else 0


def totals(state: State) -> tuple[int, ...]:
    return tuple(total(state, seat) for seat in range(len(state.seats)))


def score(state: State, seat: int) -> tuple[int, int]:
    """Most money, then most notes and chips (P6)."""
    return total(state, seat), len(state.notes_of(seat)) + state.chips_of(seat)


def places(state: State) -> tuple[int, ...]:
    """The place of each seat, from 1 on; seats with the same score share one."""
    scores = [score(state, seat) for seat in range(len(state.seats))]
    return tuple(1 + sum(other > own for other in scores) for own in scores)


def winners(state: State) -> tuple[int, ...]:
    return tuple(seat for seat, place in enumerate(places(state)) if place == 1)
