"""The table while one command is decided: the verbs that every rule, tile and edition shares."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from events.agenda import Ask, Item, Step
from events.secrecy import Secret, seal
from events.types import (
    AgendaChanged,
    ChipsMoved,
    DiceMoved,
    DicePlaced,
    DiceReturned,
    DiceRolled,
    Event,
    NotesMoved,
)
from events.values import BANK, CASINO, NEUTRAL, OWNER, PILE, PURSE, SUPPLY, UNDER, Owner, Place
from rules.chance import Below, Chance
from rules.evolve import EVOLVE_BY_TYPE
from rules.ruleset import Ruleset
from rules.state import NO_DICE, State
from rules.tile import Tile

Value = TypeVar("Value")


class Table:
    """The state so far, the events that led to it, and the agenda."""

    __slots__ = ("agenda", "asked", "chance", "events", "ruleset", "state")

    def __init__(self, state: State, ruleset: Ruleset, chance: Chance) -> None:
        self.state = state
        self.ruleset = ruleset
        self.chance = chance
        self.events: list[Event] = []
        self.agenda: list[Item] = list(state.agenda)
        self.asked = state.asked

    def record(self, event: Event) -> None:
        """Apply an event and keep it. State and events change here alone."""
        self.events.append(event)
        self.state = EVOLVE_BY_TYPE[type(event)](self.state, event)

    # The agenda

    def push(self, *items: Item) -> None:
        """The last item comes next."""
        self.agenda.extend(items)

    def ask(
        self,
        prompt: str,
        *seats: int,
        number: int | None = None,
        tile: str = "",
        data: tuple[int | str, ...] = (),
        secret: Secret[str] | None = None,
    ) -> None:
        """Put a question on the agenda; one to a single seat holds its legal answers."""
        self.asked += 1
        ask = Ask(self.asked, prompt, seats, number=number, tile=tile, data=data, secret=secret)
        rule = self.ruleset.prompts[prompt]
        if len(seats) == 1 and not rule.private:
            ask = replace(ask, options=rule.choices(self.state, ask, seats[0]))
        self.agenda.append(ask)

    def run(self) -> None:
        """Run steps until a seat has to answer or nothing is left, then record the agenda."""
        steps = self.ruleset.steps
        agenda = self.agenda
        while agenda and type(step := agenda[-1]) is Step:
            agenda.pop()
            steps[step.name](self, step)
        self.record(AgendaChanged(tuple(agenda)))

    # Chance

    def roll(self, seat: int) -> None:
        """Roll all dice that a seat has left: own, big and neutral (D1)."""
        state = self.state
        heap = state.dice[SUPPLY[seat]]
        number = state.drawn
        own = heap.get(OWNER[seat], NO_DICE)
        white = heap.get(NEUTRAL, NO_DICE)
        small = own.small
        big = own.big
        faces = self.chance.dice(number, small + big + white.small)
        neutral = tuple(sorted(faces[small + big :])) if white.small else ()
        rolled = tuple(sorted(faces[:small]))
        self.record(DiceRolled(number, seat, rolled, big=faces[small] if big else None, neutral=neutral))

    def roll_black(self) -> tuple[int, ...]:
        """Roll both black extra dice."""
        number = self.state.drawn
        faces = self.chance.dice(number, 2)
        self.record(DiceRolled(number, None, black=faces))
        return faces

    def pick(self) -> tuple[int, Below]:
        """Return the running number to record, and the source of even picks that belongs to it."""
        number = self.state.drawn
        return number, self.chance.draw(number)

    def seal(self, value: Value, *audience: int) -> tuple[int, Secret[Value]]:
        number = self.state.drawn
        return number, seal(value, self.chance.salt(number), audience)

    # Things that move

    def move_dice(
        self,
        owner: Owner,
        source: Place,
        target: Place,
        small: int = 0,
        big: int = 0,
        face: int | None = None,
        turned: Owner | None = None,
    ) -> None:
        """Move dice, unless the source or the target is a closed casino (T-E1)."""
        if self.state.closed and self._shut(source, target):
            return
        self.record(DiceMoved(owner, source, target, small=small, big=big, face=face, turned=turned))
        if self.state.tiles:
            self._tell_tiles()

    def play_die(self, seat: int, target: Place, big: bool) -> None:
        """Move one die in hand, whatever it shows; if it was rolled it leaves the arena, too."""
        roll = self.state.roll
        face = None
        if roll is not None and roll.seat == seat:
            face = roll.big if big else next(iter(roll.own), None)
        self.move_dice(OWNER[seat], SUPPLY[seat], target, small=int(not big), big=int(big), face=face)

    def place_dice(self, seat: int, number: int, target: Place, small: int, big: int, neutral: int) -> None:
        """Move rolled dice of one number from the seat's supply, unless the target is a closed casino."""
        state = self.state
        if state.closed and self._shut(target):
            return
        self.record(DicePlaced(seat, number, target, small=small, big=big, neutral=neutral))
        if state.tiles:
            self._tell_tiles()

    def return_dice(self, place: Place, owners: tuple[Owner, ...]) -> None:
        self.record(DiceReturned(place, owners))

    def _shut(self, *places: Place) -> bool:
        return any(CASINO[number] in places for number in self.state.closed)

    def _tell_tiles(self) -> None:
        for number, tile in self.tiles():
            if tile.dice_changed is not None:
                tile.dice_changed(self, number)

    def move_notes(self, source: Place, target: Place, *notes: int) -> None:
        if notes:
            self.record(NotesMoved(source, target, notes))

    def draw_notes(self, target: Place, worth: int = 0, count: int = 0) -> None:
        """Draw notes until there are enough; notes under the pile come last, in their order."""
        number, below = self.pick()
        unseen = list(self.state.unseen)
        drawn = list[int]()
        value = 0
        while unseen and (value < worth or len(drawn) < count):
            note = unseen.pop(below(len(unseen)))
            drawn.append(note)
            value += note
        if drawn:
            self.record(NotesMoved(PILE, target, tuple(drawn), chance=number))
        for note in self.state.notes[UNDER]:
            if value >= worth and len(drawn) >= count:
                break
            self.move_notes(UNDER, target, note)
            drawn.append(note)
            value += note

    def pay_chips(self, seat: int, chips: int) -> None:
        self.record(ChipsMoved(BANK, PURSE[seat], chips))

    def take_chips(self, seat: int, chips: int) -> None:
        self.record(ChipsMoved(PURSE[seat], BANK, chips))

    # Tiles

    def tiles(self) -> list[tuple[int, Tile]]:
        known = self.ruleset.tiles
        return [(number, known[code]) for number, code in enumerate(self.state.tiles, 1)]

    def activate(self, seat: int, number: int, small: int = 0, big: int = 0) -> None:
        """Let the tile of a casino act next on dice that were placed there, unless it is closed (T-E1)."""
        if number <= len(self.state.tiles) and number not in self.state.closed:
            self.push(Step("tile", seat=seat, number=number, data=(small, big)))
