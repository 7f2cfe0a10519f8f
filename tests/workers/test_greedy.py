"""How well the greedy bot plays, and what it never does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from time import process_time
from typing import Any

import pytest
from msgspec.structs import replace

from events.values import Dice
from rules.legal import choices
from rules.state import State, view
from tests.support.bots import GREEDY, RANDOM, share_won, states_asking, states_of_game
from tests.support.positions import ANNA, BEN, CARLA, DiceLaid, roll_dice, table_at
from workers.bots.evaluator import MOST_TRIALS, Evaluator
from workers.bots.valuation import SOME_THROWS, THROWS

# Edition, options, players, games, and the share that greedy must win alone against random bots.
STRENGTH: tuple[tuple[str, dict[str, Any], int, int, float], ...] = (
    ("classic", {}, 2, 60, 0.85),
    ("classic", {}, 4, 60, 0.50),
    ("classic", {"neutral_dice": True}, 2, 40, 0.75),
    ("classic", {"chip_cards": True}, 2, 40, 0.85),
    ("modern", {}, 2, 40, 0.80),
    ("modern", {"neutral_dice": True}, 3, 40, 0.50),
    ("modern", {"bandit": True}, 5, 40, 0.40),
    ("royale", {"tiles": 0}, 2, 40, 0.80),
    ("royale", {}, 2, 10, 0.70),
    ("royale", {"tiles": 6}, 3, 9, 0.60),
    ("cards", {}, 2, 30, 0.80),
    ("cards", {}, 5, 25, 0.40),
    ("cards", {"sequential": True}, 3, 15, 0.50),
    ("cards", {"sequential": True, "chip_cards": True}, 3, 20, 0.60),
)


@pytest.mark.long
@pytest.mark.parametrize(("edition", "options", "players", "games", "least"), STRENGTH)
def test_greedy_beats_random_clearly(
    edition: str, options: dict[str, Any], players: int, games: int, least: float
) -> None:
    assert share_won(GREEDY, RANDOM, edition, options, players, games) >= least


def chosen(state: State, seat: int, luck: int = 0) -> str:
    return GREEDY.choose(view(state, seat), seat, Random(luck))


def test_it_takes_the_dearest_empty_casino() -> None:
    state = roll_dice(
        table_at("classic", 2, notes={1: (50_000,), 4: (90_000,)}), ANNA, 1, 1, 1, 1, 1, 1, 4, 4
    )
    assert chosen(state, ANNA) == "place-4"


def test_it_ties_a_rival_out_of_a_dear_casino() -> None:
    state = table_at("classic", 2, notes={1: (90_000,), 2: (10_000,)}, dice={1: {ANNA: 3, BEN: 4}})
    assert chosen(roll_dice(state, ANNA, 1, 2, 2, 2, 2), ANNA) == "place-1"


def test_it_adds_nothing_where_it_leads_already() -> None:
    state = table_at("classic", 2, notes={1: (90_000,), 2: (10_000,)}, dice={1: {ANNA: 3}})
    assert chosen(roll_dice(state, ANNA, 1, 1, 1, 1, 2), ANNA) == "place-2"


def test_it_pays_a_chip_rather_than_tie_itself_out() -> None:
    """The big die lies elsewhere, so that the only placement would level Ben's seven dice."""
    dice: DiceLaid = {6: {ANNA: 5, BEN: 7}, 5: {ANNA: Dice(0, 1)}}
    state = table_at(
        "royale", 3, {"tiles": 0}, notes={6: (60_000, 50_000)}, purses={CARLA: (90_000,)}, dice=dice
    )
    assert chosen(roll_dice(state, ANNA, 6, 6), ANNA) == "pass"


def test_it_does_not_pay_for_a_better_roll() -> None:
    state = table_at("royale", 3, {"tiles": 0}, notes={6: (60_000, 50_000)})
    assert chosen(roll_dice(state, ANNA, 1, 1, 2, 2, 3, 6, 6, big=3), ANNA) == "place-6"


def test_of_two_sure_prizes_it_takes_the_larger() -> None:
    def thrown_2_and_3(state: State) -> bool:
        return state.ask is not None and set(state.ask.data) == {2, 3}

    found = states_asking("H2.result", {"tile_codes": ("H2",)}, 3, 40, thrown_2_and_3)
    assert found
    assert {chosen(state, seat) for state, seat in found} == {"use-3"}


FIFTY_FIFTY = (0, 0, 10_000, 30_000, 40_000, 60_000)
SUMS = [first + second for first in range(1, 7) for second in range(1, 7)]


@cache
def best_stop(space: int, before: int) -> float:
    """What FIFTY FIFTY is worth on a space after a sum, to somebody who always does the best thing."""
    if space == len(FIFTY_FIFTY) - 1:
        return FIFTY_FIFTY[space]
    return max(FIFTY_FIFTY[space], bet(space, before, high=True), bet(space, before, high=False))


def bet(space: int, before: int, high: bool) -> float:
    won = (thrown for thrown in SUMS if (thrown > before if high else thrown < before))
    return sum(best_stop(space + 1, thrown) for thrown in won) / len(SUMS)


