"""Those who do not learn, whom a net plays against at times: who only knows itself swings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workers.simulators.lanes import Lanes, Offers
from workers.simulators.net_inputs import Floats, Stakes
from workers.simulators.playouts import Policy
from workers.simulators.ranks import Ints
from workers.simulators.sensible import WHIM, sensible
from workers.training.rounds import MOST_WHIM

# Thousands that nobody is ever ahead by, so that what comes first always counts more.
_FURTHEST = 4_096


def be_sensible(stakes: Stakes) -> Policy:
    """Careful with dice, and a little capricious."""

    def choose(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
        return sensible(lanes, seat, offers, whims * WHIM // MOST_WHIM)

    return choose


def chase_the_first(stakes: Stakes) -> Policy:
    """Wants to be ahead of the best of the others now, then of the second best, and so on."""

    def choose(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Floats:
        after = (stakes.cash + lanes.won())[:, None] + offers.gain
        others = [other for other in range(lanes.players) if other != seat]
        ahead = np.sort(after[:, :, seat, None] - after[:, :, others], axis=2)
        return ahead @ (1.0 / _FURTHEST ** np.arange(len(others)))

    return choose


POOL: tuple[Callable[[Stakes], Policy], ...] = (be_sensible, chase_the_first)


def seat_pool(learner: Policy, stakes: Stakes, players: int, turn: int) -> list[Policy]:
    """Each of the pool in turn, and the learner alone among them or in every other seat."""
    kind, seated = divmod(turn, players)
    other = POOL[kind % len(POOL)](stakes)
    crowded = kind // len(POOL) % 2
    return [
        learner if (seat == seated if not crowded else (seat + seated) % 2 == 0) else other
        for seat in range(players)
    ]
