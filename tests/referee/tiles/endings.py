"""PRIME TIME, BAD LUCK and BLACK BOX: tiles that wait for the end of a round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from tests.referee.books import CHIP, after, fair, ranking
from tests.referee.tiles.bank import least
from tests.referee.tiles.log import Script
from tests.referee.tiles.table import BANK, BLACK, BOX, Move
from tests.referee.tiles.tile import Tile, seat_in


class PrimeTime(Tile):
    """T-B1, T7."""

    def before_payout(self) -> Script[None]:
        first = ranking(self.table.weights(self.place))[:1]
        for seat in map(seat_in, first):
            if seat is not None:
                yield from self._place(seat)

    def _place(self, seat: int) -> Script[None]:
        thrown = sorted((yield from self.table.log.black()))
        enter = [face for face in thrown if face in self.table.open]
        sets = {chosen for count in (1, 2) for chosen in combinations(enter, count)}
        options = [f"place-{'-'.join(map(str, chosen))}" for chosen in sets]
        choice = yield from self.table.log.ask("B1.place", seat, [*options, "place-none"])
        for face in choice.split("-")[1:]:
            if face != "none":
                yield from self.table.move(Move(BLACK, BOX, f"casino-{face}", 1, turned=f"black-{seat}"))


class BadLuck(Tile):
    """T-C2, M6, T12."""

    debtors: frozenset[int] = frozenset()

    def count(self) -> Script[None]:
        weights = [self.weight(seat) for seat in range(self.table.players)]
        self.debtors = frozenset(seat for seat, weight in enumerate(weights) if weight == min(weights))
        for seat in sorted(self.debtors):
            yield from self.table.log.expect("counter_moved", counter=f"C2-{seat}", value=1)

    def after_payout(self) -> Script[None]:
        for seat in after(self.table.starter - 1, self.table.players):
            if seat in self.debtors:
                yield from self._pays(seat)

    def _pays(self, seat: int) -> Script[None]:
        table, purse = self.table, f"purse-{seat}"
        due = least(Counter(table.purses[seat]), table.chips[seat], table.bank)
        notes, chips, change = yield from self._payment(purse)
        fair(notes <= Counter(table.purses[seat]), f"seat {seat} paid with notes it does not have")
        fair(change <= table.bank, "the bank gave notes it does not have")
        cost = sum(notes.elements()) + CHIP * chips - sum(change.elements())
        paid = (cost, chips, notes.total() + change.total())
        fair(paid == due, f"debt of seat {seat}: expected {due} (money, chips, notes moved), found {paid}")
        table.purses[seat] = list((Counter(table.purses[seat]) - notes + change).elements())
        table.chips[seat] -= chips
        table.bank += notes
        table.bank -= change
        table.payments += 1

    def _payment(self, purse: str) -> Script[tuple[Counter[int], int, Counter[int]]]:
        """All that goes over the counter: notes and chips to the bank, notes back."""
        given, chips, change = Counter[int](), 0, Counter[int]()
        while True:
            event = yield from self.table.log.peek()
            if {event.get("source"), event.get("target")} != {purse, BANK}:
                return given, chips, change
            yield from self.table.log.take(event["type"])
            paid, notes = event["target"] == BANK, event.get("notes", [])
            fair(paid or notes, "chips are never change")
            (given if paid else change).update(notes)
            chips += event.get("chips", 0)


class BlackBox(Tile):
    """T-G1."""

    tokens = (60, 20, 20, 0, 0, 0)

    def paid(self, ranked: Sequence[str]) -> Script[None]:
        for winner in map(seat_in, ranked[:1]):
            if winner is not None:
                yield from self._open(winner)

    def _open(self, winner: int) -> Script[None]:
        log, left = self.table.log, (winner + 1) % self.table.players
        piles = {pile for size in (3, 4, 5) for pile in combinations(self.tokens, size)}
        parts = {f"part-{'-'.join(map(str, pile))}": pile for pile in piles}
        hidden = yield from log.sealed("G1.part", left, list(parts))
        taken = yield from log.ask("G1.take", winner, ["take-1", "take-2"])
        pile = parts[(yield from log.opened(hidden, left, list(parts)))]
        worth = sum(pile) if taken == "take-1" else sum(self.tokens) - sum(pile)
        yield from self.table.pay(winner, 1_000 * worth)
