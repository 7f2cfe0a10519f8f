"""What the projector does with a commit: the lobby follows, and bots that are due get a nudge."""

from __future__ import annotations

import pytest
from redis import Redis

from events.projector import Projector
from events.redis_cursor import RedisCursor
from events.redis_store import RedisStore
from service.lobby.lobby import Lobby
from service.play.games import Games
from tests.support.mixed_games import choose, start_mixed_game
from workers.nudges import Nudges
from workers.playing import StandIn
from workers.project import projection_handler


@pytest.fixture
def games(fake: Redis) -> Games:
    return Games(RedisStore(fake))


@pytest.fixture
def projector(fake: Redis) -> Projector:
    handler = projection_handler(Games(RedisStore(fake)), Lobby(fake), Nudges(fake))
    projector = Projector(RedisStore(fake), RedisCursor(fake, "test", 0.01), handler)
    projector.step()
    return projector


def test_a_new_game_whose_first_seat_is_a_bot_gets_a_nudge(
    fake: Redis, games: Games, projector: Projector
) -> None:
    game = start_mixed_game(games, "random", "Anna")
    projector.step()
    assert Nudges(fake).queued_games() == {game}


def test_a_persons_choice_nudges_the_bot_that_follows(
    fake: Redis, games: Games, projector: Projector
) -> None:
    game = start_mixed_game(games, "Anna", "random")
    projector.step()
    assert Nudges(fake).queued_games() == set()
    choose(games, game, 0)
    projector.step()
    assert Nudges(fake).queued_games() == {game}


def test_a_bots_own_commit_nudges_nobody(fake: Redis, games: Games, projector: Projector) -> None:
    """Whoever wrote it plays on; a nudge for every answer would flood the queue."""
    game = start_mixed_game(games, "Anna", "random", "random")
    choose(games, game, 0)
    projector.step()
    assert Nudges(fake).queued_games() == {game}
    fake.delete("rq:queue:bots-high")
    StandIn(games).play_on(game, most=1)
    projector.step()
    assert Nudges(fake).queued_games() == set()


def test_in_simultaneous_play_bots_are_nudged_while_people_think(
    fake: Redis, games: Games, projector: Projector
) -> None:
    game = start_mixed_game(games, "Anna", "random", edition="cards")
    projector.step()
    assert Nudges(fake).queued_games() == {game}


def test_the_lobby_follows(fake: Redis, games: Games, projector: Projector) -> None:
    game = start_mixed_game(games, "random", "greedy")
    projector.step()
    assert Lobby(fake).active_games() == [game]
    StandIn(games).play_on(game, most=100_000)
    projector.step()
    assert Lobby(fake).active_games() == []
    assert [line.id for line in Lobby(fake).page("over").games] == [game]
