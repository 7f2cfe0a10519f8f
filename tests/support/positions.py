"""Positions from the rulebooks: scripted chance, and tables brought there by events."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from functools import reduce

from msgspec.structs import replace

from events.agenda import Step
from events.commands import Choose, Create
from events.secrecy import seal
from events.types import CardsDealt, CardsPlayed, ChipsMoved, DiceMoved, Event, NotesMoved
from events.values import BANK, BOX, CASINO, OWNER, PILE, PURSE, SUPPLY, UNDER, Dice, Owner, Place, SeatPlan
from rules.chance import Below
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.evolve import evolve
from rules.mechanics.dice_turn import TURNS, roll
from rules.ruleset import Options
from rules.state import EMPTY, State
from rules.table import Table

ANNA, BEN, CARLA, DENNY, EMILY, FRED = range(6)
SEED = "5e" * 32
NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily", "Fred", "Gina")

# By the number of a casino, or any place; by a seat, or any owner; small dice may be given as a number.
NotesLaid = Mapping[int | Place, tuple[int, ...]]
DiceLaid = Mapping[int | Place, Mapping[int | Owner, int | Dice]]


class ScriptedChance:
    """Rolls and picks in the order given; afterwards every die shows 1 and every pick is the first."""

    def __init__(self, rolls: Iterable[tuple[int, ...]] = (), picks: Iterable[int] = ()) -> None:
        self.rolls, self.picks = deque(rolls), deque(picks)
        self.rolled: dict[int, tuple[int, ...]] = {}

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        if number not in self.rolled:
            self.rolled[number] = self.rolls.popleft() if self.rolls else (1,) * count
        faces = self.rolled[number]
        if len(faces) != count:
            raise ValueError(f"{count} dice are rolled, the script has {faces}")
        return faces

    def draw(self, number: int) -> Below:
        return self._pick

    def _pick(self, bound: int) -> int:
        pick = self.picks.popleft() if self.picks else 0
        if pick >= bound:
            raise ValueError(f"a pick below {bound} is needed, the script has {pick}")
        return pick

    def salt(self, number: int) -> str:
        return f"{number:032x}"

    def seed(self) -> str:
        return SEED


def new_game(
    edition: str, players: int, options: Options | None = None, chance: ScriptedChance | None = None
) -> State:
    """A game at its first ask; seat 0 starts unless options or script say otherwise."""
    seats = tuple(SeatPlan(name) for name in NAMES[:players])
    create = Create("g_1", edition, seats, "c0" * 32, dict(options or {}))
    return run_command(EMPTY, create, chance or ScriptedChance()).state


def under_release(state: State, release: int) -> State:
    """The same table in a game that was begun under another release."""
    return replace(state, release=str(release))


def apply_events(state: State, *events: Event) -> State:
    return reduce(evolve, events, state)


def table_at(
    edition: str,
    players: int,
    options: Options | None = None,
    *,
    notes: NotesLaid | None = None,
    dice: DiceLaid | None = None,
    purses: Mapping[int, tuple[int, ...]] | None = None,
    chance: ScriptedChance | None = None,
) -> State:
    """A new game with these notes and dice at casinos (by number) or places, and notes won by seats.

    Where notes are given, they are all there are outside the pile.
    """
    state = new_game(edition, players, options, chance)
    if notes is not None or purses is not None:
        state = _with_notes(state, notes or {}, purses or {})
    for where, heap in (dice or {}).items():
        for who, lot in heap.items():
            lot = lot if isinstance(lot, Dice) else Dice(lot)
            state = apply_events(state, *_put_dice(state, _owner(who), lot, _place(where)))
    return state


def _place(where: int | Place) -> Place:
    return CASINO[where] if isinstance(where, int) else where


def _owner(who: int | Owner) -> Owner:
    return OWNER[who] if isinstance(who, int) else who


def _with_notes(state: State, notes: NotesLaid, purses: Mapping[int, tuple[int, ...]]) -> State:
    laid = [(place, lying) for place, lying in state.notes.items() if place not in (PILE, UNDER, BANK)]
    state = apply_events(state, *(NotesMoved(place, PILE, lying) for place, lying in laid if lying))
    wanted = {_place(where): lying for where, lying in notes.items()}
    wanted |= {PURSE[seat]: won for seat, won in purses.items()}
    return apply_events(state, *(NotesMoved(PILE, place, lying) for place, lying in wanted.items()))


def _put_dice(state: State, owner: Owner, wanted: Dice, target: Place) -> Iterable[DiceMoved]:
    """Dice of an owner leave the supplies and the box for one place."""
    small, big = wanted.small, wanted.big
    for source in (*SUPPLY, BOX):
        there = state.dice_of(owner, source)
        take = Dice(min(small, there.small), min(big, there.big))
        small, big = small - take.small, big - take.big
        if take.count:
            yield DiceMoved(owner, source, target, take.small, take.big)
    if small or big:
        raise ValueError(f"{owner} has too few dice left")


def roll_dice(
    state: State, seat: int, *faces: int, big: int | None = None, neutral: tuple[int, ...] = ()
) -> State:
    """The seat's turn: all its dice are rolled, own small ones, the big one, neutral ones."""
    script = ScriptedChance([(*faces, *(() if big is None else (big,)), *neutral)])
    table = Table(state, EDITIONS.of(state), script)
    table.agenda = [TURNS]
    roll(table, seat)
    table.run()
    return table.state


def play(state: State, seat: int, choice: str, chance: ScriptedChance | None = None) -> State:
    """The seat answers what is asked."""
    return answer(state, seat, choice, chance).state


def answer(state: State, seat: int, choice: str, chance: ScriptedChance | None = None) -> Table:
    """The same, with the events."""
    ask = state.ask
    if ask is None:
        raise ValueError("nothing is asked")
    return run_command(state, Choose(ask.id, seat, choice), chance or ScriptedChance())


def pay_out(state: State, chance: ScriptedChance | None = None) -> Table:
    """The payout of a round, and the next round laid out."""
    return work_agenda(state, Step("payout"), chance=chance)


def work_agenda(state: State, *steps: Step, chance: ScriptedChance | None = None) -> Table:
    """What is on the agenda replaced by these steps, the last one first."""
    table = Table(state, EDITIONS.of(state), chance or ScriptedChance())
    table.agenda = list(steps)
    table.run()
    return table


def notes_moved_from(table: Table, source: int | Place) -> dict[Place, tuple[int, ...]]:
    """Where the notes of one place went."""
    went: dict[Place, tuple[int, ...]] = {}
    for event in table.events:
        if isinstance(event, NotesMoved) and event.source == _place(source):
            went[event.target] = went.get(event.target, ()) + event.notes
    return went


def with_hand(state: State, seat: int, *cards: str) -> State:
    """These cards in hand instead of those dealt."""
    salt = ScriptedChance().salt(state.drawn)
    return apply_events(state, CardsDealt(seat, seal(cards, salt, (seat,)), state.drawn))


def with_laid(state: State, seat: int, *cards: str) -> State:
    """One turn of a seat brought these cards to the casinos; the rest of that hand is back in its pile."""
    rest: tuple[str, ...] = ()
    sealed = seal(rest, ScriptedChance().salt(state.drawn), (seat,))
    return apply_events(state, CardsPlayed(seat, cards, sealed, state.drawn))


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
