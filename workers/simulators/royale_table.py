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
from workers.simulators.royale_lanes import pay

THOUSAND = 1_000
Row = tuple[int, ...]


class Table(Struct, frozen=True):
    """`weights` by owner and casino, the seats before the imaginary ones; `notes` with the higher one first.

    `extra` is all that a seat will have at the end of the round but chips and what the casinos pay,
    `held` counts the notes in its purse. In `order` the seats have their turns; where the last of them
    `rolls`, it does so before.
    """

    weights: tuple[Row, ...]
    small: Row
    big: Row
    chips: Row
    notes: tuple[Row, ...]
    closed: Row
    extra: Row
    held: Row
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
