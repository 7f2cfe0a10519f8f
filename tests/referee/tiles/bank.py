"""What the bank pays with (M4, M9), and how a debt is paid to it (M6)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

from tests.referee.books import CHIP

DEBT = 50_000
SMALLEST_CARD = 30_000

# What a player hands over, what the bank gives, and the chips on top.
Reward = tuple[tuple[int, ...], tuple[int, ...], int]


def prize(bank: Counter[int], purse: Counter[int], amount: int) -> Reward:
    """As much as notes make up, in the fewest and then the dearest; the rest is chips (release 1)."""
    falling = sorted(bank, reverse=True)
    ways = [
        way
        for count in range(amount // min(falling, default=amount + 1) + 1)
        for way in combinations_with_replacement(falling, count)
        if sum(way) <= amount and Counter(way) <= bank
    ]
    best = max(ways, key=lambda way: (sum(way), -len(way), way))
    return (), best, (amount - sum(best)) // CHIP


def prize_with_change(bank: Counter[int], purse: Counter[int], amount: int) -> Reward:
    """As much as notes make up when the player may hand some over; the rest is chips (release 2)."""
    exact = prize(bank, purse, amount)
    if amount < SMALLEST_CARD or not exact[-1]:
        return exact
    in_bank, in_purse = fewest(bank, sum(bank.elements())), fewest(purse, sum(purse.elements()))
    for worth in range(amount, 0, -CHIP):
        ways = [
            (count, in_bank[own + worth], own) for own, count in in_purse.items() if own + worth in in_bank
        ]
        if ways:
            handed, given = min(ways)[:2]
            sums = [own for *counts, own in ways if counts == [handed, given]]
            best, own = max((dearest(bank, given, own + worth), own) for own in sums)
            return dearest(purse, handed, own), best, (amount - worth) // CHIP
    return (), (), amount // CHIP


def dearest(notes: Counter[int], count: int, worth: int) -> tuple[int, ...]:
    """Of so many notes worth so much, those that begin with the dearest."""
    ways = combinations_with_replacement(sorted(notes, reverse=True), count)
    return max(way for way in ways if sum(way) == worth and Counter(way) <= notes)


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
