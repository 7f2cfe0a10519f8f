"""The casinos of a table: notes, tiles, and whose dice lie there."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from events.values import CASINO, CASINO_NUMBERS, Dice, Owner, Place, plays_for
from rules.ruleset import Ruleset
from rules.shown import ExtraCasino, add_members
from rules.state import Heap, State
from service.play.table_types import CasinoShown, DiceShown, TileShown


def render_casinos(state: State, ruleset: Ruleset) -> tuple[CasinoShown, ...]:
    """The six by number, then those that a mechanism adds; none before the game has begun."""
    if state.status == "lobby":
        return ()
    extra = [_extra_casino(state, casino) for shows in ruleset.shows for casino in shows.casinos(state)]
    return (*(_casino(state, ruleset, number) for number in CASINO_NUMBERS), *extra)


def _casino(state: State, ruleset: Ruleset, number: int) -> CasinoShown:
    casino = CasinoShown(
        number=number,
        name=ruleset.casinos[number - 1],
        notes=_highest_first(state.notes_at(number)),
        closed=number in state.closed,
        tile=_tile(state, ruleset, number),
        dice=_dice(state, CASINO[number]),
        standing=ruleset.standing(state, number),
    )
    return add_members(casino, [shows.casino(state, number) for shows in ruleset.shows])


def _extra_casino(state: State, casino: ExtraCasino) -> CasinoShown:
    return CasinoShown(
        number=casino.number,
        name=casino.name,
        notes=_highest_first(state.notes[casino.place]),
        closed=False,
        tile=None,
        dice=tuple(dice for face, place in casino.stacks for dice in _dice(state, place, face)),
        standing=casino.standing,
    )


def _tile(state: State, ruleset: Ruleset, number: int) -> TileShown | None:
    if number > len(state.tiles):
        return None
    tile = ruleset.tiles[state.tiles[number - 1]]
    return TileShown(tile.code, tile.name, tile.text, tile.shows(state))


def _dice(state: State, place: Place, face: int | UnsetType = UNSET) -> tuple[DiceShown, ...]:
    dice = [
        DiceShown(owner, lot.small, lot.big, lot.weight, face)
        for owner, lot in _lots(state.heap(place)).items()
        if lot.small or lot.big
    ]
    return tuple(dice)


def _lots(heap: Heap) -> Heap:
    """By the player they count for: dice lent for a round are their player's own."""
    lots: dict[Owner, Dice] = {}
    for owner, lot in heap.items():
        player = plays_for(owner)
        other = lots.get(player)
        lots[player] = lot if other is None else Dice(other.small + lot.small, other.big + lot.big)
    return lots


def _highest_first(notes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(notes, reverse=True))
