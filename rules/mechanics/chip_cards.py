"""Chip cards: laid beside the casinos, taken by who places two dice at once, paid by colour (C7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from events.agenda import Ask, Step, require
from events.text import Text
from events.types import ChipCardsMoved
from events.values import CASINO, CASINO_NUMBERS, PILE, PURSE
from rules.choice import read_choice, write_choices
from rules.extension import Members, TableExtension
from rules.mechanics.dice_turn import rolled_dice
from rules.prompt import Asked, OptionDetails, Prompt, at_casino
from rules.restore import InvalidPosition
from rules.ruleset import Offer, Options, OptionSpec
from rules.state import State
from rules.table import Table

COLOURS = ("gold", "pink", "blue", "green", "red")
CARDS = tuple(colour for colour in COLOURS for _ in range(5))
ENOUGH_DICE = 2
LEAVE = "leave"


OPTION = OptionSpec(
    "chip_cards",
    "flag",
    "Who places two dice at once may take a chip card; sets of one colour pay at the end.",
    how="In each round a chip card is laid beside every casino. Who places two dice or more on one casino in "
    "a turn may take one of its chip cards at once. At the end one to five of a colour are worth $10,000, "
    "$30,000, $60,000, $100,000 or $150,000.",
    default=False,
    rule="C7",
)


def cards(options: Options) -> tuple[str, ...]:
    return CARDS if OPTION.value_in(options) else ()


def lay(table: Table) -> None:
    """Lay one more card beside each casino; cards that were not taken stay."""
    if not OPTION.value_in(table.state.options):
        return
    for number in CASINO_NUMBERS:
        chance, below = table.pick()
        unseen = table.state.chip_cards[PILE]
        drawn = unseen[below(len(unseen))]
        table.record(ChipCardsMoved(PILE, CASINO[number], (drawn,), chance=chance))


def lying(state: State, number: int) -> tuple[str, ...]:
    return state.chip_cards.get(CASINO[number], ())


def offer(table: Table, seat: int, numbers: Iterable[int]) -> None:
    """The seat may take one card at each of these casinos, at the lower one first (C8)."""
    falling = sorted((number for number in numbers if lying(table.state, number)), reverse=True)
    table.push(*(Step("chip_cards.offer", seat=seat, number=number) for number in falling))


def ask(table: Table, step: Step) -> None:
    table.ask("chip_cards.take", require(step.seat), number=step.number)


def count_own(small: int, big: int, neutral: int) -> int:
    return small + 2 * big


def count_all(small: int, big: int, neutral: int) -> int:
    return small + 2 * big + neutral


def earning(placing: Offer, count: Callable[[int, int, int], int]) -> Offer:
    """A placement that offers a chip card where two dice that count are placed (C9)."""

    def take(table: Table, seat: int, choice: str) -> None:
        if not table.state.chip_cards:
            placing.take(table, seat, choice)
            return
        number = read_choice(choice).number
        counted = count(*rolled_dice(table.state, number))
        placing.take(table, seat, choice)
        if counted >= ENOUGH_DICE:
            offer(table, seat, (number,))

    return replace(placing, take=take)


def _choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    there = lying(state, require(ask.number))
    return (*write_choices("take", (colour for colour in COLOURS if colour in there)), LEAVE)


def _label(state: State, ask: Ask, seat: int, choice: str) -> str:
    if choice == LEAVE:
        return Text("Leave the chip cards at casino {number}", number=require(ask.number))
    (colour,) = read_choice(choice).words
    return Text(
        "Take a {colour} chip card at casino {number}", colour=Text(colour), number=require(ask.number)
    )


def _details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return at_casino(require(ask.number))


def _answered(table: Table, ask: Ask, choices: Mapping[int, str]) -> None:
    for seat, choice in choices.items():
        if choice != LEAVE:
            (colour,) = read_choice(choice).words
            table.record(ChipCardsMoved(CASINO[require(ask.number)], PURSE[seat], (colour,)))


def _recall(state: State, asked: Asked) -> tuple[int | str, ...]:
    if not state.chip_cards:
        raise InvalidPosition("prompt", "no chip cards were agreed on")
    if asked.number is None or not lying(state, asked.number):
        raise InvalidPosition("casino", "must be a casino with chip cards")
    return ()


def show_seat(state: State, seat: int) -> Members:
    return {"chip_cards": state.chip_cards.get(PURSE[seat], ())} if state.chip_cards else {}


def show_casino(state: State, number: int) -> Members:
    return {"chip_cards": lying(state, number)} if state.chip_cards else {}


EXTENSION = TableExtension(seat=show_seat, casino=show_casino, briefs={"chip_cards": "chip cards {value}"})
STEPS = {"chip_cards.offer": ask}
PROMPTS = {
    "chip_cards.take": Prompt(
        _choices,
        _label,
        _answered,
        rule="C7, C11",
        text="Take a chip card or leave them",
        details=_details,
        recall=_recall,
    )
}
