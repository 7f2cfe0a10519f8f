"""HIGH FIVE, PAY DAY and POWER PLAY: what counts is where one's dice lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.referee.tiles.log import Script
from tests.referee.tiles.returns import placeable
from tests.referee.tiles.table import NUMBERS, place_of
from tests.referee.tiles.tile import Placed, Tile


class HighFive(Tile):
    """T-C1, T5."""

    holder: int | None = None

    def laid(self) -> Script[None]:
        yield from self.table.log.expect("token_moved", token="C1", target="C1-token")

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        if self.holder is None and self.weight(seat) >= 5:
            self.holder = seat
            yield from self.table.log.expect("token_moved", token="C1", target=f"purse-{seat}")

    def paid(self, ranked: Sequence[str]) -> Script[None]:
        if self.holder is not None:
            yield from self.table.pay(self.holder, 100_000)


class PayDay(Tile):
    """T-D1."""

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        owned = [number for number in NUMBERS if self.table.sizes(place_of(number), f"seat-{seat}")]
        yield from self.table.pay(seat, 10_000 * len(owned))


class PowerPlay(Tile):
    """T-D2, T6: the token stays as long as the majority does."""

    holder: int | None = None

    def laid(self) -> Script[None]:
        yield from self._hand(None)

    def _hand(self, seat: int | None) -> Script[None]:
        self.holder = seat
        target = "D2-token" if seat is None else f"supply-{seat}"
        yield from self.table.log.expect("token_moved", token="D2", target=target)

    def _leads(self, seat: int) -> bool:
        weights = dict(self.table.weights(self.place))
        own = weights.pop(f"seat-{seat}", 0)
        return own > max(weights.values(), default=0)

    def dice_moved(self) -> Script[None]:
        if self.holder is not None and not self._leads(self.holder):
            yield from self._hand(None)

    def activated(self, seat: int, placed: Placed) -> Script[None]:
        if self.holder != seat and self._leads(seat):
            yield from self._hand(seat)

    def turn(self, seat: int) -> Script[bool]:
        if self.holder != seat:
            return False
        yield from self.table.log.expect("turn_started", seat=seat)
        options = ["roll", *placeable(self.table, seat)]
        choice = yield from self.table.log.ask("D2.turn", seat, options)
        if choice == "roll":
            return False
        _, size, number = choice.split("-")
        yield from self.table.send(f"seat-{seat}", f"supply-{seat}", f"casino-{number}", size)
        yield from self.activate(int(number), seat, Counter([size]))
        return True
