"""Programs from elsewhere: a seat with a token, a deadline of its own, and a level for when it is over."""

from __future__ import annotations

import pytest

from events.commands import Choose
from events.store import MemoryStore
from events.values import SeatPlan
from service.games import deadlines
from service.games.games import Games
from service.games.writer import Caller
from tests.support.api_client import long_key
from tests.support.games import ENDLESS, ManualClock, awaited_seats, choose, is_over, verify_stored
from workers.turns import TurnPlayer


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def games(store: MemoryStore, clock: ManualClock) -> Games:
    return Games(store, clock)


def create(games: Games, **options: object) -> str:
    seats = [SeatPlan(name="My program", seconds=5, fallback="greedy"), SeatPlan(name="Anna")]
    return games.create("classic", {"start_seat": 0, **options}, seats, caller=Caller(key=long_key(1))).game


def test_the_fallback_answers_once_when_the_time_is_over(
    games: Games, store: MemoryStore, clock: ManualClock
) -> None:
    """W13: whatever `on_timeout` says; the program is asked again next time."""
    game, player = create(games, on_timeout="takeover:random"), TurnPlayer(games, clock)
    clock.forward(4.9)
    player.play_turns(game, ENDLESS)
    assert games.snapshot(game).version == 1
    clock.forward(0.1)
    player.play_turns(game, ENDLESS)
    commit = games.commits(game)[-1]
    assert isinstance(commit.command, Choose)
    assert (commit.by, commit.command.bot, commit.command.why) == ("clock", "greedy", "timeout")
    assert commit.bot is not None
    assert commit.bot.name == "greedy"
    assert games.snapshot(game).state.seats[0].stand_in is None
    choose(games, game, 1)
    assert awaited_seats(games, game) == (0,)
    while not is_over(games, game):
        clock.forward(5)
        player.play_turns(game, ENDLESS)
        if awaited_seats(games, game) == (1,):
            choose(games, game, 1)
    assert verify_stored(store, game).ok


def test_people_at_the_same_table_have_all_the_time_they_want(games: Games, clock: ManualClock) -> None:
    game = create(games)
    choose(games, game, 0)
    clock.forward(3_600)
    assert deadlines.late_people(games.snapshot(game), clock()) == ()


def test_a_shorter_limit_of_the_game_counts(games: Games, clock: ManualClock) -> None:
    game = create(games, turn_seconds=2)
    clock.forward(2)
    assert deadlines.late_people(games.snapshot(game), clock()) == (0,)
