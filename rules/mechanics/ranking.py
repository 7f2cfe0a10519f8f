"""Who is ahead where."""

from __future__ import annotations

from events.values import PLAYS_FOR, Owner, Place
from rules.state import Heap, State


def weights(heap: Heap) -> dict[Owner, int]:
    """Dice by the player they count for; the big die is two (D2)."""
    weighed: dict[Owner, int] = {}
    for owner, dice in heap.items():
        player = PLAYS_FOR.get(owner, owner)
        weighed[player] = weighed.get(player, 0) + dice.small + 2 * dice.big
    return weighed


def tied_players(heap: Heap) -> tuple[Owner, ...]:
    """The players who share their number of dice with another one."""
    if len(heap) < 2:
        return ()
    weighed = weights(heap)
    counts = list(weighed.values())
    if len(set(counts)) == len(counts):
        return ()
    return tuple([player for player, weight in weighed.items() if counts.count(weight) > 1])


def ranking(state: State, place: Place) -> tuple[Owner, ...]:
    """Players by falling number of dice, the tied left out."""
    weighed = weights(state.heap(place))
    counts = list(weighed.values())
    alone = [player for player, weight in weighed.items() if counts.count(weight) == 1]
    return tuple(sorted(alone, key=weighed.__getitem__, reverse=True))
