"""LUCKY PUNCH, JACKPOT and FIFTY FIFTY."""

from __future__ import annotations

from typing import ClassVar

from tests.referee.tiles.log import Script
from tests.referee.tiles.tile import Placed, Tile


class LuckyPunch(Tile):
    """T-A1: the fuller the fist, the larger the prize."""

    fists: ClassVar = {"hide-1": 20_000, "hide-2": 30_000, "hide-3": 40_000}

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        log, left = self.table.log, (seat + 1) % self.table.players
        hidden = yield from log.sealed("A1.hide", seat, list(self.fists))
        guess = yield from log.ask("A1.guess", left, [f"guess-{count}" for count in (1, 2, 3)])
        fist = yield from log.opened(hidden, seat, list(self.fists))
        if guess[-1] != fist[-1]:
            yield from self.table.pay(seat, self.fists[fist])


class Jackpot(Tile):
    """T-A2."""

    spaces = (30_000, 40_000, 50_000, 60_000, 70_000, 80_000)
    counter = 0

    def laid(self) -> Script[None]:
        yield from self._to(0)

    def _to(self, space: int) -> Script[None]:
        self.counter = space
        yield from self.table.log.expect("counter_moved", counter="A2", value=space)

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        one, other = yield from self.table.log.black()
        if one == other or one + other == 7:
            yield from self.table.pay(seat, self.spaces[self.counter])
            yield from self._to(0)
        elif self.counter + 1 < len(self.spaces):
            yield from self._to(self.counter + 1)


class FiftyFifty(Tile):
    """T-B2: every bet won is a step on."""

    track = (0, 10_000, 30_000, 40_000, 60_000)

    def laid(self) -> Script[None]:
        yield from self._to(0)

    def _to(self, space: int) -> Script[None]:
        yield from self.table.log.expect("counter_moved", counter="B2", value=space)

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        before = sum((yield from self.table.log.black()))
        reached = yield from self._gamble(seat, before)
        yield from self.table.pay(seat, self.track[reached - 1] if reached else 0)
        yield from self._to(0)

    def _gamble(self, seat: int, before: int) -> Script[int]:
        """The space on which the seat has stopped, 0 if it lost; on the last one there is no more betting."""
        last = len(self.track)
        for space in range(1, last):
            yield from self._to(space)
            bet = yield from self.table.log.ask("B2.bet", seat, ["keep", "bet-high", "bet-low"])
            if bet == "keep":
                return space
            after = sum((yield from self.table.log.black()))
            if not (after > before if bet == "bet-high" else after < before):
                return 0
            before = after
        return last
