"""The rest of a round of the card game in lanes: who plays when, and with which cards."""

from __future__ import annotations

import numpy as np

from events.values import CASINO_NUMBERS
from workers.bots.decision import Question
from workers.simulators.card_deals import deal, even_numbers
from workers.simulators.card_lanes import ENOUGH_DICE, MOST_TURNS, Lanes
from workers.simulators.card_policy import HASTY, PATIENT, Hand, Selection, select
from workers.simulators.card_ranks import OWN

# How far a mood sways a choice inside a playout, in thousands of dollars.
SWAY = 10


class Rest:
    """The asked seat has had its turn; the cards and moods of a lane are the same for all options."""

    def __init__(self, table: Lanes, question: Question, lanes: int) -> None:
        self._table, self._question, self._lanes = table, question, lanes
        view, self._chance = question.view, question.chance
        self._hands = [deal(view, seat, lanes, self._chance) for seat in range(len(view.seats))]

    def play(self, at_once: bool) -> None:
        if at_once:
            self._play_at_once()
        else:
            self._play_in_turn()

    def _play_at_once(self) -> None:
        """All see the same table."""
        for turn in range(MOST_TURNS):
            selected = {seat: self._select(seat, number) for seat, number in self._playing(turn)}
            for seat, selection in selected.items():
                self._table.lay(seat, selection.dice, selection.cards)

    def _play_in_turn(self) -> None:
        for turn in range(MOST_TURNS):
            for seat, number in self._playing(turn):
                selection = self._select(seat, number)
                self._table.lay(seat, selection.dice, selection.cards)
                if self._table.has_chips:
                    self._table.take_chips(seat, selection.dice >= ENOUGH_DICE)

    def _playing(self, turn: int) -> list[tuple[int, int]]:
        """Seats in order, from the asked one on, with the number of the hand that each plays now."""
        view, asked = self._question.view, self._question.seat
        numbered = [(seat, turn - (seat == asked)) for seat in view.clockwise(asked)]
        return [(seat, number) for seat, number in numbered if 0 <= number < len(self._hands[seat])]

    def _select(self, seat: int, number: int) -> Selection:
        options, hand = len(self._question.options), self._hands[seat][number]
        mood = even_numbers((self._lanes, len(CASINO_NUMBERS)), OWN * SWAY, self._chance)
        singles, doubles, swayed = (
            np.tile(part, (options, 1)) for part in (hand.singles, hand.doubles, mood)
        )
        turns = len(self._hands[seat]) - number - 1
        style = PATIENT if seat == self._question.seat else HASTY
        return select(self._table, seat, Hand(singles, doubles), turns, swayed, style)
