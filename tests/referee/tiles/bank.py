"""What the bank pays with (M4, M9), and how a debt is paid to it (M6)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

from tests.referee.books import CHIP

DEBT = 50_000


def prize(bank: Counter[int], amount: int) -> tuple[tuple[int, ...], int]:
    """As much as notes make up, in the fewest and then the dearest; the rest is chips."""
    falling = sorted(bank, reverse=True)
    ways = [
        way
        for count in range(amount // min(falling, default=amount + 1) + 1)
        for way in combinations_with_replacement(falling, count)
        if sum(way) <= amount and Counter(way) <= bank
    ]
    best = max(ways, key=lambda way: (sum(way), -len(way), way))
    return best, (amount - sum(best)) // CHIP


def fewest(notes: Counter[int], limit: int) -> dict[int, int]:
    """For every sum that these notes make up, how many it takes."""
    counts = {0: 0}
    for note in notes.elements():
        for total, count in list(counts.items()):
            if total + note <= limit:
                counts[total + note] = min(count + 1, counts.get(total + note, count + 1))
    return counts


def least(purse: Counter[int], chips: int, bank: Counter[int]) -> tuple[int, int, int]:
    """What a debt has to cost: the money lost, the chips given, the notes moved."""
    worth = sum(purse.elements())
    if worth + CHIP * chips < DEBT:
        return worth + CHIP * chips, chips, purse.total()
    given, change = fewest(purse, worth), fewest(bank, worth)
    return min(
        (cost, count, notes + moved)
        for count in range(chips + 1)
        for total, notes in given.items()
        for back, moved in change.items()
        if (cost := total + CHIP * count - back) >= DEBT
    )
