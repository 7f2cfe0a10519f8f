"""The card game: each option is carried out, then all playouts of all options go on at once."""

from __future__ import annotations

import numpy as np

from rules.editions import EDITIONS
from rules.scoring import money
from rules.state import State
from workers.bots.decision import Candidate, Question
from workers.simulators.card_lanes import Lanes
from workers.simulators.card_rest import Rest
from workers.simulators.card_table import AT_ONCE, PROMPTS, accept_offers, answer, read_table
from workers.simulators.round_worth import THOUSAND, Figures, Whole, chance_to_win, list_candidates

# Whose rules are done again here.
RELEASES = ("1",)
# More did not win more.
MOST_LANES = 40
SPARING = 30


def claims(question: Question) -> bool:
    view, ask = question.view, question.view.ask
    known = view.edition == "cards" and view.release in RELEASES
    return known and ask is not None and ask.prompt in PROMPTS


def weigh(question: Question) -> tuple[Candidate, ...]:
    table = play_out(question, count_lanes(question.budget))
    return list_candidates(question, *_outcome(table, question.view, question.seat))


def count_lanes(budget: int) -> int:
    """A few playouts tell much here: with all of its budget `steady` would play almost like `expert`."""
    return max(1, min(budget, budget * budget // SPARING, MOST_LANES))


def play_out(question: Question, lanes: int) -> Lanes:
    """The end of the round, in so many lanes for each option."""
    view, ask, seat, options = question.view, question.view.ask, question.seat, question.options
    if ask is None:
        raise ValueError("nothing is asked")
    table = answer(view, ask, seat, options)
    accept_offers(table, view, ask, seat, options)
    table = table.repeat(lanes)
    Rest(table, question, lanes).play(at_once=ask.prompt == AT_ONCE)
    return table


def _outcome(table: Lanes, view: State, seat: int) -> tuple[Whole, Figures]:
    """By lane: what the seat gets from this round, and its chance to win the game."""
    seats, (won, notes) = range(len(view.seats)), table.pay_out()
    sets = table.sets()
    totals = won + sets + np.array([money(view, other) // THOUSAND for other in seats], np.int16)
    counts = notes + np.array([len(view.notes_of(other)) for other in seats], np.int16)
    rounds = EDITIONS.of(view).rounds - view.round
    own = won + sets - read_table(view).sets()
    return own[:, seat], chance_to_win(totals, counts, seat, rounds)
