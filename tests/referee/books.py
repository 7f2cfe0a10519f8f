"""What the referee knows of the book. It shares nothing with the rules it watches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]

THOUSAND = 1_000
CASINOS = tuple(f"casino-{number}" for number in range(1, 7))
CHIP = 10_000

Weights = Mapping[str, int]
# From where, to where, which notes, and who won them if that is no seat.
Payment = tuple[str, str, tuple[int, ...], str | None]
Stock = Mapping[str, Sequence[int]]


class Foul(Exception):
    """Something in the log is against the book."""


class Unwatched(Exception):
    """A game that this referee does not know."""


def fair(holds: object, why: str) -> None:
    if not holds:
        raise Foul(why)


def after(seat: int, players: int) -> list[int]:
    """Every seat once, from the left neighbour on to the seat itself."""
    return [(seat + step) % players for step in range(1, players + 1)]


def _notes(counts: Mapping[int, int]) -> Counter[int]:
    return Counter({thousands * THOUSAND: count for thousands, count in counts.items()})


def ranked_pairs(stock: Stock) -> str | None:
    """000: the richer the pair, the higher the casino; of equals, the one with the dearer card."""
    worth = [(sum(stock.get(place, ())), max(stock.get(place, ()), default=0)) for place in CASINOS]
    if any(len(notes) != 2 for notes in stock.values()):
        return f"not all were stocked with two: {stock}"
    return None if worth == sorted(worth) else f"the pairs are not in order: {worth}"


@dataclass(frozen=True)
class Book:
    """Royale. Rulings differ by release: the bank gives `change` (M4), BAD LUCK `counts_first`, before PRIME
    TIME (D8). Which tiles came out of the box is told since release 2.
    """

    rounds: int = 3
    small: int = 7
    big: int = 1
    chips: int = 2
    leftovers: str = "under"
    spare: Mapping[int, tuple[int, int]] = field(default_factory=lambda: {2: (7, 1)})
    tells_tiles: bool = False
    change: bool = False
    counts_first: bool = False


NOTES = _notes({30: 11, 40: 11, 50: 13, 60: 15, 70: 13, 80: 11, 90: 9, 100: 7})
BOOKS = {
    ("royale", "1"): Book(),
    ("royale", "2"): Book(tells_tiles=True, change=True, counts_first=True),
}


def tied(weights: Weights) -> set[str]:
    often = Counter(weights.values())
    return {owner for owner, weight in weights.items() if often[weight] > 1}


def ranking(weights: Weights) -> list[str]:
    """Most dice first, who is tied left out."""
    out = tied(weights)
    return sorted((owner for owner in weights if owner not in out), key=lambda owner: -weights[owner])


def payments(place: str, notes: Sequence[int], order: Sequence[str], leftovers: str) -> list[Payment]:
    """Who gets which note, and what is left when all have been served."""
    falling = sorted(notes, reverse=True)
    served = list(zip(order, falling, strict=False))
    paid = [_won(place, owner, note, leftovers) for owner, note in served]
    rest = tuple(falling[len(served) :])
    return [*paid, (place, leftovers, rest, None)] if rest else paid


def _won(place: str, owner: str, note: int, leftovers: str) -> Payment:
    """An imaginary winner is named, because its note goes the way of the rest."""
    if owner.startswith("seat"):
        return place, owner.replace("seat", "purse"), (note,), None
    return place, leftovers, (note,), owner
