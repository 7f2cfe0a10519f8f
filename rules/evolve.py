"""Applies events to a state. This is the only way a state changes.

`evolve` is one match over every event type. The functions that it calls follow by subject: rounds, dice,
money, questions, seats, the game. `fold` applies several events.
"""

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

Thing = TypeVar("Thing", int, str)


def evolve(state: State, event: Event) -> State:  # noqa: C901 - one match over every event
    """Return the state after one event."""
    # Frequent events come first: a case that does not match costs more than most that do.
    match event:
        case DicePlaced():
            return _dice_placed(state, event)
        case DiceRolled():
            return _dice_rolled(state, event)
        case AgendaChanged():
            return _agenda_changed(state, event)
        case NotesMoved():
            return _notes_moved(state, event)
        case DiceReturned():
            return _dice_returned(state, event)
        case RoundStarted():
            return _round_started(state, event)
        case RoundEnded():
            return _round_ended(state)
        case DiceMoved():
            return _dice_moved(state, event)
        case Chosen():
            return _chosen(state, event)
        case ChipsMoved():
            return _chips_moved(state, event)
        case CardsDealt(seat, cards, chance):
            return replace(state, hands={**state.hands, seat: cards}, drawn=chance + 1)
        case CardsPlayed():
            return _cards_played(state, event)
        case ChipCardsMoved():
            return _chip_cards_moved(state, event)
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
            return replace(state, tiles=tiles, tiles_used=used, drawn=_next_draw(state, chance))
        case GameCreated():
            return _game_created(event)
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
        case GameStarted():
            return _game_started(state, event)
        case GameEnded():
            return _game_ended(state, event)
        case GameClosed():
            return _game_closed(state, event)
        case _:
            assert_never(event)


def fold(state: State, events: Iterable[Event]) -> State:
    """Return the state after all these events, in their order."""
    for event in events:
        state = EVOLVE_BY_TYPE[type(event)](state, event)
    return state


def _next_draw(state: State, chance: int | None) -> int:
    """The running number of the next roll or draw, after an event that used `chance` or none."""
    return state.drawn if chance is None else chance + 1


# Rounds


def _round_started(state: State, event: RoundStarted) -> State:
    return replace(
        state,
        round=event.round,
        starter=event.starter,
        turn=None,
        turns=0,
        drawn=_next_draw(state, event.chance),
    )


def _round_ended(state: State) -> State:
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


# Dice, and cards that lie at casinos like dice


def _dice_rolled(state: State, event: DiceRolled) -> State:
    if event.seat is None:
        return replace(state, drawn=event.chance + 1)
    roll = Roll(event.seat, event.own, event.big, neutral=event.neutral)
    return replace(state, roll=roll, turn=event.seat, drawn=event.chance + 1)


def _dice_placed(state: State, event: DicePlaced) -> State:
    source = SUPPLY[event.seat]
    dice = state.dice.copy()
    left = {**dice[source]}
    there = {**dice.get(event.target, NOTHING)}
    if event.small or event.big:
        _shift(left, there, OWNER[event.seat], small=event.small, big=event.big)
    if event.neutral:
        _shift(left, there, NEUTRAL, small=event.neutral, big=0)
    dice[source] = left
    dice[event.target] = there
    return replace(state, dice=dice, roll=_unplaced(state.roll, event))


def _shift(left: dict[Owner, Dice], there: dict[Owner, Dice], owner: Owner, small: int, big: int) -> None:
    """Move dice of an owner from one heap to another, in place."""
    before = left[owner]
    lying = there.get(owner, NO_DICE)
    there[owner] = Dice(lying.small + small, lying.big + big)
    if before.small == small and before.big == big:
        del left[owner]
    else:
        left[owner] = Dice(before.small - small, before.big - big)


