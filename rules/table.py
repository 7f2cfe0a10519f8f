"""The table while one command is decided: the verbs that every rule, tile and edition shares."""

from __future__ import annotations

from typing import TypeVar

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
    """State so far, the events that led to it, and what is on the agenda."""

    __slots__ = ("agenda", "asked", "chance", "events", "ruleset", "state")

    def __init__(self, state: State, ruleset: Ruleset, chance: Chance) -> None:
        self.state, self.ruleset, self.chance = state, ruleset, chance
        self.events: list[Event] = []
        self.agenda: list[Item] = list(state.agenda)
        self.asked = state.asked

    def record(self, event: Event) -> None:
        """The one way in which something happens at the table."""
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
        """Asks; with a single seat the legal answers are part of the question."""
        self.asked += 1
        ask = Ask(self.asked, prompt, seats, (), (), number, tile, data, secret)
        rule = self.ruleset.prompts[prompt]
        if len(seats) == 1 and not rule.private:
            options = rule.choices(self.state, ask, seats[0])
            ask = Ask(self.asked, prompt, seats, options, (), number, tile, data, secret)
        self.agenda.append(ask)

    def run(self) -> None:
        """Works steps off until somebody has to answer or nothing is left."""
        steps, agenda = self.ruleset.steps, self.agenda
        while agenda and type(step := agenda[-1]) is Step:
            agenda.pop()
            steps[step.name](self, step)
        self.record(AgendaChanged(tuple(agenda)))

    # Chance

    def roll(self, seat: int) -> None:
        """All the dice a seat has left, own, big and neutral (D1)."""
        state = self.state
        heap, number = state.dice[SUPPLY[seat]], state.drawn
        own, white = heap.get(OWNER[seat], NO_DICE), heap.get(NEUTRAL, NO_DICE)
        small, big = own.small, own.big
        faces = self.chance.dice(number, small + big + white.small)
        neutral = tuple(sorted(faces[small + big :])) if white.small else ()
        rolled = tuple(sorted(faces[:small]))
        self.record(DiceRolled(number, seat, rolled, faces[small] if big else None, neutral))

    def roll_black(self) -> tuple[int, ...]:
        """Both black extra dice."""
        number = self.state.drawn
        faces = self.chance.dice(number, 2)
        self.record(DiceRolled(number, None, black=faces))
        return faces

    def pick(self) -> tuple[int, Below]:
        """The running number to record, and the source of even choices that belongs to it."""
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
        """Nothing enters or leaves a closed casino, by whatever effect (T-E1)."""
        if self.state.closed and self._shut(source, target):
            return
        self.record(DiceMoved(owner, source, target, small, big, face, turned))
        if self.state.tiles:
            self._tell_tiles()

    def play_die(self, seat: int, target: Place, big: bool) -> None:
        """One die in hand goes, whatever it shows; it leaves the arena too if it lies there."""
        roll, face = self.state.roll, None
        if roll is not None and roll.seat == seat:
            face = roll.big if big else next(iter(roll.own), None)
        self.move_dice(OWNER[seat], SUPPLY[seat], target, int(not big), int(big), face)

    def place_dice(self, seat: int, number: int, target: Place, small: int, big: int, neutral: int) -> None:
        """Rolled dice of one number leave the seat's supply."""
        state = self.state
        if state.closed and self._shut(target):
            return
        self.record(DicePlaced(seat, number, target, small, big, neutral))
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
        """Turns notes over until there are enough; what is under the pile comes last, in its order."""
        number, below = self.pick()
        unseen, drawn, value = list(self.state.unseen), list[int](), 0
        while unseen and (value < worth or len(drawn) < count):
            note = unseen.pop(below(len(unseen)))
            drawn.append(note)
            value += note
        if drawn:
            self.record(NotesMoved(PILE, target, tuple(drawn), number))
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
        """These dice were placed at a casino; its tile, if it has one and is not closed (T-E1), acts next."""
        if number <= len(self.state.tiles) and number not in self.state.closed:
            self.push(Step("tile", seat=seat, number=number, data=(small, big)))
