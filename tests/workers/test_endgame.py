"""Exact endgames: equal to a model of the rulebook that tries each die of each throw."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

import pytest
from msgspec.structs import replace

from events.values import NEUTRAL as NEUTRAL_DICE
from events.values import SUPPLY
from rules import EDITIONS
from rules.ruleset import Options
from rules.state import State
from tests.support.bots import RANDOM, states_of_game
from tests.support.endgame_model import EndgameModel, Judge
from tests.support.lane_positions import ask_at
from workers.analysis.advice import is_exact, name_rivals
from workers.bots import BOTS
from workers.bots.protocol import RIVALS, Question
from workers.simulation import find_simulator
from workers.simulation.dice import play_options_well, weigh_endgame
from workers.simulation.endgame import Dice, list_throws
from workers.simulation.royale import TEMPERATURES
from workers.simulation.winning import STANDING_TEMPERATURES, WHOLE

BUDGET = BOTS["expert"].budget
# The model is slow: it gets at most so many dice in all hands, and fewer in `make test`.
MOST_DICE = 5
FEW_DICE = 4
# With so many, chance moves a mean by less than 0.07: four standard errors, half of it judged by the net.
PLAYOUTS = 800
BARE: Options = {"tiles": 0}
NEUTRAL: Options = {"neutral_dice": True}
TABLES: tuple[tuple[str, Options, int], ...] = (
    ("classic", {}, 2),
    ("classic", {}, 3),
    ("classic", {}, 4),
    ("classic", {}, 5),
    ("classic", NEUTRAL, 2),
    ("classic", NEUTRAL, 3),
    ("modern", {}, 2),
    ("modern", {}, 4),
    ("modern", NEUTRAL, 3),
    ("royale", BARE, 2),
    ("royale", BARE, 3),
    ("royale", BARE, 4),
)


def count_dice(view: State) -> int:
    """How much is left to be placed or paid with; a big die and a chip count twice."""
    seats = range(len(view.seats))
    white = sum(view.dice_of(NEUTRAL_DICE, SUPPLY[seat]).small for seat in seats)
    own = sum(view.supply_of(seat).small + 2 * view.supply_of(seat).big for seat in seats)
    return white + own + 2 * sum(map(view.chips_of, seats))


def endgames(edition: str, options: Options, players: int, most: int) -> Iterator[Question]:
    """Questions of random games in which few dice are left."""
    seed = 0
    while True:
        for state in states_of_game(edition, options, [RANDOM] * players, seed):
            if state.ask is not None and state.ask.prompt == "turn.place" and count_dice(state) <= most:
                yield ask_at(state, seed, BUDGET)
        seed += 1


def standing(view: State) -> Judge | None:
    """How the chance to win is estimated from a lead, as docs/bots.md says; None for the last round."""
    left, players = EDITIONS.of(view).rounds - view.round, len(view.seats)
    if left == 0:
        return None
    if view.edition == "royale":
        temperature = TEMPERATURES[players][left]
    else:
        temperature = STANDING_TEMPERATURES[players][min(left, 3) - 1]
    return lambda sums, seat: 1 / sum(exp((other - sums[seat]) / temperature) for other in sums)


def check(question: Question) -> None:
    view = question.view
    simulator, judge = find_simulator(question), standing(view)
    assert simulator is not None
    model = EndgameModel(view, question.seat, judge)
    for candidate in simulator.weigh(question):
        expected = model.weigh(view, candidate.choice)
        assert candidate.exact
        assert candidate.win == pytest.approx(expected.win, abs=1e-8 if judge is None else 1e-4)
        if judge is None:
            assert candidate.money == pytest.approx(1_000 * expected.money, abs=2)


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_figures_equal_those_of_the_rulebook(edition: str, options: Options, players: int) -> None:
    """Some small endgames; the long run has larger ones."""
    found = endgames(edition, options, players, FEW_DICE)
    for _ in range(9):
        check(next(found))


@pytest.mark.long
@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_many_figures_equal_those_of_the_rulebook(edition: str, options: Options, players: int) -> None:
    found = endgames(edition, options, players, MOST_DICE)
    for _ in range(180):
        check(next(found))


def test_no_luck_is_drawn_where_every_throw_is_known() -> None:
    question = next(endgames("classic", {}, 3, FEW_DICE))
    before = question.chance.getstate()
    decision = BOTS["expert"].decide(question)
    assert all(candidate.exact for candidate in decision.candidates) or len(question.options) == 1
    assert question.chance.getstate() == before


@pytest.mark.parametrize(("edition", "players"), [("classic", 2), ("classic", 4), ("modern", 4)])
def test_playouts_by_the_net_come_close_to_exact_figures_and_never_promise_more(
    edition: str, players: int
) -> None:
    """With rivals who have no dice left only the seat's own play counts, and no play beats the best."""
    alone = (
        one
        for one in endgames(edition, {}, players, FEW_DICE)
        if all(not one.view.supply_of(seat).weight for seat in range(players) if seat != one.seat)
    )
    for _ in range(6):
        question = next(alone)
        exact = weigh_endgame(question)
        assert exact is not None
        playouts = play_options_well(replace(question, budget=PLAYOUTS))
        for win, candidate in zip(playouts.wins, exact, strict=True):
            assert candidate.win is not None
            assert -0.15 < win / WHOLE - candidate.win < 0.07


def test_all_throws_are_counted() -> None:
    throws = list_throws(Dice(3, 1, 1))
    assert throws.often.sum() == throws.all == 6**5
    assert len(throws.often) == 56 * 6 * 6


def test_a_small_budget_is_played_out() -> None:
    question = replace(next(endgames("classic", {}, 2, FEW_DICE)), budget=BOTS["steady"].budget)
    assert not any(one.exact for one in BOTS["steady"].decide(question).candidates)


def test_advice_names_how_rivals_play_in_exact_figures() -> None:
    question = next(one for one in endgames("classic", {}, 3, FEW_DICE) if len(one.options) > 1)
    ranked = BOTS["expert"].decide(question).candidates
    assert is_exact(ranked)
    assert name_rivals(ranked) == RIVALS
    sampled = BOTS["steady"].decide(replace(question, budget=BOTS["steady"].budget)).candidates
    assert not is_exact(sampled)
    assert name_rivals(sampled) == ""
