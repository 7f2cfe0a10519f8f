"""Values tables of the card game with a small neural net, casino by casino, and plays by it.

All numbers are whole multiples of a power of two, so that sums of them are exact on every machine.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from workers.simulation.card_lanes import (
    CASINOS,
    DICE,
    ENOUGH_CARDS,
    ENOUGH_DICE,
    HAND,
    MOST_DICE,
    MOST_TURNS,
    SELECTION_SIZES,
    WAYS,
    CardCounts,
    CardLanes,
    Hand,
    Selection,
    index_sets,
    playable,
    winners,
)

Floats = NDArray[np.floating]
Indices = NDArray[np.intp]

# A weight is a whole number of 1/CARD_GRAIN, and inputs of 1/8: then sums are exact even in 32 bits.
CARD_GRAIN = 128
# One unit of the net's outputs, in thousands of dollars.
MONEY_UNIT = 64
# One input of each kind is 1: own dice, who takes the two notes now, own cards left, own turns to come, and
# own dice of this number still to be drawn; and of each rival, the one with most dice first: dice, cards left
# and turns to come. Besides them four inputs describe the notes.
DICE_KINDS = MOST_DICE + 1
RANKS = 9
LEFT = ENOUGH_CARDS + 1
TURNS = MOST_TURNS + 1
OWN_AT = 0
RANK_AT = OWN_AT + DICE_KINDS
LEFT_AT = RANK_AT + RANKS
TURNS_AT = LEFT_AT + LEFT
STOCK_AT = TURNS_AT + TURNS
NOTES_AT = STOCK_AT + DICE_KINDS
NOTE_INPUTS = 4
RIVALS_AT = NOTES_AT + NOTE_INPUTS
OF_RIVAL = DICE_KINDS + LEFT + TURNS

# The sum of six notes is about this, in tens of thousands.
USUAL_SUM = 40
IMPOSSIBLE = -1e6


def count_inputs(players: int) -> int:
    """Return the number of inputs of the net."""
    return RIVALS_AT + OF_RIVAL * (players - 1)


class CasinoNet(Struct, frozen=True):
    """Holds the weights of two layers. The outputs are what a casino pays the seat, and all its rivals."""

    first: Floats
    shift: Floats
    out: Floats
    last: Floats

    def layers(self, inputs: Floats) -> tuple[Floats, Floats]:
        """Return the outputs of both layers for each row of inputs; training needs them."""
        hidden = np.maximum(inputs @ self.first + self.shift, 0)
        return hidden, hidden @ self.out + self.last


def round_weights(weights: Floats) -> Floats:
    """Return the weights in whole grains."""
    return (np.round(weights * CARD_GRAIN) / CARD_GRAIN).astype(np.float32)


class Outlook(Struct, frozen=True):
    """Holds what is to come after a seat's selection.

    `turns` are the selections that each seat has still to make; of a rival also the one of this turn, if it
    is not seen yet. `stock` is the dice of each number that the seat will still draw, by lane and casino.
    """

    turns: tuple[int, ...]
    stock: CardCounts


class Mood(Struct, frozen=True):
    """Holds random values, so that playouts differ: of each casino, and what a card costs; by lane."""

    casinos: Floats
    card: Floats


@cache
def ranks() -> CardCounts:
    """Return one number for who takes both notes, for all sets of rivals' dice and numbers of own dice."""
    higher, lower = winners().T
    found: CardCounts = higher * 3 + lower
    return found


def note_inputs(notes: CardCounts) -> Floats:
    """Return the inputs that describe the notes: both of the casino, and the sums of all, by casino."""
    tens = notes // 10
    sums = (tens.sum(axis=-2, keepdims=True) - USUAL_SUM) * np.ones_like(tens)
    found: Floats = (np.concatenate([tens, sums], axis=-1) / 8).astype(np.float32)
    return found


def number_rivals(lanes: CardLanes, seat: int, turns: tuple[int, ...]) -> list[Indices]:
    """Return one number for all that is seen of a rival, by lane and casino, the rival with most dice first.

    The parts of it are dice, cards left and turns to come.
    """
    others = [other for other in range(lanes.dice.shape[1]) if other != seat]
    left = np.maximum(ENOUGH_CARDS - lanes.laid[:, others], 0)
    to_come = np.where(left > 0, np.array([turns[other] for other in others], np.int16), 0)
    packed = (lanes.dice[:, others] * LEFT + left[..., None]) * TURNS + to_come[..., None]
    packed.sort(axis=1)
    return [packed[:, number].astype(np.intp) for number in reversed(range(len(others)))]


