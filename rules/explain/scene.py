"""The context of an event: the table before it, the answer, and the tile or payout at work."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from events.agenda import Ask
from events.values import CASINO, PURSE, SUPPLY, Owner, Place
from rules.extension import ExtraCasino
from rules.mechanics.card_turn import SEQUENTIAL
from rules.prompt import Casino, DiceToPlace
from rules.ruleset import Ruleset
from rules.state import State


class Scene(Struct, frozen=True):
    """What an event is explained by.

    `casino` is the casino that was paid last in this commit, `tile` the tile that asked or was activated.
    `rule` is what the answer rests on, until a new round is laid out. `asks` is the next question.
    `opens` is true where the answer opens a turn without a roll (T-D2), `stays` where no player won the start
    of the next round (P4).
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

    def cite_turn(self) -> str:
        """The rule of a turn, or of one in sequence (C6)."""
        sources = self.ruleset.sources
        in_sequence = sources.in_sequence and SEQUENTIAL.value_in(self.state.options)
        return sources.in_sequence if in_sequence else sources.turn

    def cite_imaginary(self, owner: Owner) -> str:
        """The place on an imaginary player: the tile that brings its dice, or the variant."""
        tiles = self.ruleset.tiles
        brings = next((code for code in self.state.tiles if owner in tiles[code].brings), "")
        return self.cite_tile(brings) if brings else self.ruleset.sources.neutral

    def tile_at(self, number: Casino | None) -> str:
        """The code of the tile at a casino; empty where none lies."""
        known = isinstance(number, int) and number <= len(self.state.tiles)
        return self.state.tiles[number - 1] if known and isinstance(number, int) else ""

    def casino_of(self, code: str) -> int | None:
        """The casino where a tile lies; None where it does not lie on the table."""
        return self.state.tiles.index(code) + 1 if code in self.state.tiles else None


def casino_at(place: Place, scene: Scene) -> Casino | None:
    """The casino that a place belongs to; None for any other place."""
    if place in CASINO:
        return CASINO.index(place)
    extra = [casino for extension in scene.ruleset.extensions for casino in extension.casinos(scene.state)]
    return next((casino.number for casino in extra if place in _places(casino)), None)


def seat_at(place: Place | None) -> int | None:
    """The seat whose purse or supply a place is; None for any other place."""
    return next((places.index(place) for places in (PURSE, SUPPLY) if place in places), None)


def _places(casino: ExtraCasino) -> tuple[Place, ...]:
    return (casino.place, *(stack for _, stack in casino.stacks))


# No postponed annotations here: msgspec would look for their names at every use.


class Fact(Struct, frozen=True, omit_defaults=True):
    """`what` says which kind of fact it is; the members that say nothing about it are left out."""

    what: str
    rule: Annotated[str, Meta(description="The place in a rulebook and the rulings it rests on.")] = ""
    owner: Annotated[Owner, Meta(description="A seat (`seat-0`) or an imaginary player.")] = ""
    owner_seat: Annotated[int | None, Meta(description="The number of that seat.")] = None
    casino: Casino | None = None
    tile: str | None = None
    rank: Annotated[int | None, Meta(description="At a casino; the tied have none.")] = None
    weight: Annotated[int | None, Meta(description="What the owner's dice there count.")] = None
    others: Annotated[tuple[Owner, ...], Meta(description="With whom the owner is tied.")] = ()
    notes: Annotated[tuple[int, ...], Meta(description="Notes that the owner got, or that were laid.")] = ()
    handed: Annotated[tuple[int, ...], Meta(description="Notes that the owner gave to the bank.")] = ()
    chips: Annotated[int, Meta(description="Chips that the owner got; below zero, that were paid.")] = 0
    cards: tuple[str, ...] = ()
    dice: DiceToPlace | None = None
    faces: tuple[int, ...] = ()
    number: int | None = None
    worth: Annotated[
        int | None,
        Meta(description="What the space of a counter is worth, or chip cards at the end, in dollars."),
    ] = None
    pips: Annotated[int | None, Meta(description="What decided between equal numbers of dice.")] = None
    seat: Annotated[int | None, Meta(description="Another seat that it concerns.")] = None
    text: Annotated[str, Meta(description="A label or a name, as it was written.")] = ""
    totals: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    level: Annotated[tuple[int, ...], Meta(description="Seats that share the most money at the end.")] = ()
    counts: Annotated[
        tuple[int, ...],
        Meta(description="Of each of those, what breaks the tie: notes, in some editions with chips."),
    ] = ()

    @property
    def gain(self) -> int:
        """In notes: what came less what went."""
        return sum(self.notes) - sum(self.handed)
