"""The sequential test of the ladder: when it decides, and how often it is wrong."""

from __future__ import annotations

from random import Random

import pytest

from workers.arena.ladder import decide_cell, judge, list_judgements
from workers.arena.matches import MatchOutcome


def outcomes(wins: list[float]) -> list[MatchOutcome]:
    return [MatchOutcome(won, 1, 0.0, 0.0) for won in wins]


@pytest.mark.parametrize("players", range(2, 7))
def test_a_cell_has_60_to_400_games_and_each_seat_equally_often(players: int) -> None:
    judgements = list_judgements(players)
    assert judgements[0] == 60
    assert 395 <= judgements[-1] <= 400
    assert all(games % players == 0 for games in judgements)


def test_what_is_clear_is_decided_at_once_and_what_is_even_stays_open() -> None:
    assert decide_cell(2, outcomes([1.0] * 59)) == ("", 0)
    assert decide_cell(2, outcomes([1.0] * 60)) == ("stronger", 60)
    assert decide_cell(2, outcomes([0.0] * 60)) == ("weaker", 60)
    assert decide_cell(2, outcomes([0.5] * 400)) == ("open", 400)


def test_later_games_do_not_change_a_verdict() -> None:
    assert decide_cell(2, outcomes([1.0] * 60 + [0.0] * 340)) == ("stronger", 60)


@pytest.mark.parametrize("players", [2, 4, 6])
def test_equals_are_told_apart_in_one_of_twenty_cells(players: int) -> None:
    random = Random(players)
    wrong = 0
    trials = 2_000
    for _ in range(trials):
        won = games = 0
        for until in list_judgements(players):
            won += sum(random.random() < 1 / players for _ in range(until - games))
            games = until
            if judge(won / games, games, players):
                wrong += 1
                break
    assert 0.02 < wrong / trials < 0.06
