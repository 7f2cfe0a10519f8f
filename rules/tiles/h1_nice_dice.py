"""NICE DICE: six spaces, one a number, each for a single die."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from events.agenda import Ask, require
from events.text import Joined, Text
from events.values import CASINO, CASINO_NUMBERS, OWNER, SUPPLY, Dice, Owner, Place, spot
from rules.choice import read_choice, write_choice
from rules.extension import Member, Size, numbers_asked_with, single_die
from rules.mechanics.bank import pay
from rules.mechanics.place_or_take_back import sizes
from rules.prompt import (
    Asked,
    OptionDetails,
    Path,
    PathContext,
    PathStep,
    Prompt,
    Target,
    at_tile,
    one_die,
)
from rules.restore import InvalidPosition, put_die
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import prize

CODE = "H1"
PRIZES = {1: 10_000, 2: 20_000, 3: 30_000, 4: 40_000, 5: 50_000, 6: 60_000}
SPACES: dict[int, Place] = {number: spot(CODE, number) for number in CASINO_NUMBERS}
LEAVE = "leave"
NO_DIE = Text("Put no die on the tile")


class Space(TypedDict):
    """The seat whose die lies on the space of a number, and which die it is."""

    number: int
    seat: int | None
    die: Size | None


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("H1.put", seat, number=number, tile=CODE, data=(placed.small, placed.big))


def seat_on(state: State, space: int) -> int | None:
    """Whose die lies on a space."""
    return single_die(state, SPACES[space])[0]


def free(state: State, space: int) -> bool:
    """Whether a die can be put on a space: one that lies there must be able to go to its casino (T-H1)."""
    return space not in state.closed or seat_on(state, space) is None


def in_arena(state: State) -> list[tuple[str, int]]:
    """Dice of the current roll that were not placed; POWER PLAY's turns have none (T6)."""
    roll = state.roll
    if roll is None:
        return []
    small = [("small", face) for face in sorted(set(roll.own))]
    return small if roll.big is None else [*small, ("big", roll.big)]


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    small, big = map(int, ask.data)
    hand = (write_choice("put", size, face) for size, face in in_arena(state) if free(state, face))
    here = (write_choice("shift", size, require(ask.number)) for size in sizes(Dice(small, big)))
    return (*hand, *here, LEAVE)


_ROLLED = {"small": "the small {face} you rolled", "big": "the big {face} you rolled"}
_PLACED = {"small": "a small die you just placed", "big": "a big die you just placed"}


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    if choice == LEAVE:
        return NO_DIE
    chosen = read_choice(choice)
    size = chosen.words[0]
    face = chosen.number
    rolled = Text(_ROLLED[size], face=face)
    put = Text(
        "Put {die} on space {face}, worth {prize} in the payout",
        die=rolled if chosen.verb == "put" else Text(_PLACED[size]),
        face=face,
        prize=prize(PRIZES[face]),
    )
    pushed_off = _who_is_pushed_off(state, face)
    return Joined((put, pushed_off), "; ") if pushed_off else put


def find_path(context: PathContext, choice: str) -> Path:
    """A die that was just placed, or one of the roll, whose small dice are asked for by their number."""
    if choice == LEAVE:
        return (PathStep(Target(tile=CODE), NO_DIE),)
    chosen = read_choice(choice)
    size = chosen.words[0]
    face = chosen.number
    die = Target(die="big") if chosen.big else Target(die="small")
    if chosen.verb == "shift":
        return (PathStep(die, Text("Put {die} on the tile", die=Text(_PLACED[size]))),)
    if chosen.big:
        return (PathStep(die, Text("Put {die} on the tile", die=Text(_ROLLED[size], face=face))),)
    worth = Text("A {face}, worth {prize}", face=face, prize=prize(PRIZES[face]))
    return PathStep(die, Text("Put a small die you rolled on the tile")), PathStep(Target(face=face), worth)


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return at_tile(CODE, None if choice == LEAVE else one_die(read_choice(choice).big))


def _who_is_pushed_off(state: State, space: int) -> str:
    seat, size = single_die(state, SPACES[space])
    if seat is None:
        return ""
    name = str(state.seats[seat].name)
    if size == "big":
        return Text("the big die of {name} there goes to casino {number}", name=name, number=space)
    return Text("the die of {name} there goes to casino {number}", name=name, number=space)


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        if choice != LEAVE:
            chosen = read_choice(choice)
            _push_off(table, chosen.number)
            _put(table, seat, chosen.verb, chosen.big, chosen.number)


def _push_off(table: Table, space: int) -> None:
    for owner, dice in table.state.heap(SPACES[space]).items():
        table.move_dice(owner, SPACES[space], CASINO[space], small=dice.small, big=dice.big)


def _put(table: Table, seat: int, verb: str, big: bool, face: int) -> None:
    small = int(not big)
    large = int(big)
    if verb == "put":
        table.move_dice(OWNER[seat], SUPPLY[seat], SPACES[face], small=small, big=large, face=face)
    else:
        table.move_dice(OWNER[seat], CASINO[face], SPACES[face], small=small, big=large)


def payout(table: Table, number: int, ranked: tuple[Owner, ...]) -> None:
    """Space after space, since the bank may run short of a note (T11)."""
    for space in CASINO_NUMBERS:
        seat = seat_on(table.state, space)
        if seat is not None:
            pay(table, seat, PRIZES[space])


def shows(state: State) -> dict[str, object]:
    return {
        "spaces": [_space(state, number) for number in CASINO_NUMBERS],
        "placed": numbers_asked_with(state, "H1.put"),
    }


def _space(state: State, number: int) -> Space:
    seat, die = single_die(state, SPACES[number])
    return {"number": number, "seat": seat, "die": die}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    for space in shown.get("spaces", ()):
        if space["number"] not in CASINO_NUMBERS:
            raise InvalidPosition("spaces", "spaces are numbered from 1 to 6")
        state = put_die(state, "spaces", SPACES[space["number"]], space["seat"], space["die"])
    return state


def recall(state: State, asked: Asked) -> tuple[int | str, ...]:
    """The small and big dice that were just placed here; zeros where another tile activated this one."""
    placed = asked.shown.get("placed")
    there = state.own_dice(asked.seat, require(asked.number))
    if placed is None or len(placed) != 2:
        raise InvalidPosition(
            "placed", "must say how many small and big dice were just placed at this casino"
        )
    if not (0 <= placed[0] <= there.small and 0 <= placed[1] <= there.big):
        raise InvalidPosition("placed", Text("seat {seat} has not so many dice there", seat=asked.seat))
    return tuple(placed)


NICE_DICE = Tile(
    code=CODE,
    name="Nice Dice",
    gist="One die a space: up to $60k",
    text="Put one die you rolled but did not place, or one you just placed here, on the space of its number: "
    "it pays a chip to $60,000. A die already there moves to its casino.",
    other="H2",
    activated=activated,
    payout=payout,
    shows=shows,
    restore=restore,
    members={
        "spaces": Member(
            list[Space], "The six spaces, with the die that lies on each.", brief="spaces {value}"
        ),
        "placed": Member(
            list[int] | None,
            "How many small and big dice were just placed here, while their owner may shift one to the tile; "
            "null at other times.",
            brief="placed {value}",
        ),
    },
    prompts={
        "H1.put": Prompt(
            choices,
            label,
            answered,
            rule="000 NICE DICE, T-H1, T6",
            text="Put a die on the tile",
            details=details,
            recall=recall,
            path=find_path,
        )
    },
)
