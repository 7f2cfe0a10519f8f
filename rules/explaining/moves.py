"""Dice that an effect or the set-up moves, each told by where they come from and where they go."""

from __future__ import annotations

from msgspec import UNSET

from events.types import DiceMoved
from events.values import OWNER, SUPPLY, Place, plays_for, seat_of, tile_of
from rules.about import DiceToPlace
from rules.explaining.facts import Fact
from rules.explaining.scene import Scene, casino_at
from rules.tiles import f1_block_it, f2_handicap

_GREY_TILES = (f1_block_it.CODE, f2_handicap.CODE)


def find_move(event: DiceMoved, scene: Scene) -> Fact:
    owner = plays_for(event.turned or event.owner)
    target, source = casino_at(event.target, scene), casino_at(event.source, scene)
    code = _tile_at(event.target, scene) or _tile_at(event.source, scene) or _find_actor(event, scene)
    rule = scene.cite_tile(code) if code else scene.ruleset.sources.turn
    dice = DiceToPlace(event.small, event.big, owner=UNSET if event.owner == owner in OWNER else event.owner)
    casino = target if target is not None else source
    if event.target in SUPPLY and seat_of(owner) is None:
        return Fact("dice_given", rule, OWNER[SUPPLY.index(event.target)], dice=dice)
    return Fact(_name_move(event, scene), rule, owner, casino, code or None, dice=dice)


def _name_move(event: DiceMoved, scene: Scene) -> str:
    from_casino = casino_at(event.source, scene) is not None
    from_tile, to_tile = (_tile_at(place, scene) for place in (event.source, event.target))
    if casino_at(event.target, scene) is not None:
        return "dice_pushed" if from_tile and seat_of(event.owner) is not None else "dice_added"
    if to_tile and seat_of(event.owner) is not None:
        return "dice_moved" if from_casino else "dice_aside"
    if from_tile and not from_casino:
        return "dice_home"
    return "dice_taken" if from_casino else "dice_aside"


def _tile_at(place: Place, scene: Scene) -> str:
    """The tile whose space a place is, if it is one."""
    return tile_of(place) if tile_of(place) in scene.ruleset.tiles else ""


def _find_actor(event: DiceMoved, scene: Scene) -> str:
    """Grey dice are those of the tile that brings them, also when it is laid out."""
    laid = (code for code in scene.state.tiles if code in _GREY_TILES and event.owner == "grey")
    return scene.tile or next(laid, "")
