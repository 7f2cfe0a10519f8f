"""Royale: an option's move goes by the rules, tiles and all; the rest of the round is played without them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from rules.editions import EDITIONS
from rules.legal import prompt_of
from rules.scoring import totals
from workers.bots.decision import Candidate, Question
from workers.bots.sampled_chance import SOME_THROWS
from workers.simulators.first_move import FirstMove, Leaf
from workers.simulators.round_worth import THOUSAND, chance_to_win, list_candidates
from workers.simulators.royale_lanes import Ints, RoyaleLanes
from workers.simulators.royale_rest import Rest
from workers.simulators.royale_table import Table, read_table

# Whose casinos, dice and chips are done again here.
RELEASES = ("1", "2")
# Who may play out so often does it more often still, for nothing was learned here: by its own judgement forty
# playouts cost it half a game in a hundred with every choice, and these a third of that.
FEWEST, MOST_LANES = 20, 160
# Playouts of others for each simulation where no tiles lie: what an option leads to by the rules says less.
PLAIN = 2
# Answers tried by the rules, all options together.
MOST_TRIALS = 240
# Thousands of dollars that make a lead e times as good, by players and rounds to come.
TEMPERATURES = {2: (0, 60, 85), 3: (0, 60, 85), 4: (0, 60, 85), 5: (0, 60, 85)}


def claims(question: Question) -> bool:
    """What hides something, or guesses at what is hidden, is for those who mix."""
    view, ask = question.view, question.view.ask
    if view.edition != "royale" or view.release not in RELEASES or ask is None:
        return False
    prompt = prompt_of(view, ask)
    return not prompt.secret and prompt.guesses is None


def weigh(question: Question) -> tuple[Candidate, ...]:
    view, seat, playouts = question.view, question.seat, count_playouts(question)
    tables = read_options(question, playouts)
    sums, counts = play_out(tables, playouts, question.chance)
    win = chance_to_win(sums, counts, seat, EDITIONS.of(view).rounds - view.round, TEMPERATURES)
    return list_candidates(question, sums[:, seat] - totals(view)[seat] // THOUSAND, win)


def count_playouts(question: Question) -> int:
    """Of each option."""
    if question.budget >= FEWEST:
        return MOST_LANES
    return question.budget * (1 if question.view.tiles else PLAIN)


def play_out(tables: Sequence[Table], playouts: int, chance: Random) -> tuple[Ints, Ints]:
    """By lane and seat, at the end of the round: what it has, and its notes and chips."""
    lanes = stack_lanes(tables)
    rest = Rest(lanes, _stack(tables, "extra"), _stack(tables, "prizes"), playouts, chance)
    rest.play(tables[0].order, _stack(tables, "rolls") > 0)
    return lanes.won() + rest.extra, lanes.count_won() + _stack(tables, "held")


def read_options(question: Question, playouts: int) -> list[Table]:
    """A table for each playout of each option; where dice were thrown, each throw as often as it comes."""
    first = FirstMove(question.seat, question.chance.getrandbits(32), len(question.options), MOST_TRIALS)
    found = list[Table]()
    for option in question.options:
        leaves = first.leaves(question.view, option, SOME_THROWS)
        tables = [read_table(leaf, question.seat) for leaf in leaves]
        found += [tables[number] for number in share_playouts(leaves, playouts)]
    return found


def share_playouts(leaves: Sequence[Leaf], playouts: int) -> Sequence[int]:
    """Which leaf each playout goes on from."""
    often = np.cumsum([leaf.often for leaf in leaves])
    middles = (2 * np.arange(playouts) + 1) * often[-1]
    return [int(number) for number in np.searchsorted(2 * playouts * often, middles, side="right")]


def stack_lanes(tables: Sequence[Table]) -> RoyaleLanes:
    weights, small, big, chips, notes, closed = (
        _stack(tables, name) for name in ("weights", "small", "big", "chips", "notes", "closed")
    )
    return RoyaleLanes(weights, (small, big), chips, notes, closed > 0)


def _stack(tables: Sequence[Table], name: str) -> Ints:
    return np.array([getattr(table, name) for table in tables], np.int32)
