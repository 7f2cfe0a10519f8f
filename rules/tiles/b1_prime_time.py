"""PRIME TIME: the winner of this casino throws two more dice before anything is paid."""

from __future__ import annotations

from collections.abc import Mapping

from events.agenda import Ask
from events.text import Text
from events.values import BLACK, BOX, CASINO, LENT, seat_of
from rules.choice import read_choice, write_choice, write_choices
from rules.extension import Member, numbers_asked_with
from rules.mechanics.payout import still_to_pay_all, winner
from rules.prompt import Asked, DiceToPlace, OptionDetails, Prompt, Target, details_of_asking_tile
from rules.restore import check_throw
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "B1"
NEITHER = "place-none"


def before_payout(table: Table, number: int) -> None:
    """An imaginary winner throws nothing (T-B1)."""
    first = winner(table.state, number)
    seat = None if first is None else seat_of(first)
    if seat is not None:
        table.ask("B1.place", seat, number=number, tile=CODE, data=table.roll_black())


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    """None, one or both, where the casino is open (T7)."""
    faces = sorted(int(face) for face in ask.data if face in state.open)
    one = tuple(dict.fromkeys(write_choices("place", faces)))
    both = (write_choice("place", *faces),) if len(faces) == 2 else ()
    return (*one, *both, NEITHER)


def faces_in(choice: str) -> tuple[int, ...]:
    return () if choice == NEITHER else read_choice(choice).numbers


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    faces = faces_in(choice)
    if not faces:
        return Text("Place neither of the black dice")
    if len(faces) == 1:
        return Text("Place the black {face} as your own on casino {face}", face=faces[0])
    first, second = faces
    if first == second:
        return Text("Place both black dice as your own on casino {number}", number=first)
    return Text(
        "Place both black dice as your own on casinos {first} and {second}", first=first, second=second
    )


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    faces = faces_in(choice)
    if not faces:
        return details_of_asking_tile(state, ask, seat, choice)
    where = tuple(Target(casino=face) for face in dict.fromkeys(faces))
    return OptionDetails(where, DiceToPlace(len(faces), 0), faces[0] if len(where) == 1 else None)


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        for face in faces_in(choice):
            table.move_dice(BLACK, BOX, CASINO[face], small=1, turned=LENT[seat])


def shows(state: State) -> dict[str, object]:
    return {"thrown": numbers_asked_with(state, "B1.place")}


def recall(state: State, asked: Asked) -> tuple[int | str, ...]:
    return check_throw("thrown", asked.shown.get("thrown"))


PRIME_TIME = Tile(
    code=CODE,
    name="Prime Time",
    gist="Leader adds two black dice",
    text="Before the payout the leader of this casino throws two black dice and may place none, one or both "
    "of them as own dice on the casinos they show.",
    other="B2",
    before_payout=before_payout,
    shows=shows,
    members={
        "thrown": Member(
            list[int] | None,
            "What the black dice show while their thrower decides where they go; null at other times.",
            brief="black dice {value}",
        )
    },
    prompts={
        "B1.place": Prompt(
            choices,
            label,
            answered,
            rule="000 PRIME TIME, T-B1, T7",
            text="Place black dice before the payout",
            details=details,
            recall=recall,
            below=still_to_pay_all,
        )
    },
)
