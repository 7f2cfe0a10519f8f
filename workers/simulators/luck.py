"""Dice and whims for all playouts of a question, the same for each of its options."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from workers.simulators.ranks import Ints

FACES = 6
Counts = NDArray[np.int32]


def even_numbers(chance: Random, bound: int, *shape: int) -> Counts:
    """Each below the bound; two bytes for each, so that the odds are even to one in ten thousand."""
    raw = np.frombuffer(chance.randbytes(2 * int(np.prod(shape))), "<u2").reshape(shape)
    return (raw.astype(np.int32) * bound) >> 16


def count_faces(faces: Ints) -> Counts:
    """How often each face shows among the first 0, 1, 2, … of the dice on the last axis."""
    shown = faces[..., None] == np.arange(FACES)
    counted = np.zeros((*faces.shape[:-1], faces.shape[-1] + 1, FACES), np.int32)
    np.cumsum(shown, axis=-2, out=counted[..., 1:, :])
    return counted


class Luck:
    """For `turns` turns of `playouts` playouts: how small and white dice fall, the big one, and whims."""

    def __init__(
        self, chance: Random, turns: int, playouts: int, most: tuple[int, int, int], whim: int
    ) -> None:
        small, big, white = most
        self.small = count_faces(even_numbers(chance, FACES, turns, playouts, small))
        self.white = count_faces(even_numbers(chance, FACES, turns, playouts, white))
        self.big = even_numbers(chance, FACES, turns, playouts) if big else None
        self.whims = even_numbers(chance, whim, turns, playouts, 2 * FACES)
