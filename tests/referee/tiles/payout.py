"""The end of a round with tiles, in the order of D8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.referee.books import CASINOS, fair, payments, ranking, tied
from tests.referee.tiles.log import Script
from tests.referee.tiles.table import BLACK, Table
from tests.referee.tiles.tile import Tile, seat_in

Stock = Mapping[str, Sequence[int]]


def payout(table: Table, tiles: Mapping[int, Tile], stock: Stock) -> Script[int]:
    """Returns who starts the next round (P4)."""
    if table.book.counts_first:
        yield from _count(tiles)
    for tile in tiles.values():
        yield from tile.before_payout()
    if not table.book.counts_first:
        yield from _count(tiles)
    for place in CASINOS:
        yield from _ties(table, place)
    starter = table.starter
    for number, place in enumerate(CASINOS, 1):
        ranked = ranking(table.weights(place))
        starter = yield from _paid(table, place, stock[place], ranked, starter)
        if number in tiles:
            yield from tiles[number].paid(ranked)
    for tile in tiles.values():
        yield from tile.after_payout()
    return starter


def _count(tiles: Mapping[int, Tile]) -> Script[None]:
    for tile in tiles.values():
        yield from tile.count()


def _ties(table: Table, place: str) -> Script[None]:
    """Tied players take all their dice, those lent to them too."""
    out = tied(table.weights(place))
    owners = {owner for owner in table.lying(place) if owner.replace(BLACK, "seat") in out}
    if owners:
        told = yield from table.log.take("dice_returned")
        found = (told["place"], sorted(told["owners"]))
        fair(found == (place, sorted(owners)), f"ties: expected {place, sorted(owners)}, found {found}")


def _paid(table: Table, place: str, notes: Sequence[int], ranked: Sequence[str], starter: int) -> Script[int]:
    """The two cards of a casino; who took the dearer one starts next, as far as one can tell."""
    for source, target, won, winner in payments(place, notes, ranked, "under"):
        yield from table.notes(source, target, won, winner)
        if target == "under":
            table.under += won
        else:
            table.purses[int(target[-1])] += won
    first = seat_in(ranked[0]) if ranked else None
    if first is None:
        return starter
    yield from table.log.expect("token_moved", token="start", target=f"supply-{first}")
    return first
