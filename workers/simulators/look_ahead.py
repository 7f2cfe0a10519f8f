"""Lanes that a net plays on to somebody's next turn, and judges there."""

from __future__ import annotations

from random import Random

import numpy as np

from workers.simulators.lanes import Flags, Lanes, Offers
from workers.simulators.luck import Luck
from workers.simulators.net import Net
from workers.simulators.net_inputs import Floats, Stakes, look
from workers.simulators.net_play import to_chances
from workers.simulators.playouts import count_turns, roll
from workers.simulators.ranks import Ints
from workers.simulators.standing import Chances, chances_to_win

_NEVER = -1e6


class NetPlayer:
    """How the net plays and judges for whoever is to move."""

    def __init__(self, net: Net, stakes: Stakes) -> None:
        self._net, self._stakes = net, stakes

    def choose(self, lanes: Lanes, seat: int, offers: Offers) -> Ints:
        """Whoever has one option only need not think."""
        thinking = lanes.has_dice(seat) & (offers.legal.sum(axis=1) > 1)
        return self._log_odds(lanes, seat, offers, thinking).argmax(axis=1)

    def judge(self, lanes: Lanes, seat: int, offers: Offers) -> Chances:
        """What the best option is worth to the seat."""
        return to_chances(self._log_odds(lanes, seat, offers, lanes.has_dice(seat)).max(axis=1))

    def _log_odds(self, lanes: Lanes, seat: int, offers: Offers, thinking: Flags) -> Floats:
        """By lane and option."""
        pairs = np.nonzero(offers.legal & thinking[:, None])
        worth: Floats = np.where(offers.legal, 0.0, _NEVER)
        if len(pairs[0]):
            worth[pairs] = self._net.value(look(lanes, seat, offers, self._stakes, pairs))[:, 0]
        return worth


class LookAhead:
    """Everybody else moves once; then lanes are judged by the best that the seat can do with its next roll.

    Lanes in which it has no dice left by then are played to the end of the round and judged by the outcome.
    """

    def __init__(self, lanes: Lanes, seat: int, playouts: int, chance: Random) -> None:
        """Lanes of one playout have the same luck."""
        self._lanes, self._seat = lanes, seat
        self._luck = Luck(chance, *count_turns(lanes, playouts), whim=1)
        self._number = np.tile(np.arange(playouts), len(lanes.codes) // playouts)
        self._rows = np.arange(len(lanes.codes))
        self._found = np.zeros(len(lanes.codes), np.int64)

    def run(self, player: NetPlayer, stakes: Stakes, notes: Ints) -> Chances:
        """The seat's chance to win, by lane."""
        for turn in range(len(self._luck.small)):
            seat = (self._seat + 1 + turn) % self._lanes.players
            if turn == self._lanes.players - 1:
                self._judge(player, turn)
            if self._lanes.is_done():
                break
            self._step(player, seat, turn)
        self._settle(stakes, notes)
        return self._found

    def _step(self, player: NetPlayer, seat: int, turn: int) -> None:
        lanes = self._lanes
        rows = np.flatnonzero(lanes.has_dice(seat))
        if len(rows):
            offers = lanes.offers(seat, roll(lanes, seat, self._luck, turn, self._number[self._rows]))
            lanes.take(seat, offers, rows, player.choose(lanes, seat, offers)[rows])

    def _judge(self, player: NetPlayer, turn: int) -> None:
        """Those in which the seat moves are done with; the others go on."""
        moving, seat = self._lanes.has_dice(self._seat), self._seat
        rows = np.flatnonzero(moving)
        if len(rows):
            lanes, there = self._lanes.select(rows), self._rows[rows]
            offers = lanes.offers(seat, roll(lanes, seat, self._luck, turn, self._number[there]))
            self._found[there] = player.judge(lanes, seat, offers)
        self._rows, self._lanes = self._rows[~moving], self._lanes.select(np.flatnonzero(~moving))

    def _settle(self, stakes: Stakes, notes: Ints) -> None:
        """Where no dice are left the round's outcome says it."""
        if len(self._rows):
            money, held = self._lanes.won() + stakes.cash, self._lanes.notes_won() + notes
            ended = chances_to_win(money, held, int(stakes.rounds_left[0]))
            self._found[self._rows] = ended[:, self._seat]
