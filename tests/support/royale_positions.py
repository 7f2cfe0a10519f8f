"""Royale positions: tiles laid on purpose, a bank and chips as wanted, placements that activate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from events.types import ChipsMoved, NotesMoved
from events.values import BANK, CASINO, PILE, PURSE
from rules.ruleset import Options
from rules.state import State
from rules.table import Table
from tests.support.positions import (
    DiceLaid,
    NotesLaid,
    ScriptedChance,
    answer,
    apply_events,
    roll_dice,
    table_at,
)

NEUTRAL_SET = 8
BASIC: Options = {"tiles": 0, "start_seat": 0}


def basic_game(players: int, dice: DiceLaid | None = None, **notes: tuple[int, ...]) -> State:
    """A basic game; notes are named by casino, as in `six=(…)`."""
    numbers = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    laid: NotesLaid = {numbers[name]: pair for name, pair in notes.items()}
    chance = ScriptedChance([(6,) * NEUTRAL_SET]) if players == 2 else None
    return table_at("royale", players, BASIC, dice=dice, notes=laid or None, chance=chance)


def tile_table(
    *codes: str,
    players: int = 3,
    dice: DiceLaid | None = None,
    notes: Mapping[int, tuple[int, ...]] | None = None,
    neutral: tuple[int, ...] = (6,) * NEUTRAL_SET,
) -> State:
    """These tiles at casinos 1, 2, …, no notes but those given; the neutral set lies as rolled."""
    options: Options = {"tile_codes": codes, "start_seat": 0}
    chance = ScriptedChance([neutral]) if players == 2 else None
    state = table_at("royale", players, options, dice=dice, notes={}, chance=chance)
    for number, pair in (notes or {}).items():
        sources = [PILE if note in state.unseen else BANK for note in pair]
        moves = zip(sources, pair, strict=True)
        state = apply_events(state, *(NotesMoved(source, CASINO[number], (note,)) for source, note in moves))
    return state


def with_bank(state: State, *notes: int) -> State:
    """The bank holds these notes and no others."""
    return apply_events(state, NotesMoved(BANK, PILE, state.notes[BANK]), NotesMoved(PILE, BANK, notes))


def with_purse(state: State, seat: int, *notes: int) -> State:
    """Notes won before, from the pile."""
    return apply_events(state, NotesMoved(PILE, PURSE[seat], notes))


def with_chips(state: State, seat: int, chips: int) -> State:
    return apply_events(state, ChipsMoved(BANK, PURSE[seat], chips - state.chips_of(seat)))


def roll_number(state: State, seat: int, number: int, small: int = 1, big: bool = False) -> State:
    """The seat's roll: so many small dice show the number, and the big one if wanted; the rest does not."""
    hand, other = state.supply_of(seat), 6 if number < 6 else 5
    faces = [number] * small + [other] * (hand.small - small)
    return roll_dice(state, seat, *faces, big=(number if big else other) if hand.big else None)


def place_number(
    state: State,
    seat: int,
    number: int,
    small: int = 1,
    big: bool = False,
    *,
    black: Iterable[tuple[int, int]] = (),
) -> Table:
    """The seat rolls and places the number, which activates its tile; the black dice fall as given."""
    return answer(
        roll_number(state, seat, number, small, big), seat, f"place-{number}", ScriptedChance(black)
    )


def gains(before: State, after_it: State, seat: int) -> tuple[tuple[int, ...], int]:
    """Notes and chips a seat gained."""
    notes = list(after_it.notes_of(seat))
    for note in before.notes_of(seat):
        notes.remove(note)
    return tuple(notes), after_it.chips_of(seat) - before.chips_of(seat)
