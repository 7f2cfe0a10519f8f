"""A question of some tiles: place a die in hand on any open casino, or take one back; no tile reacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from events.agenda import Ask
from events.text import Text
from events.types import DiceMoved
from events.values import CASINO, OWNER, SUPPLY, Dice
from rules.choice import read_choice, write_choice
from rules.evolve import evolve
from rules.prompt import (
    OptionDetails,
    Path,
    PathContext,
    PathStep,
    Prompt,
    Target,
    at_casino,
    one_die,
    taken_from,
)
from rules.state import State
from rules.table import Table
from rules.tile import Tile

Tiles = Mapping[str, Tile]


def sizes(dice: Dice) -> tuple[str, ...]:
    """The sizes that there are among these dice, as choices name them."""
    counts = {"small": dice.small, "big": dice.big}
    return tuple(size for size, count in counts.items() if count)


def place_choices(state: State, seat: int) -> tuple[str, ...]:
    """Any die in hand, on any open number."""
    held = sizes(state.supply_of(seat))
    return tuple(write_choice("set", size, number) for size in held for number in state.open)


def place(table: Table, seat: int, choice: str) -> tuple[int, bool]:
    """Turn the die to the number and place it; return the casino, and whether it is the big die."""
    die = read_choice(choice)
    table.play_die(seat, CASINO[die.number], die.big)
    return die.number, die.big


def place_label(choice: str) -> str:
    chosen = read_choice(choice)
    die = Text("your big die") if chosen.big else Text("a small die in hand")
    number = chosen.number
    return Text("Turn {die} to {number} and place it on casino {number}", die=die, number=number)


def take_back_label(choice: str) -> str:
    chosen = read_choice(choice)
    die = Text("your big die") if chosen.big else Text("a small die of yours")
    return Text("Take {die} back from casino {number}", die=die, number=chosen.number)


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    """The casino that the die goes to or comes from."""
    chosen = read_choice(choice)
    if chosen.verb == "set":
        return at_casino(chosen.number, one_die(chosen.big))
    return taken_from(chosen.number)


_FIRST_STEPS = {
    ("set", False): Text("Place a small die"),
    ("set", True): Text("Place the big die"),
    ("take", False): Text("Take a small die back"),
    ("take", True): Text("Take the big die back"),
}


def find_path(context: PathContext, choice: str) -> Path:
    """Which die and whether it comes or goes, then the casino."""
    chosen = read_choice(choice)
    die = Target(die="big" if chosen.big else "small")
    first = PathStep(die, _FIRST_STEPS[chosen.verb, chosen.big])
    return first, context.at_casino(chosen.number)


def would_activate(tiles: Tiles, state: State, seat: int, choice: str) -> bool:
    """Whether the tile of the casino would react if the placed die activated it."""
    die = read_choice(choice)
    if die.number > len(state.tiles):
        return False
    placed = DiceMoved(
        OWNER[seat], SUPPLY[seat], CASINO[die.number], small=int(not die.big), big=int(die.big)
    )
    tile = tiles[state.tiles[die.number - 1]]
    return tile.responds(evolve(state, placed), seat, die.number)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    back = (write_choice("take", size, n) for n in state.open for size in sizes(state.own_dice(seat, n)))
    return (*place_choices(state, seat), *back)


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        chosen = read_choice(choice)
        if chosen.verb == "set":
            place(table, seat, choice)
        else:
            _take_back(table, seat, chosen.number, chosen.big)


def _take_back(table: Table, seat: int, number: int, big: bool) -> None:
    table.move_dice(OWNER[seat], CASINO[number], SUPPLY[seat], small=int(not big), big=int(big))


def ways(state: State, seat: int) -> tuple[str, ...]:
    """What the seat could do now, in words."""
    found = []
    if state.open and state.supply_of(seat).count:
        found.append(Text("place a die in hand on any open casino"))
    if any(state.own_dice(seat, number).count for number in state.open):
        found.append(Text("take one of your dice back"))
    return tuple(found)


def prompt(rule: str) -> Callable[[Tiles], Prompt]:
    """Make the question for a tile with this rule; labels say where another tile does not react."""

    def among(tiles: Tiles) -> Prompt:
        def label(state: State, ask: Ask, seat: int, choice: str) -> str:
            if read_choice(choice).verb == "take":
                return take_back_label(choice)
            if would_activate(tiles, state, seat, choice):
                return Text("{placing}, whose tile does not react", placing=place_label(choice))
            return place_label(choice)

        text = "Place a die in hand, or take one back"
        return Prompt(choices, label, answered, rule=rule, text=text, details=details, path=find_path)

    return among
