"""How well the greedy bot plays, and what it never does."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import pytest

from events.values import Dice
from rules.state import State
from rules.view import view
from tests.rulebook.positions import ANNA, BEN, CARLA, DiceLaid, rolled, table_at
from tests.workers.matches import GREEDY, RANDOM, asked, moments, share_won

# Edition, options, players, games, and the share that greedy must win alone against random bots.
STRENGTH: tuple[tuple[str, dict[str, Any], int, int, float], ...] = (
    ("classic", {}, 2, 60, 0.85),
    ("classic", {}, 4, 60, 0.50),
    ("classic", {"neutral_dice": True}, 2, 40, 0.75),
    ("classic", {"chip_cards": True}, 2, 40, 0.85),
    ("modern", {}, 2, 40, 0.80),
    ("modern", {"bandit": True}, 5, 40, 0.40),
    ("royale", {"tiles": 0}, 2, 40, 0.80),
    ("royale", {"tiles": 6}, 3, 20, 0.60),
    ("cards", {}, 2, 30, 0.80),
    ("cards", {}, 5, 40, 0.40),
    ("cards", {"sequential": True, "chip_cards": True}, 3, 20, 0.60),
)


@pytest.mark.parametrize(("edition", "options", "players", "games", "least"), STRENGTH)
def test_greedy_beats_random_clearly(
    edition: str, options: dict[str, Any], players: int, games: int, least: float
) -> None:
    assert share_won(GREEDY, RANDOM, edition, options, players, games) >= least


def chosen(state: State, seat: int, luck: int = 0) -> str:
    return GREEDY(view(state, seat), seat, Random(luck))


def test_it_takes_the_dearest_empty_casino() -> None:
    state = rolled(table_at("classic", 2, notes={1: (50_000,), 4: (90_000,)}), ANNA, 1, 1, 1, 1, 1, 1, 4, 4)
    assert chosen(state, ANNA) == "place-4"


def test_it_ties_a_rival_out_of_a_dear_casino() -> None:
    state = table_at("classic", 2, notes={1: (90_000,), 2: (10_000,)}, dice={1: {ANNA: 3, BEN: 4}})
    assert chosen(rolled(state, ANNA, 1, 2, 2, 2, 2), ANNA) == "place-1"


def test_it_adds_nothing_where_it_leads_already() -> None:
    state = table_at("classic", 2, notes={1: (90_000,), 2: (10_000,)}, dice={1: {ANNA: 3}})
    assert chosen(rolled(state, ANNA, 1, 1, 1, 1, 2), ANNA) == "place-2"


def test_it_pays_a_chip_rather_than_tie_itself_out() -> None:
    """The big die lies elsewhere, so that the only placement would level Ben's seven dice."""
    dice: DiceLaid = {6: {ANNA: 5, BEN: 7}, 5: {ANNA: Dice(0, 1)}}
    state = table_at(
        "royale", 3, {"tiles": 0}, notes={6: (60_000, 50_000)}, purses={CARLA: (90_000,)}, dice=dice
    )
    assert chosen(rolled(state, ANNA, 6, 6), ANNA) == "pass"


def test_it_does_not_pay_for_a_better_roll() -> None:
    state = table_at("royale", 3, {"tiles": 0}, notes={6: (60_000, 50_000)})
    assert chosen(rolled(state, ANNA, 1, 1, 2, 2, 3, 6, 6, big=3), ANNA) == "place-6"


def test_of_two_sure_prizes_it_takes_the_larger() -> None:
    def thrown_2_and_3(state: State) -> bool:
        return state.ask is not None and set(state.ask.data) == {2, 3}

    found = asked("H2.result", {"tile_codes": ("H2",)}, 3, 40, thrown_2_and_3)
    assert found
    assert {chosen(state, seat) for state, seat in found} == {"use-3"}


FIFTY_FIFTY = (0, 0, 10_000, 30_000, 40_000, 60_000)


def best_bet(before: int) -> float:
    """The better chance of the two bets against a sum."""
    sums = [first + second for first in range(1, 7) for second in range(1, 7)]
    return max(sum(thrown > before for thrown in sums), sum(thrown < before for thrown in sums)) / 36


def test_it_stops_fifty_fifty_where_the_expectation_says_so() -> None:
    found = asked("B2.bet", {"tile_codes": ("B2",)}, 3, games=20)
    answers = set()
    for state, seat in found:
        space, before = state.counters["B2"], int(state.ask.data[0]) if state.ask else 0
        sure, bet = FIFTY_FIFTY[space], best_bet(before) * FIFTY_FIFTY[space + 1]
        if abs(sure - bet) > 1:
            answer = chosen(state, seat)
            answers.add(answer)
            assert (answer == "keep") == (sure > bet)
    assert answers == {"keep", "bet-high", "bet-low"}


def test_it_parts_the_black_box_so_that_the_winner_cannot_get_more_than_the_gold_token() -> None:
    tokens = [60, 20, 20, 0, 0, 0]
    found = asked("G1.part", {"tile_codes": ("G1",)}, 3, games=4)
    assert found
    for state, seat in found:
        first = [int(token) for token in chosen(state, seat).split("-")[1:]]
        assert max(sum(first), sum(tokens) - sum(first)) == 60


def test_its_fist_cannot_be_read() -> None:
    state, seat = asked("A1.hide", {"tile_codes": ("A1",)}, 3, games=2)[0]
    assert {chosen(state, seat, luck) for luck in range(40)} == {"hide-1", "hide-2", "hide-3"}


def test_it_never_leaves_a_chip_card_that_costs_nothing() -> None:
    for state in moments("classic", {"chip_cards": True}, [RANDOM] * 3, seed=1):
        if state.ask is not None and state.ask.prompt == "chip_cards.take":
            seat = state.ask.awaited[0]
            assert chosen(state, seat).startswith("take-")


def test_a_choice_takes_a_few_milliseconds() -> None:
    """Measured in processor time, so that a busy machine does not matter."""
    states = [state for state in moments("classic", {}, [RANDOM] * 4, seed=1) if state.ask]
    begun = time.process_time()
    for state in states:
        if state.ask is not None:
            chosen(state, state.ask.awaited[0])
    assert (time.process_time() - begun) / len(states) < 0.005
