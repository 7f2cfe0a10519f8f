"""The protocol of dice and draws: pure functions of a running number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Below = Callable[[int], int]

# 252 is the highest multiple of six in a byte: above it the first faces would come more often.
_FACES = bytes(byte % 6 + 1 for byte in range(256))
_UNEVEN = bytes(range(252, 256))


def faces(noise: bytes) -> bytes:
    """Turn random bytes into faces of dice; bytes that would make some faces likelier are left out."""
    return noise.translate(_FACES, _UNEVEN)


class Chance(Protocol):
    """The same number always gives the same result, so nothing is ever rolled twice."""

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        """Faces of `count` dice."""

    def draw(self, number: int) -> Below:
        """A source of picks: each call gives an even choice below its bound."""

    def salt(self, number: int) -> str:
        """16 bytes in hex, to hide a small value behind."""

    def seed(self) -> str:
        """The seed that everything was made from, in hex; published when the game is over."""
