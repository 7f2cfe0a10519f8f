"""How the levels for people play: like people, and between `random` and `greedy`."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from rules.legal import choices
from rules.state import State, view
from tests.support.bots import GREEDY, RANDOM, TABLES, share_won, states_of_game
from tests.support.positions import ANNA, BEN, CARLA, DiceLaid, roll_dice, table_at
from workers.bots import BOTS
from workers.bots.casual import HABITS
from workers.bots.habits import Habits, decide_by_habit
from workers.bots.protocol import Question

NOVICE = BOTS["novice"]
CASUAL = BOTS["casual"]
# Nothing is left to chance.
CALM = replace(HABITS, whim=0.0, oversight=0.0)


def chosen(state: State, habits: Habits, budget: int = CASUAL.budget) -> str:
    seen = view(state, ANNA)
    return decide_by_habit(Question(seen, ANNA, choices(seen, ANNA), budget, Random(3)), habits).choice


def test_a_high_note_attracts_more_than_it_is_worth() -> None:
    """At the first casino she uses up five dice for it, at the second one for a note of nearly that value."""
    state = table_at("classic", 2, notes={1: (90_000,), 2: (70_000,)})
    rolled = roll_dice(state, ANNA, 1, 1, 1, 1, 1, 2, 3, 3)
    assert chosen(rolled, CALM) == "place-1"
    assert chosen(rolled, replace(CALM, dreams=0.0)) == "place-2"


def test_ties_are_seen_or_forgotten() -> None:
    """Level with Ben, Anna would win nothing at the first casino."""
    state = table_at("classic", 2, notes={1: (90_000,), 2: (30_000,)}, dice={1: {BEN: 1}})
    rolled = roll_dice(state, ANNA, 1, 2, 2, 3, 3, 4, 4, 4)
    calm = replace(CALM, spite=0.0)
    assert chosen(rolled, calm) == "place-2"
    assert chosen(rolled, replace(calm, oversight=1.0)) == "place-1"


def test_it_takes_revenge_on_the_rival_who_spoils_most() -> None:
    """Ben has beaten Anna at the first casino, Carla has done nothing to her."""
    dice: DiceLaid = {1: {ANNA: 1, BEN: 2}, 2: {BEN: 2}, 3: {CARLA: 2}}
    state = table_at("classic", 3, notes={1: (60_000,), 2: (60_000,), 3: (70_000,)}, dice=dice)
    rolled = roll_dice(state, ANNA, 2, 2, 3, 3, 4, 4, 5)
    assert chosen(rolled, CALM) == "place-2"
    assert chosen(rolled, replace(CALM, spite=0.0)) == "place-5"


def test_it_looks_at_no_more_options_than_its_budget() -> None:
    """With one look it takes what it happens to look at."""
    state = roll_dice(
        table_at("classic", 2, notes={1: (90_000,), 2: (30_000,)}), ANNA, 1, 2, 3, 4, 5, 6, 6, 6
    )
    seen = view(state, ANNA)
    options = choices(seen, ANNA)
    found = {
        decide_by_habit(Question(seen, ANNA, options, 1, Random(luck)), CALM).choice for luck in range(40)
    }
    assert found == set(options)
    assert chosen(state, CALM) == "place-1"


@pytest.mark.parametrize("level", [NOVICE, CASUAL], ids=lambda level: level.name)
def test_equal_luck_gives_equal_choices(level: Any) -> None:
    for state in states_of_game("royale", {}, [RANDOM] * 3, seed=2):
        if state.ask is not None:
            seat = state.ask.awaited[0]
            seen = view(state, seat)
            assert level.choose(seen, seat, Random(4)) == level.choose(seen, seat, Random(4))


def test_the_levels_are_in_order_at_a_table_of_two() -> None:
    """A small form of the long test below."""
    assert share_won(CASUAL, RANDOM, "classic", {}, 2, 16) > 0.6


@pytest.mark.long
@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_levels_for_people_beat_random_and_lose_to_greedy(
    edition: str, options: dict[str, Any], players: int
) -> None:
    even = 1 / players
    for level in (NOVICE, CASUAL):
        assert share_won(level, RANDOM, edition, options, players, 60) > even
        assert share_won(GREEDY, level, edition, options, players, 40) > even