def test_it_stops_fifty_fifty_where_the_expectation_says_so() -> None:
    bets = {
        (state.counters["B2"], state.ask.data[0]): (state, seat)
        for state, seat in states_asking("B2.bet", {"tile_codes": ("B2",)}, 3, games=12)
        if state.ask is not None
    }
    answers = set()
    for (space, data), (state, seat) in bets.items():
        before = int(data)
        worth = {
            "keep": FIFTY_FIFTY[space],
            "bet-high": bet(space, before, high=True),
            "bet-low": bet(space, before, high=False),
        }
        answer = chosen(state, seat)
        answers.add(answer)
        assert worth[answer] == pytest.approx(max(worth.values()))
    assert answers == {"keep", "bet-high", "bet-low"}


@pytest.mark.parametrize("before", [5, 9])
def test_it_bets_on_where_the_bet_after_this_one_makes_it_worth_while(before: int) -> None:
    """Alone it is worth less than the $30,000 at hand, with the chance of another bet it is worth more."""

    def at_30_000(state: State) -> bool:
        return state.counters["B2"] == 3

    (state, seat), *_ = states_asking("B2.bet", {"tile_codes": ("B2",)}, 3, 12, at_30_000)
    assert state.ask is not None
    asked_again = replace(state.ask, data=(before,))
    assert chosen(replace(state, agenda=(*state.agenda[:-1], asked_again)), seat) != "keep"


@pytest.mark.parametrize(("prompt", "players"), [("G2.move", 3), ("H1.put", 5)])
def test_it_gives_nothing_up_to_spite_somebody(prompt: str, players: int) -> None:
    """Where an answer leaves it what it has, it takes none that would cost it something."""
    found = states_asking(prompt, {"tile_codes": ("B1", "G2", "H1")}, players, games=5)
    assert found
    for state, seat in found:
        seen, answer = view(state, seat), chosen(state, seat)
        outlook = Evaluator(seat, 0, options=3)
        own = outlook.weigh_now(seen).own
        if own in {outlook.weigh(seen, option).own for option in choices(seen, seat)}:
            assert outlook.weigh(seen, answer).own >= own


def test_the_throws_for_a_rough_idea_are_like_all_of_them() -> None:
    """Every face as often as the next; a seven and a double as often as they come."""
    for throws in (THROWS, SOME_THROWS):
        whole = sum(throw.often for throw in throws)
        faces = Counter[int]()
        for throw in throws:
            faces.update({throw.pair[0]: throw.often})
            faces.update({throw.pair[1]: throw.often})
        assert whole == 36
        assert set(faces.values()) == {12}
        assert sum(throw.often for throw in throws if sum(throw.pair) == 7) == 6
        assert sum(throw.often for throw in throws if throw.pair[0] == throw.pair[1]) == 6


def test_it_never_leaves_a_chip_card_that_costs_nothing() -> None:
    states = states_of_game("classic", {"chip_cards": True}, [RANDOM] * 3, seed=1)
    asked = [state for state in states if state.ask is not None and state.ask.prompt == "chip_cards.take"]
    assert asked
    assert all(chosen(state, awaited_seat(state)).startswith("take-") for state in asked)


def awaited_seat(state: State) -> int:
    assert state.ask is not None
    return state.ask.awaited[0]


def processor_seconds(work: Callable[[], object]) -> float:
    """The least of a few tries."""
    tries = []
    for _ in range(5):
        start = process_time()
        work()
        tries.append(process_time() - start)
    return min(tries)


def test_a_choice_costs_as_much_as_a_few_dozen_moves() -> None:
    """As measured beside the game itself, on whatever machine; a bot that looks further costs hundreds."""

    def play() -> list[State]:
        return [state for state in states_of_game("classic", {}, [RANDOM] * 4, seed=1) if state.ask]

    states = play()
    choosing = processor_seconds(lambda: [chosen(state, awaited_seat(state)) for state in states])
    assert choosing < 60 * processor_seconds(play)


# The tiles that ask and throw most within a move, at a full table.
DEAR_TABLES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("royale", {"tile_codes": ("A1", "B2", "C2", "E2", "F1", "H1")}, 5),
    ("royale", {"tile_codes": ("A2", "B2", "C2", "D2", "F2", "H2")}, 5),
    ("royale", {"tile_codes": ("A1", "B1", "C2", "E1", "G1", "H2")}, 5),
    ("cards", {"sequential": True, "chip_cards": True}, 5),
)


@pytest.mark.parametrize(("edition", "options", "players"), DEAR_TABLES)
def test_the_work_of_a_choice_is_bounded_at_every_table(
    edition: str, options: dict[str, Any], players: int
) -> None:
    """In answers tried, whatever the machine."""
    for state in states_of_game(edition, options, [RANDOM] * players, seed=5):
        if state.ask is not None and state.ask.id % 5 == 0:
            seat = state.ask.awaited[0]
            seen = view(state, seat)
            options_here = choices(seen, seat)
            outlook = Evaluator(seat, 0, len(options_here))
            if outlook.mix(seen, options_here) is None:
                for option in options_here:
                    outlook.weigh(seen, option)
            assert outlook.tried <= MOST_TRIALS


def test_a_placement_that_ends_the_round_is_not_credited_with_the_dice_of_the_next() -> None:
    """Ben has nothing left to place: with Anna's last die the round is over."""
    dice: DiceLaid = {3: {ANNA: 7, BEN: 8}}
    state = roll_dice(table_at("classic", 2, notes={1: (50_000,), 3: (10_000,)}, dice=dice), ANNA, 1)
    assert Evaluator(ANNA, 0, options=1).weigh(view(state, ANNA), "place-1").own == 50_000
