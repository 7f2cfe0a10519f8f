"""KNOCKOUT?: opponents lose dice to the bar until they get there themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.agenda import Ask, Item, Step, require
from events.text import Text
from events.values import OWNER, SUPPLY, Dice, spot
from rules.choice import read_choice, write_choices
from rules.extension import Member, TileDice, show_dice
from rules.mechanics.dice_turn import TURNS
from rules.mechanics.place_or_take_back import sizes
from rules.prompt import Asked, OptionDetails, Prompt, at_tile, one_die
from rules.restore import InvalidPosition, put_dice
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "E2"
BAR = spot(CODE, "bar")
ROOM = 2


def opponents(state: State, seat: int) -> tuple[int, ...]:
    """The others, from the left neighbour on."""
    return state.clockwise(seat)[1:]


def to_give(state: State, seat: int) -> tuple[str, ...]:
    """The sizes of dice that a seat can give; none where the bar has two of its dice."""
    full = state.dice_of(OWNER[seat], BAR).count >= ROOM
    return () if full else sizes(state.supply_of(seat))


def acts(state: State, seat: int, number: int) -> bool:
    gives = any(to_give(state, opponent) for opponent in opponents(state, seat))
    return gives or state.dice_of(OWNER[seat], BAR).count > 0


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    """Own dice come back first; then each opponent in turn gives one (T-E2)."""
    back = table.state.dice_of(OWNER[seat], BAR)
    if back.count:
        table.move_dice(OWNER[seat], BAR, SUPPLY[seat], small=back.small, big=back.big)
    givers = reversed(opponents(table.state, seat))
    table.push(*(Step("E2.give", seat=giver, tile=CODE) for giver in givers))


def give(table: Table, step: Step) -> None:
    """Give a die to the bar; a seat that has both sizes in hand is asked which."""
    seat = require(step.seat)
    held = to_give(table.state, seat)
    if len(held) == 1:
        table.play_die(seat, BAR, held[0] == "big")
    elif held:
        table.ask("E2.give", seat, tile=CODE)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return write_choices("give", sizes(state.supply_of(seat)))


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    die = Text("your big die") if read_choice(choice).big else Text("a small die of yours")
    return Text(
        "Give {die} to the bar of Knockout?: it is out of play until you activate that tile, "
        "at casino {number}, or the round ends",
        die=die,
        number=state.tiles.index(CODE) + 1,
    )


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return at_tile(CODE, one_die(read_choice(choice).big))


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        table.play_die(seat, BAR, read_choice(choice).big)


def shows(state: State) -> dict[str, object]:
    return {"bar": show_dice(state, BAR)}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    state = put_dice(state, "bar", BAR, shown.get("bar", ()))
    if any(dice.count > ROOM for dice in state.heap(BAR).values()):
        raise InvalidPosition("bar", Text("nobody has more than {room} dice there", room=ROOM))
    return state


def still_to_give(state: State, asked: Asked) -> tuple[Item, ...]:
    """The agenda below the question: seats after the asked one give later."""
    around = opponents(state, require(state.turn))
    later = around[around.index(asked.seat) + 1 :]
    return (TURNS, *(Step("E2.give", seat=giver, tile=CODE) for giver in reversed(later)))


KNOCKOUT = Tile(
    code=CODE,
    name="Knockout?",
    gist="Rivals' dice go to the bar",
    text="Your dice in the bar come back to you, and every opponent with fewer than two dice there "
    "puts one of theirs in. Dice in the bar do not count.",
    other="E1",
    activated=activated,
    acts=acts,
    shows=shows,
    restore=restore,
    members={"bar": Member(list[TileDice], "The dice in the bar, by owner.", brief="bar {value}")},
    steps={"E2.give": give},
    prompts={
        "E2.give": Prompt(
            choices,
            label,
            answered,
            rule="000 KNOCKOUT?, T-E2",
            text="Give a die to the bar",
            details=details,
            below=still_to_give,
            for_others=True,
        )
    },
)
