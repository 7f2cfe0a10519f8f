"""Where an event happens: the table before it, what was answered, and which tile or payout is at work."""

from __future__ import annotations

from msgspec import Struct

from events.values import CASINO, Place
from rules.about import Casino
from rules.ruleset import Ruleset
from rules.shown import ExtraCasino
from rules.state import State


class Scene(Struct, frozen=True):
    """`casino` is the one that was paid last in this commit, `tile` the one that asked or was activated.

    `rule` is what the answer rests on, until a new round is laid out.
    """

    state: State
    ruleset: Ruleset
    tile: str = ""
    casino: Casino | None = None
    all_at_once: bool = False
    rule: str = ""

    def cite_tile(self, code: str) -> str:
        return self.ruleset.sources.cite_tile(code, self.ruleset.tiles[code].name)

    def tile_at(self, number: Casino | None) -> str:
        """Its code; empty where none lies."""
        known = isinstance(number, int) and number <= len(self.state.tiles)
        return self.state.tiles[number - 1] if known and isinstance(number, int) else ""


def casino_at(place: Place, scene: Scene) -> Casino | None:
    """The casino that a place is, if it is one."""
    if place in CASINO:
        return CASINO.index(place)
    extra = [casino for shows in scene.ruleset.shows for casino in shows.casinos(scene.state)]
    return next((casino.number for casino in extra if place in _places(casino)), None)


def _places(casino: ExtraCasino) -> tuple[Place, ...]:
    return (casino.place, *(stack for _, stack in casino.stacks))
