"""A table of the card game as lanes: as it lies, and with each option of a seat carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from events.agenda import Ask, Step
from events.values import CASINO, CASINO_NUMBERS, PURSE, Place
from rules.choice import read_choice
from rules.state import State
from workers.simulators.card_deals import laid_cards
from workers.simulators.card_lanes import ENOUGH_DICE, Lanes
from workers.simulators.card_ranks import Whole
from workers.simulators.round_worth import THOUSAND

COLOURS = ("gold", "pink", "blue", "green", "red")
AT_ONCE, IN_TURN, TAKE, OFFER = "cards.select", "cards.lay", "chip_cards.take", "chip_cards.offer"
PROMPTS = (AT_ONCE, IN_TURN, TAKE)


def read_table(view: State) -> Lanes:
    """One lane."""
    seats = range(len(view.seats))
    return Lanes(
        dice=_whole([[[view.own_dice(seat, number).weight for number in CASINO_NUMBERS] for seat in seats]]),
        laid=_whole([[laid_cards(view, seat).total() for seat in seats]]),
        notes=_whole([_two_notes(view.notes_at(number)) for number in CASINO_NUMBERS]),
        lying=_whole([[_count_colours(view, CASINO[number]) for number in CASINO_NUMBERS]]),
        owned=_whole([[_count_colours(view, PURSE[seat]) for seat in seats]]),
    )


def _whole(numbers: Sequence[object]) -> Whole:
    return np.array(numbers, np.int16)


def _two_notes(notes: Sequence[int]) -> tuple[int, ...]:
    return (*sorted((note // THOUSAND for note in notes), reverse=True), 0, 0)[:2]


def _count_colours(view: State, place: Place) -> list[int]:
    return [view.chip_cards.get(place, ()).count(colour) for colour in COLOURS]


def answer(view: State, ask: Ask, seat: int, options: Sequence[str]) -> Lanes:
    """A lane for each option with it carried out, and nothing else."""
    table = read_table(view).repeat(len(options))
    if ask.prompt == TAKE:
        _take(table, seat, (ask.number or 0) - 1, options)
    else:
        dice, cards = zip(*map(read_selection, options), strict=True)
        table.lay(seat, _whole(dice), _whole(cards))
    return table


def read_selection(choice: str) -> tuple[list[int], int]:
    """Dice by casino, and the number of cards; the name of a double is one letter longer."""
    cards, dice = read_choice(choice).words, Counter[str]()
    for card in cards:
        dice[card[0]] += len(card)
    return [dice[f"{number}"] for number in CASINO_NUMBERS], len(cards)


def _take(table: Lanes, seat: int, casino: int, options: Sequence[str]) -> None:
    for lane, choice in enumerate(options):
        for colour in read_choice(choice).words:
            table.take_chip(seat, casino, np.array([lane]), COLOURS.index(colour))


def accept_offers(table: Lanes, view: State, ask: Ask, seat: int, options: Sequence[str]) -> None:
    """The chip cards that the answer earned, or that were earned with the one in question."""
    if ask.prompt == TAKE:
        table.take_chips(seat, np.tile(_still_offered(view), (len(options), 1)))
    elif table.has_chips:
        table.take_chips(seat, _whole([read_selection(choice)[0] for choice in options]) >= ENOUGH_DICE)


def _still_offered(view: State) -> list[bool]:
    steps = [item for item in view.agenda if isinstance(item, Step) and item.name == OFFER]
    return [any(step.number == number for step in steps) for number in CASINO_NUMBERS]
