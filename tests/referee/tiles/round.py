"""One round of Royale with its tiles: setup and turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tests.referee.books import Event, after, fair
from tests.referee.tiles.box import TILES
from tests.referee.tiles.log import Log, Script
from tests.referee.tiles.payout import payout
from tests.referee.tiles.table import BANK, BOX, NEUTRAL, WEIGHT, Move, Table, place_of
from tests.referee.tiles.tile import Placed


class Round:
    """Tiles by the number of their casino, around one table."""

    def __init__(self, table: Table, codes: Sequence[str], stock: Mapping[str, Sequence[int]]) -> None:
        self.table, self.stock = table, stock
        numbers = range(1, len(codes) + 1)
        self.tiles = {
            number: TILES[code](table, number, [other for other in numbers if other != number], self.activate)
            for number, code in zip(numbers, codes, strict=True)
        }
        table.moved = self._dice_moved

    @property
    def log(self) -> Log:
        return self.table.log

    def played(self) -> Script[int]:
        """Returns who starts the next one."""
        for tile in self.tiles.values():
            yield from tile.laid()
        if self.table.players == 2:
            yield from self._scatter()
        yield from self._turns()
        starter = yield from payout(self.table, self.tiles, self.stock)
        yield from self.log.take("round_ended")
        return starter

    def _scatter(self) -> Script[None]:
        """D4: the neutral dice go where they show."""
        thrown = yield from self.log.take("dice_rolled")
        small, big = thrown.get(NEUTRAL, []), thrown.get("big")
        fair(len(small) == 7 and big and thrown.get("seat") is None, "the neutral dice should be rolled")
        for number in sorted({*small, big}):
            yield from self.table.move(
                Move(NEUTRAL, BOX, place_of(number), small.count(number), int(big == number))
            )

    def activate(self, number: int, seat: int, placed: Placed) -> Script[None]:
        if number in self.tiles and number != self.table.closed:
            yield from self.tiles[number].activated(seat, placed)

    def _dice_moved(self) -> Script[None]:
        for tile in self.tiles.values():
            yield from tile.dice_moved()

    # Turns

    def _turns(self) -> Script[None]:
        last = self.table.starter - 1
        while waiting := [seat for seat in after(last, self.table.players) if self.table.hand(seat)]:
            last = waiting[0]
            yield from self._turn(last)

    def _turn(self, seat: int) -> Script[None]:
        self.table.arena, self.table.thrower = {}, seat
        for tile in self.tiles.values():
            if (yield from tile.turn(seat)):
                return
        roll = yield from self.log.take("dice_rolled")
        self._thrown(seat, roll)
        shown = {face for faces in self.table.arena.values() for face in faces}
        options = [f"place-{number}" for number in self.table.open if number in shown]
        if options:
            yield from self._use(seat, [*options, *(["pass"] if self.table.chips[seat] else [])])

    def _thrown(self, seat: int, roll: Event) -> None:
        big = [roll["big"]] if roll.get("big") else []
        faces = {"small": Counter[int](roll.get("own", [])), "big": Counter[int](big)}
        fair(roll.get("seat") == seat, f"seat {roll.get('seat')} rolled, seat {seat} was next")
        held = {size: self.table.dice[f"supply-{seat}", f"seat-{seat}", size] for size in WEIGHT}
        rolled = {size: shown.total() for size, shown in faces.items()}
        fair(rolled == held, f"seat {seat} did not roll all its dice")
        fair(not roll.get(NEUTRAL) and not roll.get("black"), "other dice were rolled too")
        fair(all(1 <= face <= 6 for shown in faces.values() for face in shown), "a die shows no number")
        self.table.arena = faces

    def _use(self, seat: int, options: list[str]) -> Script[None]:
        choice = yield from self.log.ask("turn.place", seat, options)
        if choice == "pass":
            yield from self.log.expect("chips_moved", source=f"purse-{seat}", target=BANK, chips=1)
            self.table.chips[seat] -= 1
        else:
            yield from self._place(seat, int(choice[-1]))

    def _place(self, seat: int, number: int) -> Script[None]:
        """All dice of the number, and no other."""
        placed = Counter({size: faces.pop(number, 0) for size, faces in self.table.arena.items()})
        told = yield from self.log.take("dice_placed")
        found = tuple(told.get(name) or 0 for name in ("seat", "number", "target", "small", "big", NEUTRAL))
        due = (seat, number, place_of(number), placed["small"], placed["big"], 0)
        fair(found == due, f"seat {seat} did not place all its {number}s: expected {due}, found {found}")
        self.table.carry(
            Move(f"seat-{seat}", f"supply-{seat}", place_of(number), placed["small"], placed["big"])
        )
        yield from self._dice_moved()
        yield from self.activate(number, seat, placed)
