"""How a net learns: gradients by hand, steps by Adam."""

from __future__ import annotations

import numpy as np
from msgspec import structs

from workers.simulators.net import Net
from workers.simulators.net_inputs import Floats, Sights, widths

# How much a wrong guess of the money counts beside a wrong guess of the chance to win.
MONEY = 0.1
_DECAYS = 0.9, 0.999


def draw_net(players: int, hidden: int, seed: int) -> Net:
    """Nothing learned yet."""
    random, (place, hand, standing) = np.random.Generator(np.random.PCG64(seed)), widths(players)

    def layer(inputs: int, outputs: int) -> Floats:
        return random.normal(0, np.sqrt(1.0 / inputs), (inputs, outputs)).astype(np.float32)

    return Net(
        place=layer(place, hidden),
        hand=layer(hand, hidden),
        first=np.zeros(hidden, np.float32),
        sum=layer(hidden, hidden) / 2,
        standing=layer(standing, hidden),
        second=np.zeros(hidden, np.float32),
        out=layer(hidden, 2) / 2,
        last=np.zeros(2, np.float32),
    )


def gradient(net: Net, sights: Sights, win: Floats, money: Floats) -> Net:
    """Of the cross entropy of the chance to win, and the square of what the money is missed by."""
    places, joined, hidden, value = net.layers(sights)
    count = len(win)
    off = np.stack([1 / (1 + np.exp(-value[:, 0])) - win, MONEY * (value[:, 1] - money)], axis=1) / count
    off = off.astype(np.float32)
    back = (off @ net.out.T) * (hidden > 0)
    spread = (back @ net.sum.T)[:, None] * (places > 0)
    shared = spread.sum(axis=1)
    width = sights.places.shape[2]
    return Net(
        place=sights.places.reshape(-1, width).T @ spread.reshape(-1, spread.shape[2]),
        hand=sights.hand.T @ shared,
        first=shared.sum(axis=0),
        sum=joined.T @ back,
        standing=sights.standing.T @ back,
        second=back.sum(axis=0),
        out=hidden.T @ off,
        last=off.sum(axis=0),
    )


class Adam:
    """Also keeps the average of where it has been, which plays better than where it is."""

    def __init__(self, net: Net, keep: float) -> None:
        self.net, self.average, self._keep = net, net, keep
        self._step = 0
        self._mean = {name: np.zeros_like(part) for name, part in structs.asdict(net).items()}
        self._square = {name: np.zeros_like(part) for name, part in structs.asdict(net).items()}

    def step(self, slope: Net, rate: float) -> None:
        self._step += 1
        moved = {name: self._move(name, part, rate) for name, part in structs.asdict(slope).items()}
        self.net = Net(**moved)
        averaged = {
            name: self._keep * part + (1 - self._keep) * moved[name]
            for name, part in structs.asdict(self.average).items()
        }
        self.average = Net(**averaged)

    def _move(self, name: str, slope: Floats, rate: float) -> Floats:
        mean, square = _DECAYS
        self._mean[name] = mean * self._mean[name] + (1 - mean) * slope
        self._square[name] = square * self._square[name] + (1 - square) * slope**2
        fair = self._mean[name] / (1 - mean**self._step)
        size = np.sqrt(self._square[name] / (1 - square**self._step)) + 1e-8
        return (getattr(self.net, name) - rate * fair / size).astype(np.float32)
