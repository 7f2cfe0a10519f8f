"""The twin of the editions in which a turn is a roll and a placement, without tiles."""

from __future__ import annotations

import numpy as np

from rules.choice import read_choice
from workers.bots.decision import Candidate, Question
from workers.simulators.lanes import Lanes, Offers
from workers.simulators.opening import lay_roll, open_lanes
from workers.simulators.playouts import play_out
from workers.simulators.position import COLOURS, THOUSAND, Position, read_position
from workers.simulators.ranks import Ints
from workers.simulators.standing import WHOLE, chances_to_win

# The releases of each edition whose rules are done again here.
CLAIMED = {"classic": ("1", "2"), "modern": ("1",)}
DIE = 8
WHIM = 8


def claims(question: Question) -> bool:
    view = question.view
    return view.release in CLAIMED.get(view.edition, ())


def weigh(question: Question) -> tuple[Candidate, ...]:
    position = read(question)
    lanes = take_options(question, position)
    play_out(lanes, question.seat + 1, question.budget, question.chance, sensible, WHIM)
    return _candidates(question, position, lanes)


def read(question: Question) -> Position:
    view = question.view
    return read_position(view, question.seat, bool(view.options.get("neutral_dice")), view.release != "1")


def take_options(question: Question, position: Position) -> Lanes:
    """One option after the other, each in as many lanes as the budget is."""
    options, view = question.options, question.view
    lanes = open_lanes(position, len(options) * question.budget)
    taken = np.repeat(np.array([_number(option) for option in options], np.int32), question.budget)
    rows = np.arange(len(taken), dtype=np.int32)
    if view.ask is not None and view.ask.prompt == "chip_cards.take":
        _take_cards(lanes, question.seat, view.ask.number or 0, taken)
    elif view.roll is not None:
        lanes.take(question.seat, lanes.offers(question.seat, lay_roll(view.roll, len(rows))), rows, taken)
    return lanes


def _number(option: str) -> int:
    """Casinos, then the bandit's faces; of chip cards the colour, or -1 for none."""
    choice = read_choice(option)
    if choice.verb in ("take", "leave"):
        return COLOURS.index(choice.words[0]) if choice.words else -1
    return choice.number - 1 + 6 * (choice.verb == "bandit")


def _take_cards(lanes: Lanes, seat: int, casino: int, colours: Ints) -> None:
    if lanes.chips is not None:
        rows = np.flatnonzero(colours >= 0)
        lanes.chips.lying[rows, casino - 1, colours[rows]] -= 1
        lanes.chips.held[rows, seat, colours[rows]] += 1


def sensible(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
    """Money for oneself and against the best of the others, and dice are worth something in hand."""
    now = lanes.won()
    after = now[:, None] + offers.gain
    own = after[:, :, seat].copy()
    after[:, :, seat] = -1
    worth = 10 * own - 10 * after.max(axis=2) - after.sum(axis=2)
    weight = offers.rolled.weight
    if offers.bonus is not None:
        worth[:, :6] += 10 * offers.bonus
    cost = 10 * DIE * weight
    return worth - (cost if worth.shape[1] == 6 else np.tile(cost, 2)) + 10 * whims[:, : worth.shape[1]]


def _candidates(question: Question, position: Position, lanes: Lanes) -> tuple[Candidate, ...]:
    won, seat = lanes.won(), question.seat
    money = won + np.array(position.cash, np.int32)
    chances = chances_to_win(
        money, lanes.notes_won() + np.array(position.notes_held, np.int32), position.rounds_left
    )
    wins = chances[:, seat].reshape(-1, question.budget).sum(axis=1)
    gains = won[:, seat].reshape(-1, question.budget).sum(axis=1)
    return tuple(
        Candidate(option, round(THOUSAND * int(gain) / question.budget), int(win) / WHOLE / question.budget)
        for option, gain, win in zip(question.options, gains, wins, strict=True)
    )
