"""NO ENTRY! and KNOCKOUT?: who and what has to stay outside."""

from __future__ import annotations

from tests.referee.books import after
from tests.referee.tiles.log import Script
from tests.referee.tiles.table import Move
from tests.referee.tiles.tile import Placed, Tile

BAR, MOST_IN_BAR = "E2-bar", 2


class NoEntry(Tile):
    """T-E1: the counter runs in a circle."""

    track = (0, 20_000, 0, 30_000, 0, 10_000)
    counter = 0

    def laid(self) -> Script[None]:
        yield from self.table.log.expect("token_moved", token="E1", target="E1-token")
        yield from self.table.log.expect("counter_moved", counter="E1", value=0)

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        options = [f"close-{number}" for number in self.table.open if number != self.number]
        if self.table.closed is not None:
            options.append("leave")
        choice = yield from self.table.log.ask("E1.close", seat, options)
        if choice != "leave":
            yield from self._close(int(choice[-1]))
            yield from self._step(seat)

    def _close(self, number: int) -> Script[None]:
        log, before = self.table.log, self.table.closed
        if before is not None:
            yield from log.expect("casino_opened", number=before)
        yield from log.expect("token_moved", token="E1", target=f"casino-{number}")
        yield from log.expect("casino_closed", number=number)
        self.table.closed = number

    def _step(self, seat: int) -> Script[None]:
        self.counter = (self.counter + 1) % len(self.track)
        yield from self.table.log.expect("counter_moved", counter="E1", value=self.counter)
        yield from self.table.pay(seat, self.track[self.counter])


class Knockout(Tile):
    """T-E2."""

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        yield from self._regain(seat)
        for opponent in after(seat, self.table.players)[:-1]:
            if self._in_bar(opponent) < MOST_IN_BAR and self.table.hand(opponent):
                yield from self._give(opponent)

    def _in_bar(self, seat: int) -> int:
        return sum(self.table.dice[BAR, f"seat-{seat}", size] for size in ("small", "big"))

    def _regain(self, seat: int) -> Script[None]:
        small, big = (self.table.dice[BAR, f"seat-{seat}", size] for size in ("small", "big"))
        if small or big:
            yield from self.table.move(Move(f"seat-{seat}", BAR, f"supply-{seat}", small, big))

    def _give(self, seat: int) -> Script[None]:
        sizes = self.table.hand(seat)
        if len(sizes) > 1:
            choice = yield from self.table.log.ask("E2.give", seat, [f"give-{size}" for size in sizes])
            sizes = [choice.removeprefix("give-")]
        yield from self.table.send(f"seat-{seat}", f"supply-{seat}", BAR, sizes[0])
