"""Weights that were learned, one file for each edition and number of players, with what made them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct, structs

from workers.simulation.net import Floats, Net, widths

FOLDER = Path(__file__).with_name("weights")
# A weight is a whole number of these, so that what is summed up has no rounding.
GRAIN = 256
# What the first layer sums up fits into the shorter numbers without a rest.
_SHORT = ("place", "hand", "first")


class Part(Struct, frozen=True):
    """Numbers of two bytes, the lower one first, row by row."""

    shape: tuple[int, ...]
    numbers: str


class Made(Struct, frozen=True):
    """What it takes to make it again; `share` is what it won of rounds alone against the pool."""

    edition: str
    players: int
    options: tuple[tuple[str, ...], ...]
    seed: int
    batches: int
    lanes: int
    hidden: int
    share: float
    numpy: str


class Learned(Struct, frozen=True):
    made: Made
    parts: dict[str, Part]


class UnusableWeights(ValueError):
    """These weights are not for this build."""


def write_weights(net: Net, made: Made, folder: Path = FOLDER) -> Path:
    parts = {name: _pack(part) for name, part in structs.asdict(net).items()}
    file = folder / f"{made.edition}-{made.players}.json"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(Learned(made, parts)), indent=1) + b"\n")
    return file


def read_weights(file: Path) -> Learned:
    return msgspec.json.decode(file.read_bytes(), type=Learned)


@cache
def load_net(edition: str, players: int) -> Net | None:
    """None where nobody has trained one."""
    file = FOLDER / f"{edition}-{players}.json"
    return unpack(read_weights(file)) if file.exists() else None


def unpack(learned: Learned) -> Net:
    """Raises Unfit where the shapes are not those that this build looks with."""
    net = Net(**{name: _unpack(name, part) for name, part in learned.parts.items()})
    seen = net.place.shape[0], net.hand.shape[0], net.standing.shape[0]
    if seen != widths(learned.made.players):
        raise UnusableWeights(
            f"{learned.made.edition} for {learned.made.players} players was trained on other inputs"
        )
    return net


def _pack(part: Floats) -> Part:
    grains = np.clip(np.round(part * GRAIN), -32_768, 32_767).astype("<i2")
    return Part(part.shape, b64encode(grains.tobytes()).decode())


def _unpack(name: str, part: Part) -> Floats:
    grains = np.frombuffer(b64decode(part.numbers), "<i2").reshape(part.shape)
    return (grains / GRAIN).astype(np.float32 if name in _SHORT else np.float64)
