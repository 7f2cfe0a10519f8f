"""Tiles of a described table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.text import Joined, Text
from events.values import CASINO
from rules.position.model import Position, PositionCasino, PositionFault
from rules.restore import InvalidPosition
from rules.ruleset import Ruleset
from rules.state import State
from rules.tile import Tile
from rules.wording import did_you_mean

_WRONG_KIND = re.compile("Expected `([^`]+)`, got `([^`]+)`")
_KINDS = {
    "int": Text("a whole number"),
    "float": Text("a number"),
    "str": Text("a text"),
    "bool": Text("true or false"),
    "array": Text("an array"),
    "object": Text("an object"),
}


def find_tile_faults(position: Position, ruleset: Ruleset) -> Iterator[PositionFault]:
    """Check that tiles are of the edition, no two sides of one piece, and lie from casino 1 up (T0)."""
    seen = dict[str, int]()
    for place, casino in enumerate(position.casinos):
        if casino.tile is None:
            continue
        detail = _find_fault(casino, ruleset, seen)
        if detail:
            yield PositionFault(f"/casinos/{place}/tile/code", detail)
    yield from _find_gaps(position)
    yield from _find_miscounts(position, ruleset)


def _find_fault(casino: PositionCasino, ruleset: Ruleset, seen: dict[str, int]) -> str:
    code = casino.tile.code if casino.tile is not None else ""
    if not ruleset.tiles:
        return Text("{edition} has no tiles", edition=ruleset.id)
    if code not in ruleset.tiles:
        return Text(
            "unknown code {code}; {instead}", code=code, instead=did_you_mean(code, tuple(ruleset.tiles))
        )
    if not isinstance(casino.number, int):
        return Text("tiles lie at casinos with a number")
    if code in seen:
        return Text("the same piece lies at casino {number} already", number=seen[code])
    seen |= dict.fromkeys((code, ruleset.tiles[code].other), casino.number)
    return ""


def _find_gaps(position: Position) -> Iterator[PositionFault]:
    tiled = [casino.number for casino in position.casinos if casino.tile is not None]
    highest = max((number for number in tiled if isinstance(number, int)), default=0)
    for place, casino in enumerate(position.casinos):
        if isinstance(casino.number, int) and casino.number < highest and casino.tile is None:
            detail = Text("tiles lie from casino 1 up, and there is one at casino {highest}", highest=highest)
            yield PositionFault(f"/casinos/{place}/tile", detail)


def _find_miscounts(position: Position, ruleset: Ruleset) -> Iterator[PositionFault]:
    if not ruleset.tiles:
        return
    for name, here in (("tiles", len(position.codes)), ("tile_codes", position.codes)):
        told = position.options.get(name)
        if told not in (None, (), here) and not isinstance(told, (bool, str)):
            said = ", ".join(position.codes) or Text("none")
            yield PositionFault(f"/options/{name}", Text("of tiles, here are {codes}", codes=said))


def restore_tiles(position: Position, state: State, ruleset: Ruleset) -> tuple[State, list[PositionFault]]:
    """Restore what each tile shows; return the faults of those where that is impossible."""
    faults = list[PositionFault]()
    for place, casino in enumerate(position.casinos):
        try:
            state = _restore(casino, state, ruleset)
        except InvalidPosition as fault:
            faults.append(PositionFault(point_to_shown(place, fault.member), fault.detail))
    return _check_closed(position, state, faults), faults


def _restore(casino: PositionCasino, state: State, ruleset: Ruleset) -> State:
    if casino.tile is None:
        return state
    tile = ruleset.tiles[casino.tile.code]
    return tile.restore(state, read_members(tile, casino.tile.shows))


def _check_closed(position: Position, state: State, faults: list[PositionFault]) -> State:
    """Check that the closed casinos are those on which a token lies."""
    shut = tuple(number for number in range(1, 7) if CASINO[number] in state.tokens.values())
    for place, casino in enumerate(position.casinos):
        if casino.closed != (casino.number in shut) and not (faults and casino.closed):
            said = "no tile closes this casino" if casino.closed else "a tile is said to close this casino"
            faults.append(PositionFault(f"/casinos/{place}/closed", said))
    return replace(state, closed=shut)


def read_members(tile: Tile, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that the tile has, converted to their types. Raises InvalidPosition."""
    return {name: _read_member(tile, name, shown[name]) for name in tile.members if name in shown}


def _read_member(tile: Tile, name: str, value: Any) -> Any:
    try:
        return msgspec.convert(value, tile.members[name].shape)
    except msgspec.ValidationError as fault:
        raise InvalidPosition(name, _put_plainly(str(fault))) from None


def _put_plainly(fault: str) -> str:
    """Reword a type error of msgspec."""
    found = _WRONG_KIND.match(fault)
    if found is None:
        return Text("must have the form that the tile shows")
    expected, got = (
        Joined([_KINDS.get(kind, kind) for kind in re.findall(r"\w+", kinds)], " or ")
        for kinds in found.groups()
    )
    return Text("must be {expected}, not {got}", expected=expected, got=got)


def point_to_shown(place: int, member: str) -> str:
    return f"/casinos/{place}/tile/shows/{member}"