def _unplaced(roll: Roll | None, event: DicePlaced) -> Roll | None:
    """What is left in the arena; None where nothing is."""
    if roll is None:
        return None
    own = roll.own
    big = roll.big
    neutral = roll.neutral
    if event.small:
        own = _without(own, event.number, event.small)
    if event.neutral:
        neutral = _without(neutral, event.number, event.neutral)
    if event.big:
        big = None
    return Roll(roll.seat, own, big, neutral=neutral) if own or neutral or big else None


def _without(faces: tuple[int, ...], face: int, count: int) -> tuple[int, ...]:
    """Faces are sorted, so equal ones lie together."""
    start = faces.index(face)
    return faces[:start] + faces[start + count :]


def _dice_moved(state: State, event: DiceMoved) -> State:
    small = event.small
    big = event.big
    dice = dict(state.dice)
    new_owner = event.turned or event.owner
    dice[event.source] = remove_dice(dice.get(event.source, NOTHING), event.owner, small, big=big)
    dice[event.target] = add_dice(dice.get(event.target, NOTHING), new_owner, small, big=big)
    if event.face is None or state.roll is None:
        return replace(state, dice=dice)
    out = DicePlaced(state.roll.seat, event.face, event.target, small=small, big=big)
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


def _dice_returned(state: State, event: DiceReturned) -> State:
    heaps = state.dice.copy()
    staying = dict(heaps.get(event.place, NOTHING))
    for owner in event.owners:
        back = staying.pop(owner, NO_DICE)
        target = home(owner)
        heaps[target] = add_dice(heaps.get(target, NOTHING), owner, back.small, big=back.big)
    heaps[event.place] = staying
    return replace(state, dice=heaps)


def _cards_played(state: State, event: CardsPlayed) -> State:
    """A laid card lies at its casino like dice: a single card is one, a double card a big one."""
    dice = dict(state.dice)
    owner = OWNER[event.seat]
    for card in event.cards:
        place = CASINO[int(card[0])]
        double = int(card.endswith("d"))
        dice[place] = add_dice(dice.get(place, NOTHING), owner, 1 - double, big=double)
    hands = {seat: hand for seat, hand in state.hands.items() if seat != event.seat}
    glasses = {**state.glasses, event.seat: (*state.glasses.get(event.seat, ()), event.rest)}
    return replace(state, dice=dice, hands=hands, glasses=glasses, drawn=event.chance + 1)


# Notes, chips and chip cards


def _notes_moved(state: State, event: NotesMoved) -> State:
    notes = state.notes.copy()
    there = notes[event.source]
    notes[event.source] = () if there == event.notes else _without_all(there, event.notes)
    notes[event.target] = notes.get(event.target, ()) + event.notes
    return replace(state, notes=notes, drawn=_next_draw(state, event.chance))


def _without_all(things: tuple[Thing, ...], taken: tuple[Thing, ...]) -> tuple[Thing, ...]:
    left = list(things)
    for thing in taken:
        left.remove(thing)
    return tuple(left)


def _chips_moved(state: State, event: ChipsMoved) -> State:
    chips = state.chips.copy()
    chips[event.source] = chips.get(event.source, 0) - event.chips
    chips[event.target] = chips.get(event.target, 0) + event.chips
    return replace(state, chips=chips)


def _chip_cards_moved(state: State, event: ChipCardsMoved) -> State:
    cards = state.chip_cards.copy()
    cards[event.source] = _without_all(cards[event.source], event.cards)
    cards[event.target] = cards.get(event.target, ()) + event.cards
    return replace(state, chip_cards=cards, drawn=_next_draw(state, event.chance))


# Questions


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
    return replace(state, agenda=agenda, drawn=_next_draw(state, event.chance))


# Seats


def _with_seat(state: State, number: int, seat: Seat) -> State:
    return replace(state, seats=(*state.seats[:number], seat, *state.seats[number + 1 :]))


