"""A question of some tiles: place a die in hand on any open casino, or take one back; no tile reacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from events.agenda import Ask
from events.types import DiceMoved
from events.values import CASINO, OWNER, SUPPLY, Dice
from rules.choice import read_choice, write_choice
from rules.evolve import evolve
from rules.prompt import OptionDetails, Prompt, at_casino, one_die, taken_from
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
    die = "your big die" if chosen.big else "a small die in hand"
    number = chosen.number
    return f"Turn {die} to {number} and place it on casino {number}"


def take_back_label(choice: str) -> str:
    chosen = read_choice(choice)
    die = "your big die" if chosen.big else "a small die of yours"
    return f"Take {die} back from casino {chosen.number}"


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    """The casino that the die goes to or comes from."""
    chosen = read_choice(choice)
    if chosen.verb == "set":
        return at_casino(chosen.number, one_die(chosen.big))
    return taken_from(chosen.number)


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
        found.append("place a die in hand on any open casino")
    if any(state.own_dice(seat, number).count for number in state.open):
        found.append("take one of your dice back")
    return tuple(found)


def prompt(rule: str) -> Callable[[Tiles], Prompt]:
    """Make the question for a tile with this rule; labels say where another tile does not react."""

    def among(tiles: Tiles) -> Prompt:
        def label(state: State, ask: Ask, seat: int, choice: str) -> str:
            if read_choice(choice).verb == "take":
                return take_back_label(choice)
            kept = ", whose tile does not react" if would_activate(tiles, state, seat, choice) else ""
            return place_label(choice) + kept

        text = "Place a die in hand, or take one back"
        return Prompt(choices, label, answered, rule=rule, text=text, details=details)

    return among
