"""DOUBLE DOWN and NICE DICE: tiles on which dice lie and earn."""

from __future__ import annotations

from collections.abc import Sequence

from tests.referee.books import ranking
from tests.referee.tiles.log import Script
from tests.referee.tiles.table import NUMBERS, Move
from tests.referee.tiles.tile import Placed, Tile

SPACE = "G2-space"


class DoubleDown(Tile):
    """T-G2: paid like a casino."""

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        small, big = (self.table.dice[self.place, f"seat-{seat}", size] for size in ("small", "big"))
        moves = [f"move-{one}-{two}" for one in range(small + 1) for two in range(big + 1) if one or two]
        if not moves:
            return
        choice = yield from self.table.log.ask("G2.move", seat, [*moves, "leave"])
        if choice != "leave":
            small, big = map(int, choice.split("-")[1:])
            yield from self.table.move(Move(f"seat-{seat}", self.place, SPACE, small, big))

    def paid(self, ranked: Sequence[str]) -> Script[None]:
        best = ranking(self.table.weights(SPACE))
        for owner, prize in zip(best, (60_000, 30_000), strict=False):
            yield from self.table.pay(int(owner[-1]), prize)


class NiceDice(Tile):
    """T-H1, T11."""

    prizes = (10_000, 20_000, 30_000, 40_000, 50_000, 60_000)

    def _takeable(self, number: int) -> bool:
        """Who lies there must be able to leave."""
        return number != self.table.closed or not self.table.lying(f"H1-{number}")

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        rolled = [(size, face) for size, faces in self.table.arena.items() for face in +faces]
        puts = [f"put-{size}-{face}" for size, face in rolled if self._takeable(face)]
        shifts = [f"shift-{size}-{self.number}" for size in +placed if self._takeable(self.number)]
        choice = yield from self.table.log.ask("H1.put", seat, [*puts, *shifts, "leave"])
        if choice != "leave":
            kind, size, face = choice.split("-")
            yield from self._displace(face)
            source = f"supply-{seat}" if kind == "put" else self.place
            yield from self.table.send(f"seat-{seat}", source, f"H1-{face}", size)

    def _displace(self, face: str) -> Script[None]:
        space = f"H1-{face}"
        for owner in self.table.lying(space):
            size = self.table.sizes(space, owner)[0]
            yield from self.table.send(owner, space, f"casino-{face}", size)

    def paid(self, ranked: Sequence[str]) -> Script[None]:
        for number in NUMBERS:
            for owner in self.table.lying(f"H1-{number}"):
                yield from self.table.pay(int(owner[-1]), self.prizes[number - 1])
