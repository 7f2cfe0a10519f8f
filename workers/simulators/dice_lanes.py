"""The twin of the editions in which a turn is a roll and a placement, without tiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from rules.state import Roll
from workers.bots.decision import Candidate, Question
from workers.simulators.net import Net
from workers.simulators.net_play import judge_options
from workers.simulators.options_taken import number_options, read, take_options
from workers.simulators.playouts import play_out
from workers.simulators.position import THOUSAND
from workers.simulators.sensible import WHIM, sensible
from workers.simulators.standing import WHOLE, chances_to_win
from workers.simulators.weights import load_net

# The releases of each edition whose rules are done again here.
CLAIMED = {"classic": ("1", "2"), "modern": ("1",)}
# What the net says counts so many times as much as what all playouts of an option say.
TRUST = 3
# Fewer playouts than these only blur what the net says.
FEWEST = 20


class Weighed(Struct, frozen=True):
    """Of each option the chance to win in parts of WHOLE, and the money of the round in dollars."""

    wins: Sequence[float]
    money: Sequence[int]


def claims(question: Question) -> bool:
    view = question.view
    return view.release in CLAIMED.get(view.edition, ())


def weigh(question: Question) -> tuple[Candidate, ...]:
    """By what was learned and by playing out; only by the latter where it is no placement."""
    view, net = question.view, load_net(question.view.edition, len(question.view.seats))
    if net is None or view.roll is None or view.ask is None or view.ask.prompt != "turn.place":
        return _list(question, play_options_out(question))
    learned = ask_net(question, net, view.roll)
    return _list(
        question, learned if question.budget < FEWEST else _blend(play_options_out(question), learned)
    )


def ask_net(question: Question, net: Net, roll: Roll) -> Weighed:
    wins, thousands = judge_options(net, read(question), roll, number_options(question.options))
    return Weighed(wins.tolist(), [THOUSAND * money for money in thousands.tolist()])


def play_options_out(question: Question) -> Weighed:
    position, budget = read(question), question.budget
    lanes = take_options(question, position)
    play_out(lanes, question.seat + 1, budget, question.chance, sensible, WHIM)
    won, notes = lanes.won(), lanes.notes_won() + np.array(position.notes_held, np.int32)
    chances = chances_to_win(won + np.array(position.cash, np.int32), notes, position.rounds_left)
    wins, gains = (found[:, question.seat].reshape(-1, budget).sum(axis=1) for found in (chances, won))
    return Weighed(
        [win / budget for win in wins.tolist()], [THOUSAND * gain // budget for gain in gains.tolist()]
    )


def _blend(played: Weighed, learned: Weighed) -> Weighed:
    pairs = zip(played.wins, learned.wins, strict=True)
    return Weighed([(one + TRUST * other) / (1 + TRUST) for one, other in pairs], played.money)


def _list(question: Question, weighed: Weighed) -> tuple[Candidate, ...]:
    rows = zip(question.options, weighed.money, weighed.wins, strict=True)
    return tuple(Candidate(option, money, win / WHOLE) for option, money, win in rows)
