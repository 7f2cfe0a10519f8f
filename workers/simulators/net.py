"""A small net that says what a table after a move is worth: the chance to win, and the round's money."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from workers.simulators.net_inputs import Floats, Sights

# Thousands that one stands for where the net speaks of money.
MONEY_UNIT = 64


class Net(Struct, frozen=True):
    """Every place goes through the same first layer; their sum and the standing through a second one."""

    place: Floats
    hand: Floats
    first: Floats
    sum: Floats
    standing: Floats
    second: Floats
    out: Floats
    last: Floats

    def value(self, sights: Sights) -> Floats:
        """For each sight the log odds to win, and the money of the round."""
        return self.layers(sights)[-1]

    def layers(self, sights: Sights) -> tuple[Floats, Floats, Floats, Floats]:
        """What is passed on from layer to layer, for those who learn from it."""
        shared = sights.hand @ self.hand + self.first
        places = sights.places @ self.place
        places += shared[:, None]
        np.maximum(places, 0, out=places)
        joined = places.sum(axis=1)
        hidden = np.maximum(joined @ self.sum + sights.standing @ self.standing + self.second, 0)
        return places, joined, hidden, hidden @ self.out + self.last