def compute_inputs(
    lanes: CardLanes, seat: int, selection: Selection, outlook: Outlook, rows: Indices
) -> Floats:
    """Return the inputs of the net for all casinos of these lanes, after the seat laid its selection."""
    dice = lanes.dice[:, seat]
    own = (dice + selection.dice)[rows]
    sets = (index_sets(lanes.dice, seat) - dice)[rows]
    left = np.maximum(ENOUGH_CARDS - lanes.laid[:, seat] - selection.cards, 0)[rows]
    ones = [
        OWN_AT + own,
        RANK_AT + ranks()[sets + own],
        np.repeat(LEFT_AT + left[:, None], CASINOS, axis=1),
        np.full(own.shape, TURNS_AT + outlook.turns[seat]),
        STOCK_AT + outlook.stock[rows],
    ]
    for number, packed in enumerate(number_rivals(lanes, seat, outlook.turns)):
        seen, to_come = np.divmod(packed[rows], TURNS)
        of_dice, cards_left = np.divmod(seen, LEFT)
        at = RIVALS_AT + OF_RIVAL * number
        ones += [at + of_dice, at + DICE_KINDS + cards_left, at + DICE_KINDS + LEFT + to_come]
    found = np.zeros((own.size, count_inputs(lanes.dice.shape[1])), np.float32)
    for one in ones:
        found[np.arange(own.size), one.ravel()] = 1
    notes = np.broadcast_to(note_inputs(lanes.notes), (len(dice), CASINOS, NOTE_INPUTS))
    found[:, NOTES_AT:RIVALS_AT] = notes[rows].reshape(-1, NOTE_INPUTS)
    return found


# What a dollar of any rival counts against one's own, by the number of players.
RIVALS_WEIGHT = {2: 1.0, 3: 0.625, 4: 0.5, 5: 0.375}


class CardPlayer:
    """Plays by a net, for any seat.

    It keeps sums of weights that are often added: of own dice and rank, and of all inputs about a rival.
    """

    def __init__(self, net: CasinoNet, players: int) -> None:
        first = net.first
        self.first = first
        self.shift = net.shift
        self.own = _add_up(first[OWN_AT:RANK_AT], first[RANK_AT:LEFT_AT])
        self.left = first[LEFT_AT:TURNS_AT]
        self.stock = first[STOCK_AT:NOTES_AT]
        self.rivals = [
            _add_up(
                first[at : at + DICE_KINDS],
                first[at + DICE_KINDS : at + DICE_KINDS + LEFT],
                first[at + DICE_KINDS + LEFT : at + OF_RIVAL],
            )
            for at in range(RIVALS_AT, len(first), OF_RIVAL)
        ]
        worth = np.array([1.0, -RIVALS_WEIGHT[players]])
        self.out = round_weights(net.out @ worth)
        self.last = round_weights(net.last @ worth)

    def select(self, lanes: CardLanes, seat: int, hand: Hand, outlook: Outlook, mood: Mood) -> Selection:
        """Return what the seat plays from its hand; nothing in lanes in which it is out."""
        plans = _Plans(self, lanes, seat, hand=hand, outlook=outlook, mood=mood)
        one, of_one = plans.play_one_number()
        two, of_two = plans.play_two_numbers()
        better = of_two > of_one
        on = lanes.plays_on(seat)
        dice = np.where(better[:, None], two.dice, one.dice) * on[:, None]
        return Selection(dice, np.where(better, two.cards, one.cards) * on)


def _add_up(*tables: Floats) -> Floats:
    """Return the sums of one row of each table; the row of the last table changes first."""
    found = tables[0]
    for table in tables[1:]:
        found = (found[:, None] + table).reshape(-1, table.shape[1])
    return found


