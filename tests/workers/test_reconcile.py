"""What stands still is found in the log and set going again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import fakeredis
import pytest
from redis import Redis

from events.projector import rebuild
from events.redis_store import RedisStore, game_key
from service.factory import build_backend
from service.lobby.lobby import Lobby
from service.nudges import Nudges
from service.play.games import Games
from service.rebuild import lobby_handler
from tests.support.mixed_games import ManualClock, awaited_seats, choose, start_mixed_game
from workers.reconcile import PATIENCE, PERIOD, Reconciler
from workers.work import make_worker


@pytest.fixture
def clock() -> ManualClock:
    """Behind the real one, so that jobs find past what is past here."""
    return ManualClock(datetime.now(UTC) - timedelta(hours=1))


@pytest.fixture
def games(fake: Redis, clock: ManualClock) -> Games:
    return Games(RedisStore(fake), clock)


@pytest.fixture
def reconciler(fake: Redis, clock: ManualClock) -> Reconciler:
    return Reconciler(build_backend(fake), clock)


def empty_queues(client: Redis) -> None:
    client.delete("rq:queue:bots-high", "rq:queue:bots-low")


def test_a_bot_that_does_not_answer_is_nudged_in_time(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    game = start_mixed_game(games, "random", "Anna")
    clock.forward(PATIENCE - 0.1)
    reconciler.step()
    assert Nudges(fake).queued_games() == set()
    clock.forward(PERIOD)
    reconciler.step()
    assert Nudges(fake).queued_games() == {game}
    assert PATIENCE + PERIOD < 10


def test_a_nudge_that_waits_is_not_sent_again(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    """Else a long queue would grow for ever."""
    start_mixed_game(games, "random", "random")
    for _ in range(5):
        clock.forward(PATIENCE)
        reconciler.step()
    assert fake.llen("rq:queue:bots-low") == 1


def test_an_emptied_queue_is_filled_again(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    """The jobs themselves are still on RQ's books, as after a worker that died with one in hand."""
    game = start_mixed_game(games, "random", "Anna")
    for _ in range(3):
        clock.forward(PATIENCE)
        reconciler.step()
        assert Nudges(fake).queued_games() == {game}
        empty_queues(fake)


def test_games_that_wait_for_people_are_left_alone(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    game = start_mixed_game(games, "Anna", "random")
    clock.forward(1_000)
    reconciler.step()
    assert Nudges(fake).queued_games() == set()
    choose(games, game, 0)
    clock.forward(PATIENCE)
    reconciler.step()
    assert Nudges(fake).queued_games() == {game}


class Noting(fakeredis.FakeRedis):
    """Notes every command."""

    def __init__(self) -> None:
        super().__init__()
        self.commands: list[Any] = []

    def execute_command(self, *command: Any, **options: Any) -> Any:
        self.commands.append(command[0])
        return super().execute_command(*command, **options)  # type: ignore[no-untyped-call]


def test_a_game_that_waits_for_people_is_read_once_until_it_goes_on(clock: ManualClock) -> None:
    """Else every period would read all the games that stand."""
    with Noting() as client:
        games, reconciler = Games(RedisStore(client), clock), Reconciler(build_backend(client), clock)
        read = list[bool]()
        game = start_mixed_game(games, "Anna", "Ben")
        for answers in (0, 0, 0, 1, 0):
            for _ in range(answers):
                choose(games, game, 0)
            client.commands.clear()
            reconciler.step()
            read.append(b"XRANGE" in client.commands)
    assert read == [True, False, False, True, False]


def test_a_missed_deadline_is_answered_by_the_clock(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    """W1."""
    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 20})
    clock.forward(19)
    reconciler.step()
    assert Nudges(fake).queued_games() == set()
    clock.forward(1)
    reconciler.step()
    make_worker(fake).work(burst=True, logging_level="CRITICAL", max_jobs=1)
    assert games.commits(game)[1].by == "clock"
    assert awaited_seats(games, game) == (1,)


def test_a_dropped_lobby_comes_back_with_its_active_games(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    stuck, idle = start_mixed_game(games, "random", "Anna"), start_mixed_game(games, "Anna", "Ben")
    reconciler.step()
    assert set(Lobby(fake).active_games()) == {stuck, idle}
    Lobby(fake).clear()
    # The lobby is not empty any more, and still not whole.
    late = start_mixed_game(games, "Anna", "Ben")
    lobby_handler(build_backend(fake))(late, ())
    clock.forward(PATIENCE)
    reconciler.step()
    assert set(Lobby(fake).active_games()) == {stuck, idle, late}
    assert Nudges(fake).queued_games() == {stuck}


def test_a_game_that_cannot_be_read_does_not_hold_up_the_others(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    torn, sound = start_mixed_game(games, "random", "Anna"), start_mixed_game(games, "random", "Ben")
    assert not rebuild(RedisStore(fake), lobby_handler(build_backend(fake)))
    fake.xadd(game_key("game", torn), {"e": b"{", "h": b""}, "2-0")
    clock.forward(PATIENCE)
    reconciler.step()
    assert Nudges(fake).queued_games() == {sound}
