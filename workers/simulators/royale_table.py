"""A table of Royale as lanes need it, in thousands of dollars."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from events.values import CASINO, CASINO_NUMBERS, GREY, LENT, NEUTRAL, OWNER, Owner
from rules.lookahead import pay_out_now, unfinished_payout
from rules.scoring import CHIP, totals
from rules.state import State
from workers.bots.sampled_chance import SampledChance
from workers.simulators.first_move import Leaf
from workers.simulators.round_worth import THOUSAND
from workers.simulators.royale_lanes import pay

# What it is worth to activate a tile once more, in thousands; those that are not here pay in the payout.
PRIZES = {
    "A1": 15,
    "A2": 16,
    "B2": 14,
    "D1": 25,
    "D2": 5,
    "E1": 12,
    "E2": 8,
    "F1": 10,
    "F2": 18,
    "G2": 10,
    "H1": 22,
    "H2": 25,
}
Row = tuple[int, ...]


class Table(Struct, frozen=True):
    """`weights` by owner and casino, the seats before the imaginary ones; `notes` with the higher one first.

    `extra` is all that a seat will have at the end of the round but chips and what the casinos pay,
    `held` counts the notes in its purse; `prizes` are what tiles may bring who comes to a casino.
    In `order` the seats have their turns; where the last of them `rolls`, it does so before.
    """

    weights: tuple[Row, ...]
    small: Row
    big: Row
    chips: Row
    notes: tuple[Row, ...]
    closed: Row
    extra: Row
    held: Row
    prizes: Row
    rolls: int
    order: Row


def read_table(leaf: Leaf, seat: int) -> Table:
    """What tiles would pay now counts as paid, whatever becomes of them."""
    state, seats = leaf.state, range(len(leaf.state.seats))
    is_over = bool(unfinished_payout(state))
    weights = tuple(_weights(state, owners) for owners in _owners(len(seats)))
    notes = tuple(_two_notes(() if is_over else state.notes_at(number)) for number in CASINO_NUMBERS)
    return Table(
        weights=weights,
        small=tuple(0 if is_over else state.supply_of(other).small for other in seats),
        big=tuple(0 if is_over else state.supply_of(other).big for other in seats),
        chips=tuple(state.chips_of(other) for other in seats),
        notes=notes,
        closed=tuple(int(number in state.closed) for number in CASINO_NUMBERS),
        extra=_extra(leaf, seat, weights, notes),
        held=tuple(len(state.notes_of(other)) for other in seats),
        prizes=tuple(PRIZES.get(code, 0) for code in (*state.tiles, *[""] * 6)[:6]),
        rolls=int(_rolls(state)),
        order=state.order,
    )


def _owners(players: int) -> tuple[tuple[Owner, ...], ...]:
    """Whose dice count together."""
    return (*((OWNER[seat], LENT[seat]) for seat in range(players)), (NEUTRAL,), (GREY,))


def _weights(state: State, owners: tuple[Owner, ...]) -> Row:
    return tuple(
        sum(state.dice_of(owner, CASINO[number]).weight for owner in owners) for number in CASINO_NUMBERS
    )


def _two_notes(notes: Row) -> Row:
    return (*sorted((note // THOUSAND for note in notes), reverse=True), 0, 0)[:2]


def _extra(leaf: Leaf, seat: int, weights: tuple[Row, ...], notes: tuple[Row, ...]) -> Row:
    """What lies in the purses and what tiles would pay now; for the seat also what it may expect of a bet."""
    state = leaf.state
    paid = pay(np.array([weights], np.int32), np.array([notes], np.int32), len(state.seats))[0].sum(axis=1)
    after = totals(pay_out_now(state, SampledChance(0)))
    extra = [
        (sum_ - CHIP * state.chips_of(other)) // THOUSAND - int(paid[other])
        for other, sum_ in enumerate(after)
    ]
    extra[seat] += round(leaf.dollars / THOUSAND)
    return tuple(extra)


def _rolls(state: State) -> bool:
    """Whether the move ended with a roll of the seat's own, which is as good as any other roll."""
    return state.roll is not None and state.ask is not None and state.ask.prompt == "turn.place"
