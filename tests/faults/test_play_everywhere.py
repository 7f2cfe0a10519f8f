"""The program in `examples`: one connection, many games, killed again and again."""

from pathlib import Path

import pytest

from tests.support.parallel_players import come_back, play_with_kills
from tests.support.service_process import RunningService


@pytest.mark.long
def test_forty_lines_play_many_games_and_miss_no_turn(running: RunningService, tmp_path: Path) -> None:
    """`make faults ATTACK=program` plays fifty."""
    assert play_with_kills(running.http.base, games=15, kills=4, place=tmp_path / "place")


def test_it_comes_back_where_a_bot_plays_for_it(running: RunningService, tmp_path: Path) -> None:
    come_back(running.http.base, tmp_path / "place")
