"""What the projector does with a commit: the lobby follows, and bots that are due get a nudge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from threading import Event
from typing import Any

import pytest
from redis import Redis

from events.follower import Projector, RedisCursor
from events.redis_store import RedisStore
from events.store import Unavailable
from service.container import build_backend
from service.fairness.clocks import CLOCK
from service.games.deadlines import REPAIR, bots_due
from service.games.games import Games
from service.lobby.filters import GameFilter
from service.lobby.lobby import Lobby
from service.queue.fair_queue import FairQueue
from tests.support.games import ENDLESS, after, choose, start_mixed_game
from workers.projector import make_cursor, make_projector, projection_handler
from workers.turns import TurnPlayer


@pytest.fixture
def games(fake: Redis) -> Games:
    return Games(RedisStore(fake))


@pytest.fixture
def projector(fake: Redis) -> Projector:
    backend = build_backend(fake)
    projector = Projector(backend.store, RedisCursor(fake, "test", 0.01), projection_handler(backend))
    projector.step()
    return projector


def test_a_new_game_whose_first_seat_is_a_bot_gets_a_nudge(
    fake: Redis, games: Games, projector: Projector
) -> None:
    game = start_mixed_game(games, "random", "Anna")
    projector.step()
    assert FairQueue(fake).waiting_games() == {game}


class CountingRedis(Redis):
    """Counts round trips."""

    trips = 0

    def execute_command(self, *args: Any, **options: Any) -> Any:
        self.trips += 1
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def pipeline(self, transaction: Any = True, shard_hint: Any = None) -> Any:
        self.trips += 1
        return super().pipeline(transaction, shard_hint)


def test_commits_of_a_wake_up_are_written_together(real_redis: Redis) -> None:
    """A game is read from its feed and its log; all the rest is the same for one game and for ten."""
    games = Games(RedisStore(real_redis))
    client = CountingRedis(connection_pool=real_redis.connection_pool)
    projector = make_projector(build_backend(client), make_cursor(client, 0.01))
    started = [start_mixed_game(games, "Anna", "random") for _ in range(10)]
    for _ in range(3):
        projector.step()
    trips = []
    for some in (started[:1], started[1:]):
        for game in some:
            choose(games, game, 0)
        before = client.trips
        projector.step()
        trips.append(client.trips - before)
    assert FairQueue(real_redis).waiting_games() == set(started)
    assert trips[1] - trips[0] <= 2 * (len(started) - 2)


def test_a_persons_choice_nudges_the_bot_that_follows(
    fake: Redis, games: Games, projector: Projector
) -> None:
    game = start_mixed_game(games, "Anna", "random")
    projector.step()
    assert FairQueue(fake).waiting_games() == set()
    choose(games, game, 0)
    projector.step()
    assert FairQueue(fake).waiting_games() == {game}


def test_a_bots_own_commit_nudges_nobody(fake: Redis, games: Games, projector: Projector) -> None:
    """Whoever wrote it plays on; a nudge for every answer would flood the queue."""
    game = start_mixed_game(games, "Anna", "random", "random")
    choose(games, game, 0)
    projector.step()
    assert FairQueue(fake).waiting_games() == {game}
    assert FairQueue(fake).take() is not None
    TurnPlayer(games).play_turns(game, after(1))
    projector.step()
    assert FairQueue(fake).waiting_games() == set()


def test_the_clocks_own_commit_nudges_nobody(fake: Redis, games: Games, projector: Projector) -> None:
    """W1; whoever answers for a person plays on for the bot that follows."""
    game = start_mixed_game(games, "Anna", "random", options={"turn_seconds": 20})
    projector.step()
    late = datetime.fromisoformat(games.snapshot(game).ask_opened_at) + timedelta(seconds=20)
    TurnPlayer(games, lambda: late).play_turns(game, after(1))
    projector.step()
    assert [commit.by for commit in games.commits(game)] == ["creator", CLOCK]
    assert bots_due(games.snapshot(game).state) == (1,)
    assert FairQueue(fake).waiting_games() == set()


def test_in_simultaneous_play_bots_are_nudged_while_people_think(
    fake: Redis, games: Games, projector: Projector
) -> None:
    game = start_mixed_game(games, "Anna", "random", edition="cards")
    projector.step()
    assert FairQueue(fake).waiting_games() == {game}


def test_a_deadline_stands_also_while_a_bot_is_due(fake: Redis, games: Games) -> None:
    """The bot that was nudged late has its time, the person who is asked beside it no more than before."""
    backend = build_backend(fake)
    game = start_mixed_game(games, "Anna", "random", edition="cards", options={"turn_seconds": 20})
    deadline = games.snapshot(game).deadline
    assert deadline is not None
    now = deadline - timedelta(seconds=1)
    projection_handler(backend, lambda: now)(game, games.commits(game))
    assert backend.due.take(now).games == ()
    assert backend.due.take(deadline).games == (game,)


def test_a_bot_that_was_nudged_late_has_its_time(fake: Redis, games: Games) -> None:
    backend = build_backend(fake)
    game = start_mixed_game(games, "random", "Anna")
    now = datetime.fromisoformat(games.snapshot(game).changed_at) + timedelta(minutes=1)
    projection_handler(backend, lambda: now)(game, games.commits(game))
    assert backend.due.take(now + timedelta(seconds=1)).games == ()
    assert backend.due.take(now + REPAIR).games == (game,)


class CutCursor(RedisCursor):
    """Loses its line once, and meanwhile another server takes over that had not everything."""

    def __init__(self, client: Redis, lose: Callable[[], None]) -> None:
        super().__init__(client, "test", 0.01)
        self._lose, self._is_cut, self.stopped = lose, False, Event()

    def wait_for_entries(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
        if not self._is_cut:
            self._is_cut = True
            self._lose()
            raise Unavailable("the line is cut")
        self.stopped.set()
        return super().wait_for_entries(positions, at_once)


def test_what_another_server_does_not_have_is_written_again(fake: Redis, games: Games) -> None:
    """The log has the game, and whoever followed it stands before it again."""
    game = start_mixed_game(games, "Anna", "Ben")

    def lose() -> None:
        assert Lobby(fake).active_games() == [game]
        Lobby(fake).clear()
        cursor.forget()

    cursor = CutCursor(fake, lose)
    make_projector(build_backend(fake), cursor).run(cursor.stopped)
    assert Lobby(fake).active_games() == [game]


def test_the_lobby_follows(fake: Redis, games: Games, projector: Projector) -> None:
    game = start_mixed_game(games, "random", "greedy")
    projector.step()
    assert Lobby(fake).active_games() == [game]
    TurnPlayer(games).play_turns(game, ENDLESS)
    projector.step()
    assert Lobby(fake).active_games() == []
    assert [line.id for line in Lobby(fake).page(GameFilter(status="over")).games] == [game]
