"""Weighs the options of an endgame exactly: every throw that can still come, and not a sample of them.

The asked seat plays as well as it can. Its rivals play by the policy of the playouts, without its whims. All
numbers are whole, so that every machine finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import comb, factorial, prod

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from workers.bots.protocol import Candidate

Wide = NDArray[np.int64]
Row = tuple[int, ...]

# An endgame has at most so many positions: the ways in which the dice of each hand may lie on the table, in
# hand or at one of the casinos, with those of all other hands.
MOST_POSITIONS = 20_000
# Chances are whole numbers of 1/CERTAIN, and money is in parts of a thousand dollars. The seat wants most of
# their sum: a thousand dollars count as much as a chance of one in 2**23, so that money only decides where
# chances are as good as equal.
CERTAIN = 1 << 40
PARTS = 1 << 17
FACES = 6
THOUSAND = 1_000
# In thousands: the price of a die in hand, what passing costs, and the loss from which on a rival passes.
# Worth is in tenths of a thousand.
DIE = 8
CHIP = 10
TENTHS = 10
# Keys of positions have so many bits.
KEY_BITS = 62
_NEVER = -(10**8)

# The chance to win of the asked seat, in parts of CERTAIN, from what each seat has in the end, by row and
# seat: money in thousands, and the number of notes and chips.
Judge = Callable[[Wide, Wide], Wide]


class Endgame(Struct, frozen=True):
    """Describes the last part of a round.

    `weights` are by casino and owner, with the seats before imaginary players; `notes` by casino, the highest
    first. The hands are by seat: small, big and white dice, and chips to pass with. White dice belong to the
    last owner. `money` is what seats have besides, in thousands, and `held` how many notes.
    """

    seat: int
    weights: tuple[Row, ...]
    notes: tuple[Row, ...]
    small: Row
    big: Row
    white: Row
    chips: Row
    money: Row
    held: Row
    judge: Judge


class Dice(Struct, frozen=True):
    """Holds how many dice of each kind are in a hand or move."""

    small: int
    big: int
    white: int

    @property
    def count(self) -> int:
        """Return the number of dice."""
        return self.small + self.big + self.white

    @property
    def weight(self) -> int:
        """Return what the seat's own dice among them count at a casino."""
        return self.small + 2 * self.big


# A face and the dice of it that are placed; None is a pass.
Move = tuple[int, Dice] | None


class Throws(Struct, frozen=True):
    """Holds all throws of a hand, and the moves that they allow.

    `moves` are pairs of a face and the dice of it. `offered` has the number of the move for each throw and
    face, or that of no move. `often` says how many of `all` equally likely throws look like this one.
    """

    moves: tuple[tuple[int, Dice], ...]
    offered: NDArray[np.intp]
    often: Wide
    all: int


@cache
def list_throws(hand: Dice) -> Throws:
    """Return the throws of this hand."""
    kinds = product(range(hand.small + 1), range(hand.big + 1), range(hand.white + 1))
    placed = [Dice(*kind) for kind in kinds][1:]
    moves = tuple(product(range(FACES), placed))
    numbers = {move: number for number, move in enumerate(moves)}
    offered = list[list[int]]()
    often = list[int]()
    falls = (_list_falls(hand.small), _list_falls(hand.big), _list_falls(hand.white))
    for small, big, white in product(*falls):
        shown = [(face, Dice(small[face], big[face], white[face])) for face in range(FACES)]
        offered.append([numbers.get(one, len(moves)) for one in shown])
        often.append(prod(map(_count_orders, (small, big, white))))
    return Throws(moves, np.array(offered), np.array(often, np.int64), FACES**hand.count)


def _list_falls(dice: int) -> list[Row]:
    """Return all ways in which so many equal dice can fall, as how many show each face."""
    if dice == 0:
        return [(0,) * FACES]
    fewer = _list_falls(dice - 1)
    return sorted(
        {(*fall[:face], fall[face] + 1, *fall[face + 1 :]) for fall in fewer for face in range(FACES)}
    )


def _count_orders(fall: Row) -> int:
    """Return how many throws of single dice look like this."""
    return factorial(sum(fall)) // prod(map(factorial, fall))


def count_positions(endgame: Endgame, moves: Sequence[Move]) -> int:
    """Return the most positions that can come after one of these moves."""
    hands = zip(endgame.small, endgame.big, endgame.white, endgame.chips, strict=True)
    ways = [_count_ways(Dice(small, big, white)) * (chips + 1) for small, big, white, chips in hands]
    seat = endgame.seat
    hand = Dice(endgame.small[seat], endgame.big[seat], endgame.white[seat])
    ways[seat] = max(_count_ways(_take(hand, move)) for move in moves) * (endgame.chips[seat] + 1)
    return prod(ways)


