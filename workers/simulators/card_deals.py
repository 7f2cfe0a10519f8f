"""Cards that may come: what a seat knows of its own pile, and no more than what is laid of the others'."""

from __future__ import annotations

from collections import Counter
from math import prod
from random import Random

import numpy as np

from events.values import CASINO_NUMBERS
from rules.state import State
from workers.simulators.card_lanes import MOST_TURNS
from workers.simulators.card_policy import CASINOS, HAND, Hand
from workers.simulators.card_ranks import Whole

CARDS = tuple(f"{number}{double}" for number in CASINO_NUMBERS for double in ("", "d"))


def turns_taken(view: State, seat: int) -> int:
    return len(view.glasses.get(seat, ()))


def laid_cards(view: State, seat: int) -> Counter[str]:
    found = Counter[str]()
    for number in CASINO_NUMBERS:
        lot = view.own_dice(seat, number)
        found += Counter({f"{number}": lot.small, f"{number}d": lot.big})
    return found


def cards_to_come(view: State, seat: int) -> tuple[str, ...]:
    """All that is neither laid nor seen in a hand or under a glass; what is hidden may be any of it."""
    left = Counter(view.decks[seat]) - laid_cards(view, seat)
    for seen in (*view.glasses.get(seat, ()), *filter(None, (view.hands.get(seat),))):
        left -= Counter(seen.value or ())
    return tuple(left.elements())


def deal(view: State, seat: int, lanes: int, chance: Random) -> list[Hand]:
    """The hands of one seat, from its next unseen one on, in so many lanes."""
    cards = cards_to_come(view, seat)
    turns = min(MOST_TURNS - turns_taken(view, seat), len(cards) // HAND)
    kinds = np.array([CARDS.index(card) for card in cards], np.int16)
    luck = np.frombuffer(chance.randbytes(4 * lanes * len(cards)), "<u4").reshape(lanes, len(cards))
    order = luck.argsort(axis=1, kind="stable")[:, : turns * HAND]
    return _sort_hands(kinds[order].reshape(lanes, turns, HAND)) if turns else []


def _sort_hands(dealt: Whole) -> list[Hand]:
    counts = np.zeros((*dealt.shape[:2], 2 * CASINOS), np.int16)
    lane, turn = np.indices(dealt.shape[:2])
    for card in range(HAND):
        counts[lane, turn, dealt[:, :, card]] += 1
    return [Hand(counts[:, turn, ::2], counts[:, turn, 1::2]) for turn in range(dealt.shape[1])]


def even_numbers(shape: tuple[int, ...], bound: int, chance: Random) -> Whole:
    """From zero to below the bound, each as likely as the next but for a thousandth."""
    drawn = np.frombuffer(chance.randbytes(2 * prod(shape)), "<u2").reshape(shape)
    return (drawn % bound).astype(np.int16)
