"""What an agent sees of a table, in numbers, and its options, in numbers: one form for all editions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy
from numpy.typing import NDArray

from events.values import CASINO_NUMBERS, GREY, MOST_SEATS, NEUTRAL, OWNER
from rules.state import State
from service.play.table_types import CasinoShown, SeatShown
from service.play.tables import render_table

MOST_NOTES = 8
NOTE = 10_000
FACES = range(1, 7)
CARDS = tuple(f"{face}{kind}" for face in FACES for kind in ("", "d"))
# Common choices have a number of their own; whatever else is asked comes behind them in its order.
WORDS = (*(f"place-{face}" for face in FACES), *(f"bandit-{face}" for face in FACES), "pass")
ACTIONS = len(WORDS) + 64
CASINOS = len(CASINO_NUMBERS) + 1
OWNERS = (*OWNER, NEUTRAL, GREY)


def number_options(options: Sequence[str]) -> dict[int, str]:
    """The options by their numbers."""
    numbered = {WORDS.index(option): option for option in options if option in WORDS}
    others = [option for option in options if option not in WORDS]
    return numbered | dict(enumerate(others[: ACTIONS - len(WORDS)], len(WORDS)))


def observe(seen: State, seat: int) -> NDArray[numpy.float32]:
    """The own seat first, the others in the order of play; money in tens of thousands."""
    table, players = render_table(seen, seat, 0), len(seen.seats)
    order = [(seat + place) % players for place in range(players)]
    numbers = [table.round / table.rounds, float(players), float(seen.turn == seat)]
    for place in range(MOST_SEATS):
        numbers += _seat(table.seats[order[place]]) if place < players else [0.0] * SEAT_FEATURES
    for place in range(CASINOS):
        found = table.casinos[place : place + 1]
        numbers += _casino(found[0], order) if found else [0.0] * CASINO_FEATURES
    numbers += [*_roll(seen), *_hand(table.seats[seat])]
    return numpy.array(numbers, numpy.float32)


def _seat(seat: SeatShown) -> list[float]:
    total = -1.0 if seat.total is None else seat.total / NOTE
    return [float(seat.dice), float(seat.big), float(seat.neutral_dice), float(seat.chips), total]


def _casino(casino: CasinoShown, order: Sequence[int]) -> list[float]:
    notes = [note / NOTE for note in casino.notes[:MOST_NOTES]]
    weights = Counter[str]()
    for lot in casino.dice:
        weights[lot.owner] += lot.weight
    seats = [weights[OWNER[seat]] for seat in order] + [0] * (MOST_SEATS - len(order))
    dice = [float(weight) for weight in (*seats, weights[NEUTRAL], weights[GREY])]
    return [*notes, *[0.0] * (MOST_NOTES - len(notes)), *dice, float(casino.closed)]


def _roll(seen: State) -> Iterator[float]:
    own, big, neutral = (seen.roll.own, seen.roll.big, seen.roll.neutral) if seen.roll else ((), None, ())
    yield from (float(own.count(face)) for face in FACES)
    yield from (float(big == face) for face in FACES)
    yield from (float(neutral.count(face)) for face in FACES)


def _hand(seat: SeatShown) -> list[float]:
    held = Counter(seat.hand) if isinstance(seat.hand, tuple) else Counter[str]()
    return [float(held[card]) for card in CARDS]


SEAT_FEATURES, CASINO_FEATURES = 5, MOST_NOTES + MOST_SEATS + 3
FEATURES = 3 + MOST_SEATS * SEAT_FEATURES + CASINOS * CASINO_FEATURES + 3 * len(FACES) + len(CARDS)
