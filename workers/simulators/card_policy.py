"""How the card game is played inside playouts: by what a card brings now and what it will be missed for."""

from __future__ import annotations

from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from workers.simulators.card_lanes import ENOUGH_CARDS, ENOUGH_DICE, MOST_TURNS, Lanes
from workers.simulators.card_ranks import OWN, Whole, gains, index_sets

CASINOS = 6
HAND = 5
NEVER = -20_000
# The hasty lay cards as long as they bring something, the patient keep one for each turn to come: what a card
# and a turn to come are worth to them, in thousands of dollars, and for how many cards a turn. Patience wins
# more from both, and who takes others for hasty wins most from those who are.
HASTY, PATIENT = 0, 1
STYLES = ((14, 0, 2), (80, 25, 1))
# Ways to play one number: so many single cards, or the double and so many less one.
CARDS = np.array([1, 2, 3, 4, 1, 2, 3, 4, 5], np.int16)
DICE = np.array([1, 2, 3, 4, 2, 3, 4, 5, 6], np.int16)
WAYS, DOUBLE = len(CARDS), 4


class Hand(Struct, frozen=True):
    """By lane and casino: single cards, and whether the double is there."""

    singles: Whole
    doubles: Whole


@cache
def prices() -> Whole:
    """By style, turns to come, cards that may still be laid, and cards laid now: what those cost later."""
    shape = (len(STYLES), MOST_TURNS, ENOUGH_CARDS + 1, HAND + 1)
    return np.array([_price(*index) for index in np.ndindex(*shape)], np.int16).reshape(shape)


def _price(style: int, turns: int, left: int, cards: int) -> int:
    return OWN * (_to_come(style, turns, left) - _to_come(style, turns, left - cards))


def _to_come(style: int, turns: int, left: int) -> int:
    card, turn, cards_a_turn = STYLES[style]
    return card * min(left, cards_a_turn * turns) + turn * turns if left > 0 else 0


class Selection(Struct, frozen=True):
    """By lane: dice at each casino, and how many cards that takes."""

    dice: Whole
    cards: Whole


def select(lanes: Lanes, seat: int, hand: Hand, turns: int, mood: Whole, style: int) -> Selection:
    """Nothing where the seat is out; `turns` come after this one, and a mood makes a casino dearer."""
    left = np.maximum(ENOUGH_CARDS - lanes.laid[:, seat], 0)
    price = prices()[style, turns][left]
    ways = np.where(_playable(hand), (_gain(lanes, seat) + mood[..., None])[:, :, DICE], NEVER)
    one, two = _one_number(ways, price), _two_numbers(ways, price)
    better = two[1] > one[1]
    on = lanes.plays_on(seat)
    dice = np.where(better[:, None], two[0].dice, one[0].dice) * on[:, None]
    return Selection(dice, np.where(better, two[0].cards, one[0].cards) * on)


def _one_number(ways: Whole, price: Whole) -> tuple[Selection, Whole]:
    """The best way to play one number, and what it brings."""
    worth = (ways - price[:, None, CARDS]).reshape(len(ways), -1)
    rows, pick = np.arange(len(ways)), worth.argmax(axis=1)
    dice = np.zeros((len(ways), CASINOS), np.int16)
    dice[rows, pick // WAYS] = DICE[pick % WAYS]
    return Selection(dice, CARDS[pick % WAYS]), worth[rows, pick]


def _two_numbers(ways: Whole, price: Whole) -> tuple[Selection, Whole]:
    """A card each at the two casinos where one brings most: what lies at one changes nothing at the other."""
    rows, single, double = np.arange(len(ways)), ways[:, :, 0], ways[:, :, DOUBLE]
    card = np.maximum(single, double)
    weight = np.where(double > single, 2, 1).astype(np.int16)
    first, second = card.argsort(axis=1, kind="stable")[:, :-3:-1].T
    dice = np.zeros((len(ways), CASINOS), np.int16)
    dice[rows, first], dice[rows, second] = weight[rows, first], weight[rows, second]
    worth = np.maximum(card[rows, first].astype(np.int32) + card[rows, second], NEVER) - price[:, 2]
    return Selection(dice, np.full(len(ways), 2, np.int16)), worth.astype(np.int16)


def _gain(lanes: Lanes, seat: int) -> Whole:
    """By lane, casino and dice that come."""
    tables = gains(lanes.dice.shape[1] - 1)
    index = index_sets(lanes.dice, seat)
    gain: Whole = tables[0][index] * lanes.notes[:, :1] + tables[1][index] * lanes.notes[:, 1:]
    if lanes.has_chips:
        _, more = lanes.best_chips(seat)
        gain[:, :, ENOUGH_DICE:] += OWN * more[..., None]
    return gain


def _playable(hand: Hand) -> NDArray[np.bool_]:
    """By lane, casino and way."""
    singles, doubles = hand.singles[..., None], hand.doubles[..., None]
    return np.concatenate((singles >= CARDS[:4], (doubles > 0) & (singles >= CARDS[4:] - 1)), axis=2)
