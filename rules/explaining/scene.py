"""Where an event happens: the table before it, what was answered, and which tile or payout is at work."""

from __future__ import annotations

from msgspec import Struct

from events.agenda import Ask
from events.values import CASINO, PURSE, SUPPLY, Place
from rules.about import Casino
from rules.ruleset import Ruleset
from rules.shown import ExtraCasino
from rules.state import State


class Scene(Struct, frozen=True):
    """`casino` is the one that was paid last in this commit, `tile` the one that asked or was activated.

    `rule` is what the answer rests on, until a new round is laid out. `asks` is what is
    asked next. `opens` where the answer opens a turn without a roll (T-D2), `stays` where
    nobody won the start of the next round (P4).
    """

    state: State
    ruleset: Ruleset
    tile: str = ""
    casino: Casino | None = None
    all_at_once: bool = False
    rule: str = ""
    asks: Ask | None = None
    opens: bool = False
    stays: bool = False

    def cite_tile(self, code: str) -> str:
        return self.ruleset.sources.cite_tile(code, self.ruleset.tiles[code].name)

    def tile_at(self, number: Casino | None) -> str:
        """Its code; empty where none lies."""
        known = isinstance(number, int) and number <= len(self.state.tiles)
        return self.state.tiles[number - 1] if known and isinstance(number, int) else ""

    def casino_of(self, code: str) -> int | None:
        """Where a tile lies."""
        return self.state.tiles.index(code) + 1 if code in self.state.tiles else None


def casino_at(place: Place, scene: Scene) -> Casino | None:
    """The casino that a place is, if it is one."""
    if place in CASINO:
        return CASINO.index(place)
    extra = [casino for shows in scene.ruleset.shows for casino in shows.casinos(scene.state)]
    return next((casino.number for casino in extra if place in _places(casino)), None)


def seat_at(place: Place | None) -> int | None:
    """Whose purse or supply a place is."""
    return next((places.index(place) for places in (PURSE, SUPPLY) if place in places), None)


def _places(casino: ExtraCasino) -> tuple[Place, ...]:
    return (casino.place, *(stack for _, stack in casino.stacks))
