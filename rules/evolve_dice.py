"""What facts about dice, and about cards that lie like dice, make of a state."""

from __future__ import annotations

from msgspec.structs import replace

from events.types import CardsPlayed, DiceMoved, DicePlaced, DiceReturned, DiceRolled
from events.values import CASINO, NEUTRAL, OWNER, SUPPLY, Dice, Owner, home
from rules.state import NO_DICE, NOTHING, Heap, Roll, State


def dice_rolled(state: State, event: DiceRolled) -> State:
    if event.seat is None:
        return replace(state, drawn=event.chance + 1)
    roll = Roll(event.seat, event.own, event.big, event.neutral)
    return replace(state, roll=roll, turn=event.seat, drawn=event.chance + 1)


def dice_placed(state: State, event: DicePlaced) -> State:
    source, target, dice = SUPPLY[event.seat], event.target, state.dice.copy()
    left, there = {**dice[source]}, {**dice.get(target, NOTHING)}
    if event.small or event.big:
        _shift(left, there, OWNER[event.seat], event.small, event.big)
    if event.neutral:
        _shift(left, there, NEUTRAL, event.neutral, 0)
    dice[source], dice[target] = left, there
    return replace(state, dice=dice, roll=_unplaced(state.roll, event))


def _shift(left: dict[Owner, Dice], there: dict[Owner, Dice], owner: Owner, small: int, big: int) -> None:
    before, found = left[owner], there.get(owner, NO_DICE)
    there[owner] = Dice(found.small + small, found.big + big)
    if before.small == small and before.big == big:
        del left[owner]
    else:
        left[owner] = Dice(before.small - small, before.big - big)


def _unplaced(roll: Roll | None, event: DicePlaced) -> Roll | None:
    """What is left in the arena."""
    if roll is None:
        return None
    own, big, neutral = roll.own, roll.big, roll.neutral
    if event.small:
        own = _without(own, event.number, event.small)
    if event.neutral:
        neutral = _without(neutral, event.number, event.neutral)
    if event.big:
        big = None
    return Roll(roll.seat, own, big, neutral) if own or neutral or big else None


def _without(faces: tuple[int, ...], face: int, count: int) -> tuple[int, ...]:
    """Faces are sorted, so equal ones lie together."""
    start = faces.index(face)
    return faces[:start] + faces[start + count :]


def dice_moved(state: State, event: DiceMoved) -> State:
    small, big, dice = event.small, event.big, dict(state.dice)
    dice[event.source] = remove_dice(dice.get(event.source, NOTHING), event.owner, small, big)
    dice[event.target] = add_dice(dice.get(event.target, NOTHING), event.turned or event.owner, small, big)
    if event.face is None or state.roll is None:
        return replace(state, dice=dice)
    out = DicePlaced(state.roll.seat, event.face, event.target, small, big)
    return replace(state, dice=dice, roll=_unplaced(state.roll, out))


def remove_dice(heap: Heap, owner: Owner, small: int, big: int) -> Heap:
    before = heap.get(owner, NO_DICE)
    if before.small != small or before.big != big:
        return {**heap, owner: Dice(before.small - small, before.big - big)}
    return {other: dice for other, dice in heap.items() if other != owner}


def add_dice(heap: Heap, owner: Owner, small: int, big: int) -> Heap:
    before = heap.get(owner)
    if before is None:
        return {**heap, owner: Dice(small, big)}
    return {**heap, owner: Dice(before.small + small, before.big + big)}


def dice_returned(state: State, event: DiceReturned) -> State:
    heaps, place = state.dice.copy(), event.place
    staying = dict(heaps.get(place, NOTHING))
    for owner in event.owners:
        back, target = staying.pop(owner, NO_DICE), home(owner)
        heaps[target] = add_dice(heaps.get(target, NOTHING), owner, back.small, back.big)
    heaps[place] = staying
    return replace(state, dice=heaps)


def cards_played(state: State, event: CardsPlayed) -> State:
    """A laid card lies at its casino like dice: a single card is one, a double card a big one."""
    dice, owner = dict(state.dice), OWNER[event.seat]
    for card in event.cards:
        place, double = CASINO[int(card[0])], int(card.endswith("d"))
        dice[place] = add_dice(dice.get(place, NOTHING), owner, 1 - double, double)
    hands = {seat: hand for seat, hand in state.hands.items() if seat != event.seat}
    glasses = {**state.glasses, event.seat: (*state.glasses.get(event.seat, ()), event.rest)}
    return replace(state, dice=dice, hands=hands, glasses=glasses, drawn=event.chance + 1)
