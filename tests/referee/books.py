"""What the referee knows of each book. It shares nothing with the rules it watches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Event = dict[str, Any]

THOUSAND = 1_000
CASINOS = tuple(f"casino-{number}" for number in range(1, 7))
DECK = Counter({f"{number}": 4 for number in range(1, 7)}) + Counter(f"{number}d" for number in range(1, 7))
COLOURS, CARDS_OF_A_COLOUR = 5, 5
SETS = (0, 10_000, 30_000, 60_000, 100_000, 150_000)
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


def filled(stock: Stock) -> str | None:
    """001: notes until a casino has 50,000, and not one more."""
    for place in CASINOS:
        notes = stock.get(place, ())
        if not sum(notes[:-1]) < 50_000 <= sum(notes):
            return f"{place} was stocked with {list(notes)}"
    return None


def pairs(stock: Stock) -> str | None:
    """002, 004: two each."""
    for place, notes in stock.items():
        if len(notes) != 2:
            return f"{place} was stocked with {list(notes)}"
    return None


def ranked_pairs(stock: Stock) -> str | None:
    """000: the richer the pair, the higher the casino; of equals, the one with the dearer card."""
    worth = [(sum(stock.get(place, ())), max(stock.get(place, ()), default=0)) for place in CASINOS]
    return pairs(stock) if worth == sorted(worth) else f"the pairs are not in order: {worth}"


@dataclass(frozen=True)
class Book:
    """By the number of players: `neutral` dice for each seat, and `spare` ones for the table.

    Rulings differ by release: `neutral_earns` chip cards (C9), the bank gives `change` (M4), BAD LUCK
    `counts_first`, before PRIME TIME (D8). Which tiles came out of the box is told since `royale` 2.
    """

    rounds: int
    notes: Counter[int]
    stocked: Callable[[Stock], str | None]
    leftovers: str
    starter: str
    small: int = 0
    big: int = 0
    neutral: Mapping[int, int] = field(default_factory=dict)
    spare: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    chips: int = 0
    neutral_earns: bool = False
    tells_tiles: bool = False
    change: bool = False
    counts_first: bool = False


CLASSIC = Book(
    rounds=4,
    notes=_notes({10: 6, 20: 8, 30: 8, 40: 6, 50: 6, 60: 5, 70: 5, 80: 5, 90: 5}),
    stocked=filled,
    leftovers="under",
    starter="left",
    small=8,
    neutral={2: 4, 3: 2, 4: 2},
    spare={3: (2, 0)},
)
MODERN = Book(
    rounds=3,
    notes=_notes({10: 4, 20: 4, 30: 5, 40: 5, 50: 6, 60: 6, 70: 6, 80: 4, 90: 4, 100: 4}),
    stocked=pairs,
    leftovers="box",
    starter="last to roll",
    small=6,
    big=1,
    neutral={2: 3, 3: 2, 4: 1},
)
ROYALE = Book(
    rounds=3,
    notes=_notes({30: 11, 40: 11, 50: 13, 60: 15, 70: 13, 80: 11, 90: 9, 100: 7}),
    stocked=ranked_pairs,
    leftovers="under",
    starter="winner",
    small=7,
    big=1,
    spare={2: (7, 1)},
    chips=2,
)
CARDS = Book(
    rounds=4,
    notes=_notes(dict.fromkeys(range(30, 101, 10), 6)),
    stocked=pairs,
    leftovers="box",
    starter="left",
)
BOOKS = {
    ("classic", "1"): CLASSIC,
    ("classic", "2"): replace(CLASSIC, neutral_earns=True),
    ("modern", "1"): MODERN,
    ("royale", "1"): ROYALE,
    ("royale", "2"): replace(ROYALE, tells_tiles=True, change=True, counts_first=True),
    ("cards", "1"): CARDS,
}


def tied(weights: Weights) -> set[str]:
    often = Counter(weights.values())
    return {owner for owner, weight in weights.items() if often[weight] > 1}


def ranking(weights: Weights) -> list[str]:
    """Most dice first, who is tied left out."""
    out = tied(weights)
    return sorted((owner for owner in weights if owner not in out), key=lambda owner: -weights[owner])


def bandit_ranking(stacks: Mapping[int, tuple[str, int]]) -> list[str]:
    """002: dice, then pips, then the highest number. Stacks are owner and dice, by their number."""
    dice, pips, highest = Counter[str](), Counter[str](), dict[str, int]()
    for number, (owner, weight) in stacks.items():
        dice[owner] += weight
        pips[owner] += weight * number
        highest[owner] = max(number, highest.get(owner, 0))
    return sorted(dice, key=lambda owner: (-dice[owner], -pips[owner], -highest[owner]))


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


def selectable(cards: Sequence[str]) -> bool:
    """004: one card, any two, or several of one number."""
    return 1 <= len(cards) <= 2 or (3 <= len(cards) <= 5 and len({card[0] for card in cards}) == 1)
