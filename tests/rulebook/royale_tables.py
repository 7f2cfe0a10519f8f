"""Royale positions: tiles laid on purpose, a bank and chips as wanted, placements that activate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from events.types import ChipsMoved, NotesMoved
from events.values import BANK, CASINO, PILE, PURSE
from rules.ruleset import Options
from rules.state import State
from rules.table import Table
from tests.rulebook.positions import DiceLaid, NotesLaid, Scripted, after, answered, rolled, table_at

NEUTRAL_SET = 8
BASIC: Options = {"tiles": 0, "start_seat": 0}


def basic(players: int, dice: DiceLaid | None = None, **notes: tuple[int, ...]) -> State:
    """A basic game; notes are named by casino, as in `six=(…)`."""
    numbers = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    laid: NotesLaid = {numbers[name]: pair for name, pair in notes.items()}
    chance = Scripted([(6,) * NEUTRAL_SET]) if players == 2 else None
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
    chance = Scripted([neutral]) if players == 2 else None
    state = table_at("royale", players, options, dice=dice, notes={}, chance=chance)
    for number, pair in (notes or {}).items():
        sources = [PILE if note in state.unseen else BANK for note in pair]
        moves = zip(sources, pair, strict=True)
        state = after(state, *(NotesMoved(source, CASINO[number], (note,)) for source, note in moves))
    return state


def with_bank(state: State, *notes: int) -> State:
    """The bank holds these notes and no others."""
    return after(state, NotesMoved(BANK, PILE, state.notes[BANK]), NotesMoved(PILE, BANK, notes))


def with_purse(state: State, seat: int, *notes: int) -> State:
    """Notes won before, from the pile."""
    return after(state, NotesMoved(PILE, PURSE[seat], notes))


def with_chips(state: State, seat: int, chips: int) -> State:
    return after(state, ChipsMoved(BANK, PURSE[seat], chips - state.chips_of(seat)))


def showing(state: State, seat: int, number: int, small: int = 1, big: bool = False) -> State:
    """The seat's roll: so many small dice show the number, and the big one if wanted; the rest does not."""
    hand, other = state.supply_of(seat), 6 if number < 6 else 5
    faces = [number] * small + [other] * (hand.small - small)
    return rolled(state, seat, *faces, big=(number if big else other) if hand.big else None)


def placing(
    state: State,
    seat: int,
    number: int,
    small: int = 1,
    big: bool = False,
    *,
    black: Iterable[tuple[int, int]] = (),
) -> Table:
    """The seat rolls and places the number, which activates its tile; the black dice fall as given."""
    return answered(showing(state, seat, number, small, big), seat, f"place-{number}", Scripted(black))


def won(before: State, after_it: State, seat: int) -> tuple[tuple[int, ...], int]:
    """Notes and chips a seat gained."""
    notes = list(after_it.notes_of(seat))
    for note in before.notes_of(seat):
        notes.remove(note)
    return tuple(notes), after_it.chips_of(seat) - before.chips_of(seat)