def _count_ways(hand: Dice) -> int:
    """Return in how many ways these dice may lie in hand or at the casinos."""
    small, big, white = (comb(dice + FACES, FACES) for dice in (hand.small, hand.big, hand.white))
    return small * big * white


def _take(hand: Dice, move: Move) -> Dice:
    """Return the hand after a move."""
    if move is None:
        return hand
    placed = move[1]
    return Dice(hand.small - placed.small, hand.big - placed.big, hand.white - placed.white)


class Keys:
    """Packs a position into one number: what was added at each casino, and what is left in each hand."""

    def __init__(self, endgame: Endgame) -> None:
        players = len(endgame.small)
        owners = len(endgame.weights[0])
        most = [0] * owners
        for seat in range(players):
            most[seat] = endgame.small[seat] + 2 * endgame.big[seat]
        most[-1] += sum(endgame.white)
        # What one die of each owner adds to the number of a casino.
        self.values = [prod(one + 1 for one in most[:owner]) for owner in range(owners)]
        self.size = prod(one + 1 for one in most)
        self._most = most
        place = self.size**FACES
        # The key of the position in which nothing was added yet.
        self.first = 0
        self._hands = list[list[tuple[int, int]]]()
        for hand in zip(endgame.small, endgame.big, endgame.white, endgame.chips, strict=True):
            digits = []
            for count in hand:
                digits.append((place, count + 1))
                self.first += place * count
                place *= count + 1
            self._hands.append(digits)
        self.bits = place.bit_length()

    def list_added(self) -> Wide:
        """Return what was added for each owner, for each number of a casino."""
        numbers = np.arange(self.size, dtype=np.int64)
        columns = [numbers // value % (most + 1) for value, most in zip(self.values, self._most, strict=True)]
        return np.stack(columns, axis=1)

    def move(self, seat: int, face: int, dice: Dice) -> int:
        """Return what a move of the seat adds to the key of a position."""
        taken = zip(self._hands[seat], (dice.small, dice.big, dice.white), strict=False)
        left = sum(place * count for (place, _), count in taken)
        return int(self.added(seat, dice) * self.size**face - left)

    def added(self, seat: int, dice: Dice) -> int:
        """Return what a move of the seat adds to the number of its casino."""
        return dice.weight * self.values[seat] + dice.white * self.values[-1]

    def pass_turn(self, seat: int) -> int:
        """Return what passing adds to the key."""
        return -self._hands[seat][3][0]

    def hand(self, keys: Wide, seat: int) -> Wide:
        """Return the seat's small, big and white dice and its chips, by position."""
        return np.stack([keys // place % base for place, base in self._hands[seat]], axis=1)

    def casinos(self, keys: Wide) -> Wide:
        """Return the number of each casino, by position."""
        return np.stack([keys // self.size**face % self.size for face in range(FACES)], axis=1)


class Turn(Struct, frozen=True):
    """Holds one turn of a seat in some positions that have equal hands.

    `children` are the numbers of the positions after each move, among those of the next turn; the last column
    is that of passing, and numbers of moves that are never made are 0. `weights` say how many of `all` throws
    a rival answers with each move; without them the seat chooses.
    """

    rows: NDArray[np.intp]
    children: NDArray[np.intp]
    throws: Throws | None
    may_pass: NDArray[np.bool_]
    weights: Wide | None


class Values(Struct, frozen=True):
    """Holds the chance to win of the asked seat and its money, by position, in parts."""

    win: Wide
    money: Wide

    def take(self, rows: NDArray[np.intp]) -> Values:
        """Return the values of these positions."""
        return Values(self.win[rows], self.money[rows])


class Enumeration:
    """Goes through all positions of an endgame, turn by turn, and values them from the last to the first."""

    def __init__(self, endgame: Endgame) -> None:
        self._endgame = endgame
        self._players = len(endgame.small)
        self._keys = Keys(endgame)
        self._paid = _make_pay_tables(endgame, self._keys)
        self.positions = 0

    @property
    def fits(self) -> bool:
        """Return whether positions can be packed into keys."""
        return self._keys.bits <= KEY_BITS

    def weigh(self, moves: Sequence[Move]) -> Values:
        """Return the values of the positions after these moves of the asked seat; None is a pass."""
        seat = self._endgame.seat
        first = self._keys.first
        steps = [
            self._keys.pass_turn(seat) if move is None else self._keys.move(seat, *move) for move in moves
        ]
        keys, order = np.unique(np.array([first + step for step in steps], np.int64), return_inverse=True)
        turns = list[list[Turn]]()
        while self._has_dice(keys).any():
            seat = (seat + 1) % self._players
            keys, taken = self._go_on(keys, seat)
            turns.append(taken)
        values = self._judge(keys)
        for taken in reversed(turns):
            values = _go_back(taken, values)
        return values.take(order)

    def _has_dice(self, keys: Wide) -> NDArray[np.bool_]:
        """Return where any seat has dice."""
        found = np.zeros(len(keys), bool)
        for seat in range(self._players):
            found |= self._keys.hand(keys, seat)[:, :3].any(axis=1)
        return found

    def _go_on(self, keys: Wide, seat: int) -> tuple[Wide, list[Turn]]:
        """Return the positions after a turn of the seat, and how one comes to them."""
        hands = self._keys.hand(keys, seat)
        kinds, kind = np.unique(hands[:, :3], axis=0, return_inverse=True)
        kind = kind.reshape(-1)
        begun = list[tuple[Turn, Wide]]()
        for number, counts in enumerate(kinds.tolist()):
            rows = np.flatnonzero(kind == number)
            begun.append(self._move(keys[rows], seat, Dice(*counts), rows, hands[rows, 3] > 0))
        after = np.unique(np.concatenate([reached[reached >= 0] for _, reached in begun]))
        return after, [
            replace(turn, children=np.searchsorted(after, np.maximum(reached, after[0])))
            for turn, reached in begun
        ]

    def _move(
        self, keys: Wide, seat: int, hand: Dice, rows: NDArray[np.intp], chips: NDArray[np.bool_]
    ) -> tuple[Turn, Wide]:
        """Return a turn of the seat in these positions, and the keys that it leads to; -1 for none."""
        nowhere = np.empty((len(keys), 0), np.intp)
        if hand.count == 0:
            return Turn(rows, nowhere, None, chips, None), keys[:, None]
        self.positions += len(keys)
        throws = list_throws(hand)
        steps = [self._keys.move(seat, face, dice) for face, dice in throws.moves]
        reached = keys[:, None] + np.array([*steps, self._keys.pass_turn(seat)], np.int64)
        reached[~chips, -1] = -1
        if seat == self._endgame.seat:
            return Turn(rows, nowhere, throws, chips, None), reached
        weights = self._weigh_rival(keys, seat, throws, chips)
        return Turn(rows, nowhere, throws, chips, weights), np.where(weights > 0, reached, -1)

    def _weigh_rival(self, keys: Wide, seat: int, throws: Throws, chips: NDArray[np.bool_]) -> Wide:
        """Return how many of all throws a rival answers with each move, by position and move."""
        worth = self._worth(keys, seat, throws)
        best = worth[:, throws.offered[:, 0]]
        chosen = np.broadcast_to(throws.offered[:, 0], best.shape).copy()
        for face in range(1, FACES):
            offered = throws.offered[:, face]
            better = worth[:, offered] > best
            best = np.where(better, worth[:, offered], best)
            chosen = np.where(better, offered, chosen)
        passed = len(throws.moves)
        chosen[chips[:, None] & (best < -TENTHS * CHIP)] = passed
        columns = passed + 1
        places = chosen + columns * np.arange(len(keys))[:, None]
        often = np.broadcast_to(throws.often, chosen.shape)
        counted = np.bincount(places.ravel(), often.ravel(), len(keys) * columns)
        return counted.astype(np.int64).reshape(-1, columns)

    def _worth(self, keys: Wide, seat: int, throws: Throws) -> Wide:
        """Return what each move is worth to a rival, by position and move; that of no move is _NEVER.

        Its money counts, and less of it for its best rival; dice in hand have a price.
        """
        casinos = self._keys.casinos(keys)
        faces = np.array([face for face, _ in throws.moves])
        added = np.array([self._keys.added(seat, dice) for _, dice in throws.moves], np.int64)
        price = np.array([TENTHS * DIE * dice.weight for _, dice in throws.moves], np.int64)
        paid = self._paid[np.arange(FACES), casinos]
        hands = [self._keys.hand(keys, other)[:, 3] for other in range(self._players)]
        now = paid.sum(axis=1) + np.array(self._endgame.money) + CHIP * np.stack(hands, axis=1)
        after = now[:, None] + self._paid[faces, casinos[:, faces] + added] - paid[:, faces]
        worth = _stand(after, seat) - price - _stand(now[:, None], seat)
        return np.concatenate([worth, np.full((len(keys), 1), _NEVER)], axis=1)

    def _judge(self, keys: Wide) -> Values:
        """Return the values of positions in which no dice are left."""
        self.positions += len(keys)
        endgame = self._endgame
        paid = self._paid[np.arange(FACES), self._keys.casinos(keys)]
        chips = np.stack([self._keys.hand(keys, seat)[:, 3] for seat in range(self._players)], axis=1)
        won = paid.sum(axis=1) + CHIP * chips
        notes = (paid > 0).sum(axis=1) + chips + np.array(endgame.held)
        win = endgame.judge(won + np.array(endgame.money), notes)
        return Values(win, won[:, endgame.seat] * PARTS)


def _stand(sums: Wide, seat: int) -> Wide:
    """Return how a seat stands against its rivals, in tenths; the sums are by seat, on the last axis."""
    rivals = np.delete(sums, seat, axis=-1)
    found: Wide = TENTHS * (sums[..., seat] - rivals.max(axis=-1)) - rivals.sum(axis=-1)
    return found


def _make_pay_tables(endgame: Endgame, keys: Keys) -> Wide:
    """Return what each casino pays each seat, by casino, its number, and seat."""
    added = keys.list_added()
    return np.stack(
        [
            _pay(added + np.array(weights), notes)[:, : len(endgame.small)]
            for weights, notes in zip(endgame.weights, endgame.notes, strict=True)
        ]
    )


def _pay(weights: Wide, notes: Row) -> Wide:
    """Return what each owner is paid: those who have as many dice as another one nothing."""
    owners = weights.shape[1]
    same = (weights[:, :, None] == weights[:, None]).sum(axis=2)
    alone = (weights > 0) & (same == 1)
    ranks = (alone[:, None] & (weights[:, None] > weights[:, :, None])).sum(axis=2)
    paid = np.array([*notes, *[0] * (owners + 1)], np.int64)[ranks]
    return np.where(alone, paid, 0)


def _go_back(turns: Sequence[Turn], values: Values) -> Values:
    """Return the values of the positions before these turns."""
    count = sum(len(turn.rows) for turn in turns)
    win = np.zeros(count, np.int64)
    money = np.zeros(count, np.int64)
    for turn in turns:
        before = _value_turn(turn, values)
        win[turn.rows] = before.win
        money[turn.rows] = before.money
    return Values(win, money)


def _value_turn(turn: Turn, values: Values) -> Values:
    """Return the values of the positions before this turn, as means over all throws."""
    after = values.take(turn.children)
    if turn.throws is None:
        return Values(after.win[:, 0], after.money[:, 0])
    if turn.weights is not None:
        return Values(
            (after.win * turn.weights).sum(axis=1) // turn.throws.all,
            (after.money * turn.weights).sum(axis=1) // turn.throws.all,
        )
    best = _choose_best(turn, turn.throws, after)
    return Values(
        (best.win * turn.throws.often).sum(axis=1) // turn.throws.all,
        (best.money * turn.throws.often).sum(axis=1) // turn.throws.all,
    )


def _choose_best(turn: Turn, throws: Throws, after: Values) -> Values:
    """Return the values of the seat's best move for each throw, by position and throw."""
    moves = len(throws.moves)
    worth = after.win + after.money
    worth[:, moves] = -1
    best = worth[:, throws.offered[:, 0]]
    chosen = np.broadcast_to(throws.offered[:, 0], best.shape)
    for face in range(1, FACES):
        offered = throws.offered[:, face]
        better = worth[:, offered] > best
        best = np.where(better, worth[:, offered], best)
        chosen = np.where(better, offered, chosen)
    passing = np.where(turn.may_pass, after.win[:, moves] + after.money[:, moves], -1)
    chosen = np.where(passing[:, None] > best, moves, chosen)
    return Values(
        np.take_along_axis(after.win, chosen, axis=1), np.take_along_axis(after.money, chosen, axis=1)
    )


def weigh_exactly(
    endgame: Endgame, options: Sequence[str], moves: Sequence[Move]
) -> tuple[Candidate, ...] | None:
    """Return each option with its exact figures, or None if the endgame is too large.

    Options are the moves of the asked seat; None is a pass.
    """
    if count_positions(endgame, moves) > MOST_POSITIONS:
        return None
    enumeration = Enumeration(endgame)
    if not enumeration.fits:
        return None
    values = enumeration.weigh(moves)
    before = CHIP * endgame.chips[endgame.seat]
    return tuple(
        Candidate(option, THOUSAND * money // PARTS - THOUSAND * before, win / CERTAIN, exact=True)
        for option, win, money in zip(options, values.win.tolist(), values.money.tolist(), strict=True)
    )
