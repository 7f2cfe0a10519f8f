"""The one-armed bandit: a seventh casino for any number, each of them once a round (D6)."""

from __future__ import annotations

from msgspec.structs import replace

from events.text import Text
from events.values import BANDIT, BANDIT_STACK, CASINO_NUMBERS, Owner
from rules.choice import read_choice, write_choices
from rules.extension import ExtraCasino, Standing, TableExtension
from rules.mechanics.dice_turn import dice_in_words, place_choices, put, rolled_dice
from rules.mechanics.payout import hand_out
from rules.mechanics.ranking import list_standing
from rules.prompt import DiceToPlace, OptionDetails, at_casino
from rules.ruleset import Offer, OptionSpec
from rules.state import State
from rules.table import Table

NAME = "One-armed bandit"
BANDIT_BILLS = 2

OPTION = OptionSpec(
    "bandit",
    "flag",
    "Five or six players may also place any number on the one-armed bandit.",
    how="The one-armed bandit is a seventh casino. All dice of a number may go there instead of to their own "
    "casino, unless that number lies there already. Most dice win the higher note; if two players have the "
    "same, the sum of their pips decides, then their highest number. There are no ties.",
    default=False,
    players=(5, 6),
    rule="P1",
)


def stock(table: Table) -> None:
    """The bandit gets as many notes as a casino (M2)."""
    if OPTION.value_in(table.state.options):
        table.draw_notes(BANDIT, count=BANDIT_BILLS)


def choices(state: State, seat: int) -> tuple[str, ...]:
    """Every rolled number that has not been brought to the bandit in this round."""
    if not OPTION.value_in(state.options):
        return ()
    rolled = (read_choice(choice).number for choice in place_choices(state, seat))
    return write_choices("bandit", (number for number in rolled if not state.heap(BANDIT_STACK[number])))


def label(state: State, seat: int, choice: str) -> str:
    number = read_choice(choice).number
    return Text(
        "Place {dice} showing {number} on the one-armed bandit",
        dice=dice_in_words(state, number),
        number=number,
    )


def details(state: State, seat: int, choice: str) -> OptionDetails:
    return at_casino("bandit", DiceToPlace(*rolled_dice(state, read_choice(choice).number)))


def place(table: Table, seat: int, choice: str) -> None:
    number = read_choice(choice).number
    put(table, seat, number, BANDIT_STACK[number])


def merits(state: State) -> dict[Owner, tuple[int, int, int]]:
    """By player, the weight of the dice, the pips and the highest number; no two players are equal in all."""
    found: dict[Owner, tuple[int, int, int]] = {}
    for number in CASINO_NUMBERS:
        for owner, dice in state.heap(BANDIT_STACK[number]).items():
            weight, pips, _ = found.get(owner, (0, 0, 0))
            found[owner] = (weight + dice.weight, pips + number * dice.weight, number)
    return found


def order(state: State) -> tuple[Owner, ...]:
    found = merits(state)
    return tuple(sorted(found, key=found.__getitem__, reverse=True))


def pay(table: Table) -> None:
    """The bandit pays after all casinos (D8)."""
    hand_out(table, BANDIT, order(table.state))


def show_casinos(state: State) -> tuple[ExtraCasino, ...]:
    """Its dice keep their numbers, since pips break ties there (D6)."""
    return (replace(_SHOWN, standing=standing(state)),) if BANDIT in state.notes else ()


def standing(state: State) -> tuple[Standing, ...]:
    weighed = {owner: weight for owner, (weight, _, _) in merits(state).items()}
    return list_standing(weighed, order(state), state.notes[BANDIT])


_SHOWN = ExtraCasino(
    "bandit", NAME, BANDIT, stacks=tuple((face, BANDIT_STACK[face]) for face in CASINO_NUMBERS)
)
EXTENSION = TableExtension(casinos=show_casinos)
PLACE = Offer(choices, label, place, rule="D6", details=details, numbered=True, casino="bandit")
