"""One thing that happened, with the rule it rests on."""

# No postponed annotations here: msgspec would look for their names at every use.
from typing import Annotated

from msgspec import Meta, Struct

from events.values import Owner
from rules.about import Casino, DiceToPlace


class Fact(Struct, frozen=True, omit_defaults=True):
    """`what` says which kind of fact it is; the members that say nothing about it are left out."""

    what: str
    rule: Annotated[str, Meta(description="The place in a rulebook and the rulings it rests on.")] = ""
    owner: Annotated[Owner, Meta(description="A seat (`seat-0`) or an imaginary player.")] = ""
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
