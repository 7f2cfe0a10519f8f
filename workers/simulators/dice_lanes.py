"""The twin of the editions in which a turn is a roll and a placement, without tiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from rules.state import Roll, State
from workers.bots.decision import Candidate, Question
from workers.simulators.look_ahead import LookAhead, NetPlayer
from workers.simulators.net import Net
from workers.simulators.net_play import judge_options, stakes_of
from workers.simulators.options_taken import number_options, read, take_options
from workers.simulators.playouts import play_out
from workers.simulators.position import THOUSAND
from workers.simulators.sensible import WHIM, sensible
from workers.simulators.standing import WHOLE, chances_to_win
from workers.simulators.weights import load_net

# The releases of each edition whose rules are done again here.
CLAIMED = {"classic": ("1", "2"), "modern": ("1",)}
# Who may play out less does without what was learned, so that levels differ: with it, few playouts do nearly
# as well as many.
FEWEST = 20
# Playouts for each simulation of theirs, with fewer of which they were hardly better than who does not look
# ahead. Big dice turn more, the more of them are still to come: where there are any, it is so many for each
# rival, which is less than without them against one, and more against two and more.
ALONE, FOR_BIG = 3, 2
# Who goes by what was learned, too, plays so many times as often to the end of the round, and that counts so
# much beside each of the two ways to ask: what was learned knows little of who is ahead by a single note.
# With one and one, one of four won 43 games in a hundred against three who take what pays now, and wins 50
# so; with big dice it won nothing. With chip cards, of which nothing was learned, the playouts decide alone.
TO_THE_END, COUNTED = 4, 2


class Weighed(Struct, frozen=True):
    """Of each option the chance to win in parts of WHOLE, and the money of the round in dollars."""

    wins: Sequence[float]
    money: Sequence[int]


def claims(question: Question) -> bool:
    view = question.view
    return view.release in CLAIMED.get(view.edition, ())


def weigh(question: Question) -> tuple[Candidate, ...]:
    """By playing out and, of placements on a budget that is worth it, by what was learned."""
    if question.budget < FEWEST:
        each = FOR_BIG * (len(question.view.seats) - 1) if has_big_dice(question.view) else ALONE
        return _list(question, play_options_out(replace(question, budget=each * question.budget)))
    view, net = question.view, load_net(question.view.edition, len(question.view.seats))
    times, counted = (1, 1) if has_big_dice(view) else (TO_THE_END, COUNTED)
    played = play_options_out(replace(question, budget=times * question.budget))
    placing = view.ask is not None and view.ask.prompt == "turn.place"
    if net is None or view.roll is None or view.chip_cards or not placing:
        return _list(question, played)
    learned = look_ahead(question, net), ask_net(question, net, view.roll)
    return _list(question, _mean(*[played] * counted, *learned))


def has_big_dice(view: State) -> bool:
    return any(dice.big for heap in view.outfit.values() for dice in heap.values())


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


def look_ahead(question: Question, net: Net) -> Weighed:
    """To the seat's own next turn."""
    position, budget = read(question), question.budget
    stakes, notes = stakes_of(position), np.array(position.notes_held, np.int32)
    ahead = LookAhead(take_options(question, position), question.seat, budget, question.chance)
    found = ahead.run(NetPlayer(net, stakes), stakes, notes).reshape(-1, budget).sum(axis=1)
    return Weighed([win / budget for win in found.tolist()], [])


def _mean(first: Weighed, *others: Weighed) -> Weighed:
    """All count, for each is wrong in its own way; the money is that of the first."""
    wins = zip(first.wins, *(other.wins for other in others), strict=True)
    return Weighed([sum(some) / len(some) for some in wins], first.money)


def _list(question: Question, weighed: Weighed) -> tuple[Candidate, ...]:
    rows = zip(question.options, weighed.money, weighed.wins, strict=True)
    return tuple(Candidate(option, money, win / WHOLE) for option, money, win in rows)
