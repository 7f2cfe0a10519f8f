"""A die in hand turned to an open number and placed, or one own die taken back; no tile reacts."""

from __future__ import annotations

from collections.abc import Mapping

from events.agenda import Ask
from events.values import CASINO, OWNER, SUPPLY, Dice
from rules.choice import read_choice, write_choice
from rules.prompt import Prompt
from rules.state import State
from rules.table import Table


def sizes(dice: Dice) -> tuple[str, ...]:
    """What a die to be picked can be called."""
    return ("small",) * bool(dice.small) + ("big",) * bool(dice.big)


def place_choices(state: State, seat: int) -> tuple[str, ...]:
    """Any die in hand, on any open number."""
    held = sizes(state.supply_of(seat))
    return tuple(write_choice("set", size, number) for size in held for number in state.open)


def place(table: Table, seat: int, choice: str) -> tuple[int, bool]:
    """Turns the die to the number and places it; the casino it went to, and whether it is the big one."""
    die = read_choice(choice)
    table.play_die(seat, CASINO[die.number], die.big)
    return die.number, die.big


def place_label(choice: str) -> str:
    chosen = read_choice(choice)
    die, number = "your big die" if chosen.big else "a small die in hand", chosen.number
    return f"Turn {die} to {number} and place it on casino {number}"


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    back = (write_choice("take", size, n) for n in state.open for size in sizes(state.own_dice(seat, n)))
    return (*place_choices(state, seat), *back)


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    chosen = read_choice(choice)
    if chosen.verb == "set":
        return place_label(choice) + (
            ", whose tile does not react" if chosen.number <= len(state.tiles) else ""
        )
    die = "your big die" if chosen.big else "a small die of yours"
    return f"Take {die} back from casino {chosen.number}"


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        chosen = read_choice(choice)
        if chosen.verb == "set":
            place(table, seat, choice)
        else:
            _take_back(table, seat, chosen.number, chosen.big)


def _take_back(table: Table, seat: int, number: int, big: bool) -> None:
    table.move_dice(OWNER[seat], CASINO[number], SUPPLY[seat], int(not big), int(big))


def possible(state: State, seat: int) -> bool:
    """Whether either can be done."""
    return bool(state.open) and any(
        dice.count for dice in (state.supply_of(seat), *(state.own_dice(seat, n) for n in state.open))
    )


def prompt(rule: str) -> Prompt:
    """The question, for a tile whose rule it is."""
    return Prompt(choices, label, answered, rule, "Place a die in hand, or take one back")
