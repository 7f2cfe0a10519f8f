"""Who is ahead where, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from events.values import CASINO, PLAYS_FOR, Owner, Place, seat_of
from rules.extension import Standing
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
    return rank(weights(state.heap(place)))


def rank(weighed: Mapping[Owner, int]) -> tuple[Owner, ...]:
    counts = list(weighed.values())
    alone = [player for player, weight in weighed.items() if counts.count(weight) == 1]
    return tuple(sorted(alone, key=weighed.__getitem__, reverse=True))


def share_out(notes: tuple[int, ...], order: tuple[Owner, ...]) -> tuple[dict[Owner, int], list[int]]:
    """Return the highest note for the first, the next for the second, and the notes that are left."""
    falling = sorted(notes, reverse=True)
    return dict(zip(order, falling, strict=False)), falling[len(order) :]


def standing_at(state: State, number: int) -> tuple[Standing, ...]:
    """What each player at a casino would get if the round ended now."""
    place = CASINO[number]
    heap = state.dice.get(place)
    return _standing(tuple(weights(heap).items()), state.notes.get(place, ())) if heap else ()


# A table is read many times between two changes, and each change is at one casino.
@lru_cache(4096)
def _standing(weighed: tuple[tuple[Owner, int], ...], notes: tuple[int, ...]) -> tuple[Standing, ...]:
    found = dict(weighed)
    return list_standing(found, rank(found), notes)


def list_standing(
    weighed: Mapping[Owner, int], order: tuple[Owner, ...], notes: tuple[int, ...]
) -> tuple[Standing, ...]:
    """List the ranked, the best first, then the tied, who get nothing, by the weight of their dice."""
    won, _ = share_out(notes, order)
    tied = sorted(weighed.keys() - set(order), key=lambda owner: (-weighed[owner], owner))
    return (
        *(Standing(owner, weighed[owner], False, _note_of(won, owner), seat_of(owner)) for owner in order),
        *(Standing(owner, weighed[owner], True, (), seat_of(owner)) for owner in tied),
    )


def _note_of(won: Mapping[Owner, int], owner: Owner) -> tuple[int, ...]:
    return (won[owner],) if owner in won else ()
