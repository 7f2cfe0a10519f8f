"""Applies events to a state. This is the only way a state changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, assert_never, get_args

from msgspec.structs import replace

from events.agenda import Answer, Ask
from events.types import (
    AgendaChanged,
    CardsDealt,
    CardsPlayed,
    CasinoClosed,
    CasinoOpened,
    ChipCardsMoved,
    ChipsMoved,
    Chosen,
    CounterMoved,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    DiceRolled,
    Event,
    GameClosed,
    GameCreated,
    GameEnded,
    GameForked,
    GameStarted,
    NotesMoved,
    RematchMade,
    Revealed,
    RoundEnded,
    RoundStarted,
    SeatFact,
    SeatLeft,
    SeatReturned,
    SeatTaken,
    TilesLaid,
    TokenMoved,
    TurnStarted,
    VoidVoted,
)
from events.values import CASINO, NEUTRAL, OWNER, PILE, SUPPLY, UNDER, Dice, Owner, Place, SeatPlan, home
from rules.state import NO_DICE, NOTHING, Heap, Roll, Seat, State


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


def round_ended(state: State) -> State:
    """Every die goes back to where it lay when it came out of the box."""
    return replace(
        state,
        dice=state.outfit,
        roll=None,
        hands={},
        glasses={},
        tiles=(),
        tokens={},
        counters={},
        closed=(),
    )


def game_created(event: GameCreated) -> State:
    return State(
        game=event.game,
        edition=event.edition,
        release=event.rules,
        commitment=event.commitment,
        options=event.options,
        seats=tuple(map(planned_seat, event.seats)),
        rematch_of=event.rematch_of,
        visibility=event.visibility,
    )


def planned_seat(plan: SeatPlan) -> Seat:
    name = plan.name or plan.bot or plan.player or None
    seat = Seat(name, plan.bot, plan.entropy, plan.player, plan.name_commitment)
    return replace(seat, seconds=plan.seconds, fallback=plan.fallback) if plan.fallback else seat


def game_started(state: State, event: GameStarted) -> State:
    dice: dict[Place, Heap] = {}
    for lot in event.dice:
        dice[lot.place] = add_dice(dice.get(lot.place, NOTHING), lot.owner, lot.small, lot.big)
    notes: dict[Place, tuple[int, ...]] = {PILE: event.notes, UNDER: ()}
    chip_cards: dict[Place, tuple[str, ...]] = {PILE: event.chip_cards} if event.chip_cards else {}
    return replace(
        state,
        status="playing",
        outfit=dice,
        dice=dice,
        notes=notes,
        decks=event.decks,
        chip_cards=chip_cards,
        tile_box=event.tiles,
    )


def game_over(state: State, event: GameEnded | GameClosed) -> State:
    """What lies on the table stays there; a game that was closed has nobody to wait for."""
    if isinstance(event, GameEnded):
        return replace(state, status="over", winners=event.winners, seed=event.seed, turn=None)
    return replace(
        state, status="over", close_reason=event.reason, seed=event.seed, turn=None, roll=None, agenda=()
    )


def seats_changed(state: State, event: SeatFact) -> State:
    match event:
        case SeatTaken():
            return _seat_taken(state, event)
        case SeatLeft():
            return _seat_left(state, event)
        case SeatReturned(number):
            return _with_seat(state, number, replace(state.seats[number], stand_in=None))
        case VoidVoted(number, agrees):
            others = {seat for seat in state.void if seat != number}
            return replace(state, void=tuple(sorted({*others, number} if agrees else others)))
        case RematchMade(game):
            return replace(state, rematch=game)
        case GameForked():
            return _game_forked(state, event)
        case _:
            assert_never(event)


def _with_seat(state: State, number: int, seat: Seat) -> State:
    return replace(state, seats=(*state.seats[:number], seat, *state.seats[number + 1 :]))


def _seat_taken(state: State, event: SeatTaken) -> State:
    name, player = event.name or event.player, (event.player, event.name_commitment)
    taken = Seat(name, event.bot or None, event.entropy, *player, sat=state.arrivals + 1)
    return replace(_with_seat(state, event.seat, taken), arrivals=state.arrivals + 1)


def _game_forked(state: State, event: GameForked) -> State:
    """The table stays as it is; whatever was said or left by those who sat there goes with them."""
    seats = tuple(map(planned_seat, event.seats))
    forked = replace(state, game=event.game, origin=event.origin, seats=seats, commitment=event.commitment)
    return replace(forked, visibility=event.visibility, arrivals=0, void=(), rematch_of="")


def _seat_left(state: State, event: SeatLeft) -> State:
    number, seat = event.seat, state.seats[event.seat]
    if state.status == "lobby":
        left = _with_seat(state, number, Seat(None))
    elif event.for_good:
        # What they brought to the dice stays.
        left = _with_seat(state, number, Seat(event.bot, event.bot, seat.entropy, sat=seat.sat))
        left = replace(left, void=tuple(one for one in state.void if one != number))
    else:
        return _with_seat(state, number, replace(seat, stand_in=event.bot))
    return replace(left, departures=state.departures + 1)


Thing = TypeVar("Thing", int, str)


def evolve(state: State, event: Event) -> State:  # noqa: C901 - one match over every event
    # By how often they happen: a case that does not fit costs more than most that do.
    match event:
        case DicePlaced():
            return dice_placed(state, event)
        case DiceRolled():
            return dice_rolled(state, event)
        case AgendaChanged():
            return _agenda_changed(state, event)
        case NotesMoved():
            return _notes_moved(state, event)
        case DiceReturned():
            return dice_returned(state, event)
        case RoundStarted(number, starter, chance):
            return replace(
                state, round=number, starter=starter, turn=None, turns=0, drawn=_after(state, chance)
            )
        case RoundEnded():
            return round_ended(state)
        case DiceMoved():
            return dice_moved(state, event)
        case Chosen():
            return _chosen(state, event)
        case ChipsMoved(source, target, chips):
            return replace(state, chips=_chips_moved(state.chips, source, target, chips))
        case CardsDealt(seat, cards, chance):
            return replace(state, hands={**state.hands, seat: cards}, drawn=chance + 1)
        case CardsPlayed():
            return cards_played(state, event)
        case ChipCardsMoved(source, target, cards, chance):
            moved = _moved(state.chip_cards, source, target, cards)
            return replace(state, chip_cards=moved, drawn=_after(state, chance))
        case CounterMoved(counter, value):
            return replace(state, counters={**state.counters, counter: value})
        case TokenMoved(token, target):
            return replace(state, tokens={**state.tokens, token: target})
        case CasinoClosed(number):
            return replace(state, closed=tuple(sorted({*state.closed, number})))
        case CasinoOpened(number):
            return replace(state, closed=tuple(shut for shut in state.closed if shut != number))
        case Revealed():
            return state
        case TurnStarted(seat):
            return replace(state, turn=seat, turns=state.turns + 1, roll=None)
        case TilesLaid(tiles, chance):
            used = state.tiles_used + tiles
            return replace(state, tiles=tiles, tiles_used=used, drawn=_after(state, chance))
        case GameCreated():
            return game_created(event)
        case SeatTaken() | SeatLeft() | SeatReturned() | VoidVoted() | RematchMade() | GameForked():
            return seats_changed(state, event)
        case GameStarted():
            return game_started(state, event)
        case GameEnded() | GameClosed():
            return game_over(state, event)
        case _:
            assert_never(event)


def fold(state: State, events: Iterable[Event]) -> State:
    """One fact after another."""
    for event in events:
        state = EVOLVE_BY_TYPE[type(event)](state, event)
    return state


def _after(state: State, chance: int | None) -> int:
    return state.drawn if chance is None else chance + 1


def _agenda_changed(state: State, event: AgendaChanged) -> State:
    agenda = event.agenda
    if agenda and isinstance(top := agenda[-1], Ask):
        return replace(state, agenda=agenda, asked=top.id)
    return replace(state, agenda=agenda)


def _chosen(state: State, event: Chosen) -> State:
    ask = state.ask
    if ask is None:
        return state
    answers = (*ask.answers, Answer(event.seat, event.choice))
    agenda = (*state.agenda[:-1], replace(ask, answers=answers))
    return replace(state, agenda=agenda, drawn=_after(state, event.chance))


def _notes_moved(state: State, event: NotesMoved) -> State:
    notes, moving, chance = state.notes.copy(), event.notes, event.chance
    there = notes[event.source]
    notes[event.source] = () if there == moving else _taken(there, moving)
    notes[event.target] = notes.get(event.target, ()) + moving
    return replace(state, notes=notes, drawn=state.drawn if chance is None else chance + 1)


def _taken(things: tuple[Thing, ...], taken: tuple[Thing, ...]) -> tuple[Thing, ...]:
    left = list(things)
    for thing in taken:
        left.remove(thing)
    return tuple(left)


def _moved(
    where: dict[Place, tuple[str, ...]], source: Place, target: Place, cards: tuple[str, ...]
) -> dict[Place, tuple[str, ...]]:
    left = {**where, source: _taken(where[source], cards)}
    return {**left, target: left.get(target, ()) + cards}


def _chips_moved(chips: dict[Place, int], source: Place, target: Place, count: int) -> dict[Place, int]:
    return {**chips, source: chips.get(source, 0) - count, target: chips.get(target, 0) + count}


# Nine facts in ten are one of these; looking them up is cheaper than matching, and replay does little else.
EVOLVE_BY_TYPE: dict[type, Callable[[State, Any], State]] = dict.fromkeys(get_args(Event), evolve) | {
    DicePlaced: dice_placed,
    DiceRolled: dice_rolled,
    AgendaChanged: _agenda_changed,
    NotesMoved: _notes_moved,
    DiceReturned: dice_returned,
}
