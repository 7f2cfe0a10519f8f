"""Plays rounds of Royale out with the trained net on the asked seat, which also judges its next turn."""

from __future__ import annotations

from random import Random

import numpy as np

from workers.simulation.dice import to_chances
from workers.simulation.net import Net
from workers.simulation.royale_lanes import MOST_TURNS, Flags, Ints, RoyaleRest, roll_dice
from workers.simulation.royale_net import RoyaleRoll, RoyaleRound, judge_moves, roll_for, take_move
from workers.simulation.winning import WHOLE, Figures


class RoyaleNetPlayouts:
    """Plays rounds out to their end: the last seat in order by the net, its rivals by the net or the rule.

    At the seat's next turn the net also judges the best that it can do with its roll. The mean of that and of
    the outcome has less noise than the outcome. Lanes of the same playout have the same luck.
    """

    def __init__(
        self, net: Net, round_: RoyaleRound, playouts: int, chance: Random, *, learned: bool
    ) -> None:
        """`learned` says that rivals play by the net."""
        self._net = net
        self._round = round_
        self._playouts = playouts
        self._chance = chance
        self._learned = learned
        self._number = np.tile(np.arange(playouts), len(round_.extra) // playouts)
        self._rest = RoyaleRest(round_.lanes, round_.extra, round_.rewards, playouts, chance)
        self._moving = np.zeros(len(round_.extra), np.bool_)
        self._judged = np.zeros(len(round_.extra))

    def run(self, order: tuple[int, ...]) -> tuple[Ints, Ints]:
        """Play all lanes; return what every seat has in the end, and its notes and chips of the round."""
        lanes = self._round.lanes
        for turn in range(MOST_TURNS):
            for seat in order:
                playing = lanes.has_dice(seat)
                if not playing.any():
                    continue
                if seat == order[-1] or self._learned:
                    self._step(seat, playing, judging=turn == 0 and seat == order[-1])
                else:
                    self._rest.take_turn(seat, playing)
            if lanes.is_done:
                break
        sums = lanes.won() + self._round.extra
        # A seat that has less than its fine pays all it has.
        return sums if lanes.fines is None else np.maximum(sums, 0), lanes.count_won()

    def join(self, ended: Figures) -> Figures:
        """Return the means of these chances to win at the end and of what the net expected, by lane."""
        found: Figures = np.where(self._moving, (ended + self._judged) / 2, ended)
        return found

    def _step(self, seat: int, playing: Flags, *, judging: bool) -> None:
        """Play one turn of this seat by the net."""
        round_ = self._round
        rolled = roll_for(
            round_, seat, *roll_dice(round_.lanes, seat, self._number, self._playouts, self._chance)
        )
        playing = playing & rolled.legal.any(axis=1)
        rows = np.flatnonzero(playing)
        if len(rows):
            thinking = playing if judging else playing & _has_choice(rolled)
            worth = judge_moves(self._net, round_, seat, rolled, thinking)
            if judging:
                self._moving = playing
                self._judged = to_chances(worth.max(axis=1)) / WHOLE
            take_move(round_, seat, rolled, rows, worth.argmax(axis=1)[rows])


def _has_choice(rolled: RoyaleRoll) -> Flags:
    """Return where the roll offers more than one option, by lane."""
    found: Flags = rolled.legal.sum(axis=1) > 1
    return found
