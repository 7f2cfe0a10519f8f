"""One fact more: the only way a state changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, assert_never, get_args

from msgspec.structs import replace

from events.agenda import Answer, Ask
from events.seat_types import GameForked, RematchMade, SeatLeft, SeatReturned, SeatTaken, VoidVoted
from events.tile_types import CasinoClosed, CasinoOpened, CounterMoved, TilesLaid, TokenMoved
from events.types import (
    AgendaChanged,
    CardsDealt,
    CardsPlayed,
    ChipCardsMoved,
    ChipsMoved,
    Chosen,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    DiceRolled,
    Event,
    GameClosed,
    GameCreated,
    GameEnded,
    GameStarted,
    NotesMoved,
    Revealed,
    RoundEnded,
    RoundStarted,
    TurnStarted,
)
from events.values import Place
from rules.evolve_dice import cards_played, dice_moved, dice_placed, dice_returned, dice_rolled
from rules.evolve_games import game_created, game_over, game_started, round_ended
from rules.evolve_seats import seats_changed
from rules.state import State

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