def _planned_seat(plan: SeatPlan) -> Seat:
    return Seat(
        name=plan.name or plan.bot or plan.player or None,
        bot=plan.bot,
        entropy=plan.entropy,
        player=plan.player,
        name_commitment=plan.name_commitment,
        seconds=plan.seconds if plan.fallback else 0,
        fallback=plan.fallback,
    )


def _seat_taken(state: State, event: SeatTaken) -> State:
    arrivals = state.arrivals + 1
    seat = Seat(
        name=event.name or event.player,
        bot=event.bot or None,
        entropy=event.entropy,
        player=event.player,
        name_commitment=event.name_commitment,
        sat=arrivals,
    )
    return replace(_with_seat(state, event.seat, seat), arrivals=arrivals)


def _seat_left(state: State, event: SeatLeft) -> State:
    """In the lobby the seat opens; in play a bot answers there, for good or until the person returns."""
    number = event.seat
    seat = state.seats[number]
    if state.status == "lobby":
        left = _with_seat(state, number, Seat(None))
        return replace(left, departures=state.departures + 1)
    if event.for_good:
        # The entropy that the person brought to the dice stays.
        bot = Seat(event.bot, event.bot, seat.entropy, sat=seat.sat)
        void = tuple(other for other in state.void if other != number)
        return replace(_with_seat(state, number, bot), void=void, departures=state.departures + 1)
    return _with_seat(state, number, replace(seat, stand_in=event.bot))


# The game


def _game_created(event: GameCreated) -> State:
    return State(
        game=event.game,
        edition=event.edition,
        release=event.rules,
        commitment=event.commitment,
        options=event.options,
        seats=tuple(map(_planned_seat, event.seats)),
        rematch_of=event.rematch_of,
        visibility=event.visibility,
        sandbox=event.sandbox,
    )


def _game_started(state: State, event: GameStarted) -> State:
    dice: dict[Place, Heap] = {}
    for lot in event.dice:
        dice[lot.place] = add_dice(dice.get(lot.place, NOTHING), lot.owner, lot.small, big=lot.big)
    return replace(
        state,
        status="playing",
        outfit=dice,
        dice=dice,
        notes={PILE: event.notes, UNDER: ()},
        decks=event.decks,
        chip_cards={PILE: event.chip_cards} if event.chip_cards else {},
        tile_box=event.tiles,
    )


def _game_forked(state: State, event: GameForked) -> State:
    """The table stays as it is; the people, with their votes and the rematch they came from, are others."""
    seats = tuple(map(_planned_seat, event.seats))
    if event.same_dice:
        seats = tuple(
            replace(seat, entropy=former.entropy) for seat, former in zip(seats, state.seats, strict=True)
        )
    return replace(
        state,
        game=event.game,
        origin=event.origin,
        seats=seats,
        dice_game=state.dice_game or state.game if event.same_dice else "",
        dice_forks=state.dice_forks + 1 if event.same_dice else 0,
        commitment=event.commitment,
        visibility=event.visibility,
        arrivals=0,
        void=(),
        rematch_of="",
    )


def _game_ended(state: State, event: GameEnded) -> State:
    """What lies on the table stays there."""
    return replace(state, status="over", winners=event.winners, seed=event.seed, turn=None)


def _game_closed(state: State, event: GameClosed) -> State:
    """What lies on the table stays there, but no question is open any more."""
    return replace(
        state,
        status="over",
        close_reason=event.reason,
        seed=event.seed,
        turn=None,
        roll=None,
        agenda=(),
    )


# Nine events in ten are one of these five; a lookup by type is faster than the match, and replaying a game
# does little else.
EVOLVE_BY_TYPE: dict[type, Callable[[State, Any], State]] = dict.fromkeys(get_args(Event), evolve) | {
    DicePlaced: _dice_placed,
    DiceRolled: _dice_rolled,
    AgendaChanged: _agenda_changed,
    NotesMoved: _notes_moved,
    DiceReturned: _dice_returned,
}
