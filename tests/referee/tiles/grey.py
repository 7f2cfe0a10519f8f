"""BLOCK IT! and HANDICAP: the nine blank grey dice."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from tests.referee.books import fair
from tests.referee.tiles.log import Script
from tests.referee.tiles.returns import place_or_fetch, possible
from tests.referee.tiles.table import BOX, GREY, NUMBERS, Move
from tests.referee.tiles.tile import Placed, Tile


class BlockIt(Tile):
    """T-F1, T10."""

    def laid(self) -> Script[None]:
        for space, size in enumerate((1, 1, 2, 2, 3), 1):
            yield from self.table.move(Move(GREY, BOX, f"F1-{space}", size))

    def _clusters(self) -> dict[str, int]:
        spaces = [f"F1-{space}" for space in range(1, 6)]
        return {space: size for space in spaces if (size := self.table.dice[space, GREY, "small"])}

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        sizes = set(self._clusters().values())
        options = [f"block-{size}-{number}" for size in sizes for number in self.table.open]
        if not options:
            return
        _, size, number = (yield from self.table.log.ask("F1.block", seat, options)).split("-")
        source = (yield from self.table.log.peek()).get("source", "")
        fair(self._clusters().get(source) == int(size), f"{source} is no cluster of {size}")
        yield from self.table.move(Move(GREY, source, f"casino-{number}", int(size)))


class Handicap(Tile):
    """T-F2: a grey die covers a picture, and the picture pays."""

    pictures: ClassVar = Counter(chip=2, money=3, die=4)
    worth: ClassVar = {"chip": 10_000, "money": 30_000}

    def laid(self) -> Script[None]:
        for number in NUMBERS:
            yield from self.table.move(Move(GREY, BOX, f"casino-{number}", 1 if number < 4 else 2))

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        removals = self._removals(seat)
        if not removals:
            return
        choice = yield from self.table.log.ask("F2.remove", seat, [*removals, "leave"])
        if choice != "leave":
            _, number, picture = choice.split("-")
            yield from self.table.move(Move(GREY, f"casino-{number}", f"F2-{picture}", 1))
            yield from self._reward(seat, picture)

    def _removals(self, seat: int) -> list[str]:
        free = [
            kind
            for kind, count in self.pictures.items()
            if self.table.dice[f"F2-{kind}", GREY, "small"] < count
        ]
        kinds = [kind for kind in free if kind != "die" or possible(self.table, seat)]
        grey = [number for number in self.table.open if self.table.dice[f"casino-{number}", GREY, "small"]]
        return [f"remove-{number}-{kind}" for number in grey for kind in kinds]

    def _reward(self, seat: int, picture: str) -> Script[None]:
        if picture == "die":
            yield from place_or_fetch(self.table, "F2.die", seat)
        else:
            yield from self.table.pay(seat, self.worth[picture])
