"""Who stood where when a casino was paid, and who was tied with whom."""

from __future__ import annotations

from events.types import DiceReturned, NotesMoved
from events.values import OWNER, PURSE, Owner, Place, plays_for
from rules.about import Casino
from rules.explaining.facts import Fact
from rules.explaining.scene import Scene, casino_at
from rules.shown import Standing


def standing_of(scene: Scene, casino: Casino) -> tuple[Standing, ...]:
    if isinstance(casino, int):
        return scene.ruleset.standing(scene.state, casino)
    extra = {found.number: found for shows in scene.ruleset.shows for found in shows.casinos(scene.state)}
    return extra[casino].standing


def find_ties(event: DiceReturned, scene: Scene) -> list[Fact]:
    """One for each number of dice that several share: they take them back."""
    casino = casino_at(event.place, scene)
    assert casino is not None
    tied = {place.owner: place.weight for place in standing_of(scene, casino) if place.tied}
    owners = dict.fromkeys(plays_for(owner) for owner in event.owners)
    return [
        Fact("tied", scene.ruleset.sources.ties, owner, casino, weight=tied[owner], others=others)
        for owner in owners
        for others in [_level_with(owner, tied)]
    ]


def _level_with(owner: Owner, tied: dict[Owner, int]) -> tuple[Owner, ...]:
    return tuple(other for other, weight in tied.items() if weight == tied[owner] and other != owner)


def find_prize(event: NotesMoved, scene: Scene, casino: Casino) -> Fact:
    """A note that a casino pays, or one that nobody won."""
    sources = scene.ruleset.sources
    owner = event.winner or _owner_of(event.target)
    if owner is None:
        return Fact("left_over", sources.leftovers, casino=casino, notes=event.notes, text=event.target)
    order = [place for place in standing_of(scene, casino) if not place.tied]
    rank, place = next((rank, place) for rank, place in enumerate(order, 1) if place.owner == owner)
    rule = sources.payout if isinstance(casino, int) else sources.extra
    return Fact("won", rule, owner, casino, rank=rank, weight=place.weight, notes=event.notes)


def _owner_of(place: Place) -> Owner | None:
    return OWNER[PURSE.index(place)] if place in PURSE else None
