"""Effects that give dice back, and whether a round can be kept going with them."""

from __future__ import annotations

import pytest

from events.commands import Choose, Create
from events.values import SeatPlan
from rules.decide import run_command
from rules.legal import choices
from rules.state import EMPTY, State
from service.fairness.dice import FairDice

# Best for staying in the round first: dice come back, none is spent, or one goes where it may come back.
STALLING = (
    "take-",
    "use-5",
    "remove-",
    "use-4",
    "activate-",
    "use-6",
    "pass",
    "close-",
    "hide-",
    "set-",
    "place-1",
)
MOST_ANSWERS = 250


def stalled(state: State, seat: int) -> str:
    options = choices(state, seat)
    wanted = (choice for start in STALLING for choice in reversed(options) if choice.startswith(start))
    return next(wanted, options[0])


def longest_round(codes: tuple[str, ...], players: int, game: int) -> int:
    """Answers in the longest round when everybody plays for time."""
    chance = FairDice(bytes(32), f"g_{game}", ())
    seats = tuple(SeatPlan(f"Seat {seat}") for seat in range(players))
    state = run_command(EMPTY, Create(f"g_{game}", "royale", seats, "", {"tile_codes": codes}), chance).state
    answers = {1: 0, 2: 0, 3: 0}
    while state.ask is not None and answers[state.round] < MOST_ANSWERS:
        answers[state.round] += 1
        seat = state.ask.awaited[0]
        state = run_command(state, Choose(state.ask.id, seat, stalled(state, seat)), chance).state
    return max(answers.values())


@pytest.mark.parametrize("bar_or_door", ["E1", "E2"])
@pytest.mark.parametrize("players", [2, 5])
def test_nobody_keeps_a_round_going_for_ever(bar_or_door: str, players: int) -> None:
    """T13: MY CHOICE, HANDICAP, POWER PLAY and a bar or a closed door, all played for time."""
    codes = ("H2", "F2", "D2", bar_or_door)
    rounds = [longest_round(codes, players, game) for game in range(12)]
    assert max(rounds) < MOST_ANSWERS