class _Plans:
    """Values what a seat can play from its hand.

    A plan is a way to play one number in one lane. All arrays without other names are by plan.
    """

    def __init__(
        self, player: CardPlayer, lanes: CardLanes, seat: int, hand: Hand, outlook: Outlook, mood: Mood
    ) -> None:
        self._player = player
        self._own = lanes.dice[:, seat].astype(np.intp)
        self._left = np.maximum(ENOUGH_CARDS - lanes.laid[:, seat], 0).astype(np.intp)
        self._sets = index_sets(lanes.dice, seat) - self._own
        self._base = self._sum_what_is_fixed(lanes, seat, outlook)
        self._count = len(self._own)
        self._lane, self._casino, self._way = np.nonzero(playable(hand))
        self._more = DICE.take(self._way).astype(np.intp)
        self._cards = SELECTION_SIZES.take(self._way).astype(np.intp)
        self._sums = self._sum_dice(self._lane, self._casino, self._more)
        self._quiet = self._value_quiet_casinos()
        self._total = self._quiet.sum(axis=1) - mood.card[:, None] * np.arange(HAND + 1, dtype=np.float32)
        self._extra = mood.casinos[self._lane, self._casino]
        if lanes.has_chips:
            chips = lanes.best_chips(seat)[1][self._lane, self._casino]
            self._extra = self._extra + np.where(self._more >= ENOUGH_DICE, chips, 0) / MONEY_UNIT

    def _sum_what_is_fixed(self, lanes: CardLanes, seat: int, outlook: Outlook) -> Floats:
        """Return the sums of the first layer that no plan changes, by lane and casino in one row."""
        player = self._player
        base = player.stock.take(outlook.stock, axis=0)
        base += note_inputs(lanes.notes) @ player.first[NOTES_AT:RIVALS_AT]
        base += player.shift + player.first[TURNS_AT + outlook.turns[seat]]
        for table, number in zip(player.rivals, number_rivals(lanes, seat, outlook.turns), strict=True):
            base += table.take(number, axis=0)
        return base.reshape(-1, base.shape[2])

    def _sum_dice(self, lane: Indices, casino: Indices, more: Indices | int) -> Floats:
        """Return the sums of the first layer with so many more dice there, but without the cards left."""
        own = self._own[lane, casino] + more
        rank = ranks().take(self._sets[lane, casino] + own)
        found = self._base.take(lane * CASINOS + casino, axis=0)
        found += self._player.own.take(own * RANKS + rank, axis=0)
        return found

    def _value(self, sums: Floats, lane: Indices, cards: Indices | int) -> Floats:
        """Return what casinos with these sums are worth, if the seat lays so many cards in all."""
        hidden = self._player.left.take(np.maximum(self._left[lane] - cards, 0), axis=0)
        hidden += sums
        np.maximum(hidden, 0, out=hidden)
        found: Floats = hidden @ self._player.out + self._player.last
        return found

    def _value_quiet_casinos(self) -> Floats:
        """Return what casinos without more dice are worth, by lane, casino and number of cards laid.

        Three cards and more are valued only in lanes where a plan has as many.
        """
        lane, casino = (part.ravel() for part in np.indices((self._count, CASINOS)))
        sums = self._sum_dice(lane, casino, 0)
        found = np.zeros((self._count, CASINOS, HAND + 1), np.float32)
        for cards in (1, 2):
            found[:, :, cards] = self._value(sums, lane, cards).reshape(-1, CASINOS)
        for cards in range(3, HAND + 1):
            some = np.unique(self._lane[self._cards == cards])
            rows = (some[:, None] * CASINOS + np.arange(CASINOS)).ravel()
            found[some, :, cards] = self._value(sums.take(rows, axis=0), lane[rows], cards).reshape(
                -1, CASINOS
            )
        return found

    def play_one_number(self) -> tuple[Selection, Floats]:
        """Return the best way to play one number, and what it is worth, by lane."""
        gain = self._value(self._sums, self._lane, self._cards) + self._extra
        gain = gain - self._quiet[self._lane, self._casino, self._cards]
        worth = np.full((self._count, CASINOS * WAYS), IMPOSSIBLE)
        worth[self._lane, self._casino * WAYS + self._way] = self._total[self._lane, self._cards] + gain
        pick = worth.argmax(axis=1)
        rows = np.arange(self._count)
        dice = np.zeros((self._count, CASINOS), np.int16)
        dice[rows, pick // WAYS] = DICE[pick % WAYS]
        return Selection(dice, SELECTION_SIZES[pick % WAYS]), worth[rows, pick]

    def play_two_numbers(self) -> tuple[Selection, Floats]:
        """Return the best way to play one card each at two casinos, and what it is worth, by lane."""
        alone = np.flatnonzero(self._cards == 1)
        lane, casino, more = (part[alone] for part in (self._lane, self._casino, self._more))
        gain = self._value(self._sums.take(alone, axis=0), lane, 2) + self._extra[alone]
        card = np.full((self._count, CASINOS, 2), IMPOSSIBLE)
        card[lane, casino, more - 1] = gain - self._quiet[lane, casino, 2]
        weight = card.argmax(axis=2) + 1
        best = card.max(axis=2)
        first, second = best.argsort(axis=1, kind="stable")[:, :-3:-1].T
        rows = np.arange(self._count)
        dice = np.zeros((self._count, CASINOS), np.int16)
        dice[rows, first] = weight[rows, first]
        dice[rows, second] = weight[rows, second]
        worth = self._total[:, 2] + best[rows, first] + best[rows, second]
        return Selection(dice, np.full(self._count, 2, np.int16)), worth
