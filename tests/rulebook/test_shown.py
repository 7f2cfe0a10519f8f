"""What mechanisms add to a table: nothing before the game, and nothing where they are not in play."""

from __future__ import annotations

from typing import Any

import pytest

from events.commands import Create
from events.values import BANDIT, BANDIT_STACK, CASINO_NUMBERS, SeatPlan
from rules.decide import run_command
from rules.editions import EDITIONS
from rules.extension import HiddenValue, TableExtension
from rules.ruleset import Options
from rules.state import EMPTY, State, view
from tests.support.positions import ANNA, BEN, ScriptedChance, new_game, with_hand, with_laid

IN_PLAY: list[tuple[str, Options, int, set[str]]] = [
    ("classic", {}, 3, set()),
    ("classic", {"chip_cards": True}, 3, {"seat chip_cards", "casino chip_cards"}),
    ("modern", {}, 5, set()),
    ("modern", {"bandit": True}, 5, {"bandit"}),
    ("royale", {"tiles": 0}, 3, set()),
    ("royale", {"tiles": 1}, 3, {"bank"}),
    ("cards", {}, 3, {"turn_number", "most_turns", "seat hand", "seat glass", "seat placed", "seat out"}),
]


def shown_by(extension: TableExtension, state: State) -> list[str]:
    return [
        *extension.table(state),
        *(f"seat {name}" for name in extension.seat(state, ANNA)),
        *(f"casino {name}" for name in extension.casino(state, 1)),
        *(casino.number for casino in extension.casinos(state)),
    ]


def shown(state: State) -> list[str]:
    return [name for extension in EDITIONS.of(state).extensions for name in shown_by(extension, state)]


def open_table(edition: str, options: Options, players: int) -> State:
    """One that waits for its last player."""
    seats = (*(SeatPlan(f"player {seat}") for seat in range(1, players)), SeatPlan())
    return run_command(EMPTY, Create("g_1", edition, seats, "c0" * 32, dict(options)), ScriptedChance()).state


@pytest.mark.parametrize(("edition", "options", "players", "members"), IN_PLAY)
def test_a_mechanism_shows_itself_where_it_is_in_play(
    edition: str, options: Options, players: int, members: set[str]
) -> None:
    assert sorted(shown(new_game(edition, players, options))) == sorted(members)


@pytest.mark.parametrize(("edition", "options", "players", "members"), IN_PLAY)
def test_nothing_is_added_to_a_table_that_waits_for_players(
    edition: str, options: Options, players: int, members: set[str]
) -> None:
    assert shown(open_table(edition, options, players)) == []


def test_the_bandit_keeps_the_faces_of_its_dice() -> None:
    """D6: pips break ties there."""
    (extension,) = EDITIONS.newest["modern"].extensions
    (bandit,) = extension.casinos(new_game("modern", 5, {"bandit": True}))
    assert (bandit.name, bandit.place) == ("One-armed bandit", BANDIT)
    assert bandit.stacks == tuple((face, BANDIT_STACK[face]) for face in CASINO_NUMBERS)


def test_a_hand_is_covered_for_those_who_do_not_hold_it() -> None:
    """C2: others see its commitment."""
    state = with_hand(new_game("cards", 2), ANNA, "1", "2d")
    assert _seat(view(state, ANNA))["hand"] == ("1", "2d")
    assert _seat(view(state, BEN))["hand"] == HiddenValue(state.hands[ANNA].hidden)


def test_a_seat_without_a_hand_shows_an_empty_one_and_its_glass() -> None:
    """C4: what is placed counts, and eight cards put a seat out."""
    state = with_laid(new_game("cards", 2), ANNA, "1", "1", "2", "3", "4", "5", "6")
    assert (_seat(state)["hand"], _seat(state)["glass"]) == ((), ((),))
    assert (_seat(state)["placed"], _seat(state)["out"]) == (7, False)
    assert _seat(with_laid(state, ANNA, "2"))["out"] is True


def _seat(state: State) -> dict[str, Any]:
    _, hands = EDITIONS.newest["cards"].extensions
    return hands.seat(state, ANNA)
