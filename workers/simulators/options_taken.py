"""Lanes in which each option of a question has been taken."""

from __future__ import annotations

import numpy as np

from rules.choice import read_choice
from workers.bots.decision import Question
from workers.simulators.lanes import Lanes
from workers.simulators.opening import lay_roll, open_lanes
from workers.simulators.position import COLOURS, Position, read_position
from workers.simulators.ranks import Ints


def read(question: Question) -> Position:
    view = question.view
    # White dice earn chip cards since the second release.
    return read_position(view, question.seat, bool(view.options.get("neutral_dice")), view.release != "1")


def take_options(question: Question, position: Position) -> Lanes:
    """One option after the other, each in as many lanes as the budget is."""
    options, view = question.options, question.view
    lanes = open_lanes(position, len(options) * question.budget)
    taken = np.repeat(number_options(options), question.budget)
    if view.ask is not None and view.ask.prompt == "chip_cards.take":
        _take_cards(lanes, question.seat, view.ask.number or 0, taken)
    elif view.roll is not None:
        offers = lanes.offers(question.seat, lay_roll(view.roll, len(taken)))
        lanes.take(question.seat, offers, np.arange(len(taken), dtype=np.int32), taken)
    return lanes


def number_options(options: tuple[str, ...]) -> Ints:
    """Casinos, then the bandit's faces; of chip cards the colour, or -1 for none."""
    return np.array([_number(option) for option in options], np.int32)


def _number(option: str) -> int:
    choice = read_choice(option)
    if choice.verb in ("take", "leave"):
        return COLOURS.index(choice.words[0]) if choice.words else -1
    return choice.number - 1 + 6 * (choice.verb == "bandit")


def _take_cards(lanes: Lanes, seat: int, casino: int, colours: Ints) -> None:
    if lanes.chips is not None:
        rows = np.flatnonzero(colours >= 0)
        lanes.chips.lying[rows, casino - 1, colours[rows]] -= 1
        lanes.chips.held[rows, seat, colours[rows]] += 1
