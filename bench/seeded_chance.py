"""Chance without proof, for play that nobody has to trust."""

from __future__ import annotations

from random import Random

from rules.chance import Below, faces

_NUMBERS = 128
_DICE = 12


class SeededChance:
    """All dice of a game are thrown at once; a running number says where to look."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._seed = seed
        self._bytes = self.random.randbytes(_NUMBERS * _DICE * 2)
        self._faces = faces(self._bytes)

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        first = number % _NUMBERS * _DICE
        return tuple(self._faces[first : first + count])

    def draw(self, number: int) -> Below:
        """Two bytes a pick; good enough where nobody bets."""
        first = number % _NUMBERS * _DICE * 2
        picks = iter(self._bytes[first : first + 2 * _DICE])
        return lambda bound: (next(picks) << 8 | next(picks)) * bound >> 16

    def salt(self, number: int) -> str:
        return Random(f"{self._seed} {number}").randbytes(16).hex()

    def seed(self) -> str:
        return f"{self._seed:064x}"
