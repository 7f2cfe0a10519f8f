"""Reads and writes trained weights: a file for each edition and number of players.

Each file also says how the weights were made.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct, structs

from workers.simulation import net, royale_net
from workers.simulation.card_net import CardPlayer, CasinoNet, count_inputs
from workers.simulation.net import Floats, Net

FOLDER = Path(__file__).with_name("weights")
# A weight is a whole number of 1/GRAIN, so that sums are not rounded.
GRAIN = 256
# The sums of the first layer are exact in 32 bits.
_SHORT = ("place", "hand", "first")
CARDS = "cards"
# The editions with inputs of their own.
_WIDTHS = {"royale": royale_net.widths}


class Part(Struct, frozen=True):
    """Holds an array: two bytes for each number, the lower one first, row by row, in base64."""

    shape: tuple[int, ...]
    numbers: str


class Made(Struct, frozen=True):
    """Says how weights were made. Made again, by other versions, they are as strong but not the same.

    `share` is what the net won alone against the pool, of single rounds.
    """

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
    """Holds the content of a file: how the weights were made, and the arrays."""

    made: Made
    parts: dict[str, Part]


class UnusableWeights(ValueError):
    """Says that the weights were trained on other inputs than this build has."""


def write_weights(trained: Net | CasinoNet, made: Made, folder: Path = FOLDER) -> Path:
    """Write the weights to their file and return its path."""
    parts = {name: _pack(part) for name, part in structs.asdict(trained).items()}
    file = folder / f"{made.edition}-{made.players}.json"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(Learned(made, parts)), indent=1) + b"\n")
    return file


def read_weights(file: Path) -> Learned:
    """Return the content of a file of weights."""
    return msgspec.json.decode(file.read_bytes(), type=Learned)


@cache
def load_net(edition: str, players: int) -> Net | None:
    """Return the net for this edition and number of players; None if none was trained."""
    file = FOLDER / f"{edition}-{players}.json"
    return unpack(read_weights(file)) if file.exists() else None


def widths(edition: str, players: int) -> tuple[int, int, int]:
    """Return the number of inputs of each kind for this edition and number of players."""
    return _WIDTHS.get(edition, net.widths)(players)


def unpack(learned: Learned) -> Net:
    """Return the net from its file. Raises UnusableWeights if its inputs are not those of this build."""
    found = Net(**{name: _unpack(name, part) for name, part in learned.parts.items()})
    seen = found.place.shape[0], found.hand.shape[0], found.standing.shape[0]
    if seen != widths(learned.made.edition, learned.made.players):
        raise UnusableWeights(
            f"{learned.made.edition} for {learned.made.players} players was trained on other inputs"
        )
    return found


@cache
def load_card_player(players: int) -> CardPlayer | None:
    """Return the player by the net of the card game for this number of players; None if none was trained."""
    file = FOLDER / f"{CARDS}-{players}.json"
    return CardPlayer(unpack_casino_net(read_weights(file)), players) if file.exists() else None


def unpack_casino_net(learned: Learned) -> CasinoNet:
    """Return the net of the card game from its file.

    Raises UnusableWeights if its inputs are not those of this build.
    """
    parts = {name: _unpack(name, part).astype(np.float32) for name, part in learned.parts.items()}
    net = CasinoNet(**parts)
    if len(net.first) != count_inputs(learned.made.players):
        raise UnusableWeights(f"{CARDS} for {learned.made.players} players was trained on other inputs")
    return net


def _pack(part: Floats) -> Part:
    """Return the array in the form of the file, rounded to whole grains."""
    grains = np.clip(np.round(part * GRAIN), -32_768, 32_767).astype("<i2")
    return Part(part.shape, b64encode(grains.tobytes()).decode())


def _unpack(name: str, part: Part) -> Floats:
    """Return the array from the form of the file."""
    grains = np.frombuffer(b64decode(part.numbers), "<i2").reshape(part.shape)
    return (grains / GRAIN).astype(np.float32 if name in _SHORT else np.float64)
