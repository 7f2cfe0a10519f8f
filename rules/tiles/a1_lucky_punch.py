"""LUCKY PUNCH: tokens in a fist, and a neighbour who guesses how many."""

from __future__ import annotations

from collections.abc import Mapping

from events.agenda import Ask
from events.secrecy import Secret
from events.text import Text
from events.types import Revealed
from events.values import Dice
from rules.choice import read_choice, write_choice, write_choices
from rules.mechanics.bank import pay
from rules.prompt import Asked, OptionDetails, Prompt, at_seat
from rules.restore import InvalidPosition
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import prize, quantity

CODE = "A1"
PRIZES = {1: 20_000, 2: 30_000, 3: 40_000}


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("A1.hide", seat, number=number, tile=CODE)


def hide_choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return write_choices("hide", PRIZES)


def hide_label(state: State, ask: Ask, seat: int, choice: str) -> str:
    tokens = read_choice(choice).number
    guesser = state.seats[state.left_of(seat)].name
    return Text(
        "Hide {tokens}: {prize} for you if {guesser} guesses wrong",
        tokens=quantity(tokens, "token"),
        prize=prize(PRIZES[tokens]),
        guesser=str(guesser),
    )


def hidden(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    """The fist stays sealed on the agenda until the neighbour has guessed (T-A1)."""
    asked = table.state.ask
    for seat in answers:
        fist = asked.answers[-1].choice if asked is not None else None
        if isinstance(fist, Secret):
            table.ask("A1.guess", table.state.left_of(seat), tile=CODE, data=(seat,), secret=fist)


def guess_choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return write_choices("guess", PRIZES)


def possible_fists(state: State, ask: Ask) -> tuple[str, ...]:
    return write_choices("hide", PRIZES)


def guess_label(state: State, ask: Ask, seat: int, choice: str) -> str:
    tokens = read_choice(choice).number
    owner = state.seats[int(ask.data[0])].name
    return Text(
        "Guess {tokens}: if right, {owner} wins nothing instead of {prize}; "
        "if wrong, {owner} is paid for what was hidden",
        tokens=quantity(tokens, "token"),
        prize=prize(PRIZES[tokens]),
        owner=str(owner),
    )


def whose_fist(state: State, asked: Asked) -> tuple[int | str, ...]:
    """The seat with the turn hides the fist, and its left neighbour guesses."""
    if state.turn is None or state.left_of(state.turn) != asked.seat:
        raise InvalidPosition("turn", "whoever guesses sits to the left of whose turn it is")
    return (state.turn,)


def guess_details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    """The seat whose fist it is."""
    return at_seat(int(ask.data[0]))


def guessed(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    owner = int(ask.data[0])
    fist = ask.secret
    if fist is None:
        return
    table.record(Revealed(fist.hidden, owner, fist.contents, salt=fist.salt or ""))
    tokens = read_choice(fist.contents).number
    if write_choice("guess", tokens) not in answers.values():
        pay(table, owner, PRIZES[tokens])


LUCKY_PUNCH = Tile(
    code=CODE,
    name="Lucky Punch",
    gist="Bluff with hidden tokens",
    text="Hide one, two or three tokens; your left neighbour guesses how many. "
    "A wrong guess earns you two chips, $30,000 or $40,000, by what you hid.",
    other="A2",
    activated=activated,
    prompts={
        "A1.hide": Prompt(
            hide_choices,
            hide_label,
            hidden,
            rule="000 LUCKY PUNCH, T-A1",
            text="Hide tokens in the fist",
            secret=True,
        ),
        "A1.guess": Prompt(
            guess_choices,
            guess_label,
            guessed,
            rule="000 LUCKY PUNCH, T-A1",
            text="Guess a neighbour's tokens",
            guesses=possible_fists,
            details=guess_details,
            recall=whose_fist,
            for_others=True,
        ),
    },
)
