"""The end of a round by the rulebook alone: each die of each throw, one after another, in plain Python.

It shares no code with the simulation. The asked seat takes what wins most; its rivals play by the rule that
`docs/bots.md` calls sensible.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from events.values import CASINO, CASINO_NUMBERS, NEUTRAL, OWNER, SUPPLY
from rules.state import State

# Thousands of dollars, and what a thousand is worth beside the chance to win.
DIE = 8
CHIP = 10
A_THOUSAND = 2.0**-23

Notes = tuple[int, ...]
# The chance of a seat to win, from what all seats have after the round.
Judge = Callable[[list[int], int], float]


class Hand(NamedTuple):
    small: int
    big: int
    white: int
    chips: int


class Table(NamedTuple):
    """Weights by casino and owner, neutral dice last, and hands by seat."""

    casinos: tuple[tuple[int, ...], ...]
    hands: tuple[Hand, ...]


class Worth(NamedTuple):
    win: float
    money: float

    @property
    def merit(self) -> float:
        return self.win + A_THOUSAND * self.money


def pay(weights: tuple[int, ...], notes: Notes) -> list[int]:
    """Most dice get the highest note; whoever has as many as another gets nothing."""
    paid = [0] * len(weights)
    alone = [owner for owner, weight in enumerate(weights) if weight and weights.count(weight) == 1]
    for note, owner in zip(notes, sorted(alone, key=lambda owner: -weights[owner]), strict=False):
        paid[owner] = note
    return paid


class EndgameModel:
    """The rest of a round, as the asked seat sees it, in every way in which it can go."""

    def __init__(self, view: State, seat: int, judge: Judge | None) -> None:
        """`judge` estimates the chance to win before the last round; after it the rules decide."""
        seats = range(len(view.seats))
        self._seat, self._judge, self._royale = seat, judge, view.edition == "royale"
        self._notes = [
            tuple(sorted((note // 1_000 for note in view.notes_at(number)), reverse=True))
            for number in CASINO_NUMBERS
        ]
        self._cash = [sum(view.notes_of(other)) // 1_000 for other in seats]
        self._held = [len(view.notes_of(other)) for other in seats]
        # The bank pays in chips of classic where it has no note: they are money, and nobody passes with them.
        if not self._royale:
            self._cash = [cash + CHIP * view.chips_of(other) for other, cash in enumerate(self._cash)]
            self._held = [held + view.chips_of(other) for other, held in enumerate(self._held)]
        owners = (*(OWNER[other] for other in seats), NEUTRAL)
        self._first = Table(
            tuple(
                tuple(view.dice_of(owner, CASINO[number]).weight for owner in owners)
                for number in CASINO_NUMBERS
            ),
            tuple(self._read_hand(view, other) for other in seats),
        )
        self._known: dict[tuple[Table, int], Worth] = {}

    def _read_hand(self, view: State, seat: int) -> Hand:
        dice = view.supply_of(seat)
        white = view.dice_of(NEUTRAL, SUPPLY[seat]).small
        return Hand(dice.small, dice.big, white, view.chips_of(seat) if self._royale else 0)

    def weigh(self, view: State, option: str) -> Worth:
        """What the option is worth: its chance to win, and the money of the round in thousands."""
        assert view.roll is not None
        if option == "pass":
            after = self._pass(self._first, self._seat)
        else:
            face = int(option.removeprefix("place-"))
            dice = view.roll.own.count(face), int(view.roll.big == face), view.roll.neutral.count(face)
            after = self._place(self._first, self._seat, face - 1, dice)
        worth = self._value(after, self._next(self._seat))
        return Worth(worth.win, worth.money - CHIP * self._first.hands[self._seat].chips)

    def _next(self, seat: int) -> int:
        return (seat + 1) % len(self._first.hands)

    def _value(self, table: Table, seat: int) -> Worth:
        if not any(hand[:3] != (0, 0, 0) for hand in table.hands):
            return self._end(table)
        if (table, seat) not in self._known:
            self._known[table, seat] = self._turn(table, seat)
        return self._known[table, seat]

    def _turn(self, table: Table, seat: int) -> Worth:
        small, big, white, _ = table.hands[seat]
        count = small + big + white
        if not count:
            return self._value(table, self._next(seat))
        answers = dict[tuple[tuple[int, int, int], ...], Worth]()
        win = money = 0.0
        for throw in product(range(6), repeat=count):
            kinds = throw[:small], throw[small : small + big], throw[small + big :]
            shown = tuple(
                (kinds[0].count(face), kinds[1].count(face), kinds[2].count(face)) for face in range(6)
            )
            if shown not in answers:
                answers[shown] = self._answer(table, seat, shown)
            win += answers[shown].win
            money += answers[shown].money
        return Worth(win / 6**count, money / 6**count)

    def _answer(self, table: Table, seat: int, shown: tuple[tuple[int, int, int], ...]) -> Worth:
        after = [self._place(table, seat, face, dice) for face, dice in enumerate(shown) if any(dice)]
        can_pass = table.hands[seat].chips > 0
        if seat == self._seat:
            after += [self._pass(table, seat)] if can_pass else []
            return max((self._value(one, self._next(seat)) for one in after), key=lambda worth: worth.merit)
        now = self._stand(table, seat)
        weights = [dice[0] + 2 * dice[1] for dice in shown if any(dice)]
        gains = [
            self._stand(one, seat) - now - 10 * DIE * weight
            for one, weight in zip(after, weights, strict=True)
        ]
        if self._royale and can_pass and max(gains) < -10 * CHIP:
            return self._value(self._pass(table, seat), self._next(seat))
        return self._value(after[gains.index(max(gains))], self._next(seat))

    def _place(self, table: Table, seat: int, face: int, dice: tuple[int, int, int]) -> Table:
        small, big, white = dice
        casino = list(table.casinos[face])
        casino[seat] += small + 2 * big
        casino[-1] += white
        hand = table.hands[seat]
        left = Hand(hand.small - small, hand.big - big, hand.white - white, hand.chips)
        return Table(
            (*table.casinos[:face], tuple(casino), *table.casinos[face + 1 :]),
            (*table.hands[:seat], left, *table.hands[seat + 1 :]),
        )

    def _pass(self, table: Table, seat: int) -> Table:
        hand = table.hands[seat]
        return Table(
            table.casinos,
            (*table.hands[:seat], hand._replace(chips=hand.chips - 1), *table.hands[seat + 1 :]),
        )

    def _won(self, table: Table) -> tuple[list[int], list[int]]:
        """Money and notes of each seat in this round, chips included."""
        paid = [pay(casino, notes) for casino, notes in zip(table.casinos, self._notes, strict=True)]
        seats = range(len(table.hands))
        chips = [hand.chips for hand in table.hands]
        money = [sum(one[seat] for one in paid) + CHIP * chips[seat] for seat in seats]
        return money, [sum(one[seat] > 0 for one in paid) + chips[seat] for seat in seats]

    def _stand(self, table: Table, seat: int) -> int:
        """In tenths: own money, less that of the best rival, less a tenth of what all of them have."""
        money = [won + cash for won, cash in zip(self._won(table)[0], self._cash, strict=True)]
        rivals = money[:seat] + money[seat + 1 :]
        return 10 * (money[seat] - max(rivals)) - sum(rivals)

    def _end(self, table: Table) -> Worth:
        money, notes = self._won(table)
        score = [
            (won + cash, count + held)
            for won, cash, count, held in zip(money, self._cash, notes, self._held, strict=True)
        ]
        if self._judge is not None:
            return Worth(self._judge([sums for sums, _ in score], self._seat), money[self._seat])
        return Worth((score[self._seat] == max(score)) / score.count(max(score)), money[self._seat])
