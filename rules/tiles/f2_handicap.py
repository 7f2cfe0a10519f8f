"""HANDICAP: grey dice stand in the way, and removing one is rewarded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from events.agenda import Ask
from events.text import Text, either
from events.values import BOX, CASINO, CASINO_NUMBERS, GREY, Dice, spot
from rules.choice import read_choice, write_choice
from rules.extension import Member
from rules.mechanics import place_or_take_back
from rules.mechanics.bank import pay
from rules.prompt import (
    OptionDetails,
    Path,
    PathContext,
    PathStep,
    Prompt,
    Target,
    details_of_asking_tile,
    taken_from,
)
from rules.restore import InvalidPosition, with_heap
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import prize

CODE = "F2"
LAID_OUT = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2}
PICTURES = {"chip": 2, "money": 3, "die": 4}
PRIZES = {"chip": 10_000, "money": 30_000}
LEAVE = "leave"
STAY = Text("Leave the grey dice where they are")


class Picture(TypedDict):
    """`filled` grey dice cover it, `room` are as many as can."""

    picture: Literal["chip", "money", "die"]
    filled: int
    room: int


def setup(table: Table, number: int) -> None:
    for casino in CASINO_NUMBERS:
        table.move_dice(GREY, BOX, CASINO[casino], small=LAID_OUT[casino])


def dice_on(state: State, picture: str) -> int:
    return state.dice_of(GREY, spot(CODE, picture)).small


def free_pictures(state: State, seat: int) -> tuple[str, ...]:
    """The pictures with room; that for a die only while a die can be placed or taken back (T-F2)."""
    empty = (picture for picture, room in PICTURES.items() if dice_on(state, picture) < room)
    return tuple(picture for picture in empty if picture != "die" or place_or_take_back.ways(state, seat))


def acts(state: State, seat: int, number: int) -> bool:
    return bool(removals(state, seat))


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("F2.remove", seat, tile=CODE)


def removals(state: State, seat: int) -> tuple[str, ...]:
    blocked = [number for number in state.open if state.dice_of(GREY, CASINO[number]).small]
    free = free_pictures(state, seat)
    return tuple(write_choice("remove", number, picture) for number in blocked for picture in free)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return (*removals(state, seat), LEAVE)


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    if choice == LEAVE:
        return STAY
    number, picture = read_choice(choice).words
    if picture in PRIZES:
        return Text(
            "Remove a grey die from casino {number} and win {prize}",
            number=number,
            prize=prize(PRIZES[picture]),
        )
    return Text(
        "Remove a grey die from casino {number}, then {ways}",
        number=number,
        ways=either(place_or_take_back.ways(state, seat)),
    )


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    """The casino that the grey die leaves."""
    if choice == LEAVE:
        return details_of_asking_tile(state, ask, seat, choice)
    number, _ = read_choice(choice).words
    return taken_from(int(number))


def find_path(context: PathContext, choice: str) -> Path:
    """The reward, then the casino that the grey die leaves."""
    tile = Target(tile=CODE)
    if choice == LEAVE:
        return (PathStep(tile, STAY),)
    number, picture = read_choice(choice).words
    if picture in PRIZES:
        reward = Text("Win {prize} for a grey die", prize=prize(PRIZES[picture]))
    else:
        ways = place_or_take_back.ways(context.state, context.seat)
        reward = Text("Remove a grey die, then {ways}", ways=either(ways))
    return PathStep(tile, reward), context.at_casino(int(number))


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        if choice != LEAVE:
            number, picture = read_choice(choice).words
            table.move_dice(GREY, CASINO[int(number)], spot(CODE, picture), small=1)
            _reward(table, seat, picture)


def _reward(table: Table, seat: int, picture: str) -> None:
    if picture in PRIZES:
        pay(table, seat, PRIZES[picture])
    else:
        table.ask("F2.die", seat, tile=CODE)


def shows(state: State) -> dict[str, object]:
    return {
        "pictures": [
            {"picture": name, "filled": dice_on(state, name), "room": room} for name, room in PICTURES.items()
        ]
    }


def restore(state: State, shown: Mapping[str, Any]) -> State:
    laid = sum(state.dice_of(GREY, CASINO[number]).small for number in CASINO_NUMBERS)
    if "pictures" not in shown and laid != sum(LAID_OUT.values()):
        raise InvalidPosition("pictures", "must say how many grey dice cover each picture")
    for covered in shown.get("pictures", ()):
        name = covered["picture"]
        filled = covered["filled"]
        if not 0 <= filled <= PICTURES[name]:
            raise InvalidPosition(
                "pictures",
                Text("0 to {most} grey dice can cover the picture {name}", most=PICTURES[name], name=name),
            )
        state = with_heap(state, spot(CODE, name), {GREY: Dice(filled)} if filled else {})
    return state


HANDICAP = Tile(
    code=CODE,
    name="Handicap",
    gist="Grey dice off, reward in",
    text="Nine grey dice lie at the casinos. Remove one to a free picture on the tile for a chip, "
    "for $30,000, or to place a die in hand on any open casino or take one back.",
    other="F1",
    setup=setup,
    activated=activated,
    acts=acts,
    shows=shows,
    restore=restore,
    members={
        "pictures": Member(
            list[Picture],
            "The three kinds of pictures: grey dice that cover them, and how many can.",
            brief="pictures {value}",
        )
    },
    brings=(GREY,),
    prompts={
        "F2.remove": Prompt(
            choices,
            label,
            answered,
            rule="000 HANDICAP, T-F2",
            text="Remove a grey die for a reward",
            details=details,
            path=find_path,
        ),
        "F2.die": place_or_take_back.prompt("000 HANDICAP, T-F2"),
    },
)
