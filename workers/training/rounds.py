"""A round in many lanes, played by nets and others, and what can be learned from it."""

from __future__ import annotations

from random import Random

import numpy as np
from msgspec import Struct

from workers.simulators.lanes import Lanes, Offers
from workers.simulators.luck import Luck
from workers.simulators.net import Net
from workers.simulators.net_inputs import Floats, Sights, Stakes, look
from workers.simulators.playouts import Policy, count_turns, take_turn
from workers.simulators.ranks import Ints
from workers.simulators.standing import WHOLE, chances_to_win

MOST_WHIM = 1_000


class Seen(Struct, frozen=True):
    """What one seat saw right after it had moved, and in which lanes."""

    seat: int
    lanes: Ints
    sights: Sights


class Learner:
    """Plays by a net, more or less at whim, and keeps what it saw."""

    def __init__(self, net: Net, stakes: Stakes, whim: float = 0) -> None:
        self._net, self._stakes, self._whim = net, stakes, whim
        self.seen: list[Seen] = []

    def choose(self, lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Floats:
        playing = offers.legal & lanes.has_dice(seat)[:, None]
        pairs = np.nonzero(playing)
        sights = look(lanes, seat, offers, self._stakes, pairs)
        worth: Floats = np.where(offers.legal, 0.0, -1e9)
        worth[pairs] = self._net.value(sights)[:, 0]
        worth = worth + self._whim * 2 / MOST_WHIM * whims[:, : offers.legal.shape[1]]
        self._keep(seat, pairs, sights, worth.argmax(axis=1))
        return worth

    def _keep(self, seat: int, pairs: tuple[Ints, ...], sights: Sights, chosen: Ints) -> None:
        taken = np.flatnonzero(chosen[pairs[0]] == pairs[1])
        kept = Sights(sights.places[taken], sights.hand[taken], sights.standing[taken])
        self.seen.append(Seen(seat, pairs[0][taken], kept))


def play_round(lanes: Lanes, policies: list[Policy], chance: Random) -> None:
    """One policy a seat."""
    luck = Luck(chance, *count_turns(lanes, len(lanes.codes)), whim=MOST_WHIM)
    number = np.arange(len(lanes.codes), dtype=np.int32)
    for turn in range(len(luck.small)):
        if turn % lanes.players == 0 and lanes.is_done():
            return
        seat = turn % lanes.players
        take_turn(lanes, seat, luck, turn, number, policies[seat])


def judge(lanes: Lanes, stakes: Stakes) -> Floats:
    """By lane and seat the chance to win after the round."""
    money, notes = lanes.won() + stakes.cash, lanes.notes_won()
    found = np.zeros(money.shape)
    for left in np.unique(stakes.rounds_left):
        rows = stakes.rounds_left == left
        found[rows] = chances_to_win(money[rows], notes[rows], int(left)) / WHOLE
    return found
