"""MY CHOICE: one of two results, and what it allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from tests.referee.tiles.log import Script
from tests.referee.tiles.returns import place_or_fetch, possible
from tests.referee.tiles.tile import Placed, Tile

GOLD = "H2-gold"


class MyChoice(Tile):
    """T-H2, T8: a result that cannot be carried out does nothing."""

    earned: ClassVar = {1: 10_000, 2: 20_000, 3: 30_000}

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        thrown = yield from self.table.log.black()
        choice = yield from self.table.log.ask("H2.result", seat, [f"use-{face}" for face in set(thrown)])
        result = int(choice[-1])
        if result in self.earned:
            yield from self.table.pay(seat, self.earned[result])
        elif result == 4:
            yield from self._another(seat)
        elif result == 5 and possible(self.table, seat):
            yield from place_or_fetch(self.table, "H2.die", seat)
        elif result == 6 and self.table.hand(seat):
            yield from self._gold(seat)

    def _another(self, seat: int) -> Script[None]:
        others = [number for number in self.neighbours if number in self.table.open]
        if others:
            options = [f"activate-{number}" for number in others]
            choice = yield from self.table.log.ask("H2.tile", seat, options)
            yield from self.activate(int(choice[-1]), seat, Counter())

    def _gold(self, seat: int) -> Script[None]:
        options = [f"gold-{size}" for size in self.table.hand(seat)]
        size = (yield from self.table.log.ask("H2.gold", seat, options)).removeprefix("gold-")
        for owner in self.table.lying(GOLD):
            home = owner.replace("seat", "supply")
            yield from self.table.send(owner, GOLD, home, self.table.sizes(GOLD, owner)[0])
        yield from self.table.send(f"seat-{seat}", f"supply-{seat}", GOLD, size)

    def paid(self, ranked: Sequence[str]) -> Script[None]:
        for owner in self.table.lying(GOLD):
            yield from self.table.pay(int(owner[-1]), 60_000)
