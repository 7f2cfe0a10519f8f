"""What is due is set going, when it is due and not before; what was derived from the log comes back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import fakeredis
import pytest
from redis import Redis

from events.redis_store import RedisStore
from service.container import Backend, build_backend
from service.games.deadlines import REPAIR
from service.games.games import Games
from service.lobby.due_index import LEASE, DueIndex
from service.lobby.filters import GameFilter
from service.lobby.lobby import Lobby
from service.lobby.rebuild import describe_game, rebuild_lobby
from service.queue.fair_queue import FairQueue
from service.queue.scheduler import MOST_CALLS
from tests.support.app import capture_log
from tests.support.games import ManualClock, awaited_seats, choose, start_mixed_game
from tests.support.stores import LAYOUT
from workers.projector import projection_handler
from workers.reconciler import SLICE, TICK, Reconciler
from workers.worker import make_worker

MOMENT = 0.1
REPAIR_SECONDS, LEASE_SECONDS = REPAIR.total_seconds(), LEASE.total_seconds()
Project = Callable[[str], None]


@pytest.fixture
def clock() -> ManualClock:
    """Behind the real one, so that jobs find past what is past here."""
    return ManualClock(datetime.now(UTC) - timedelta(hours=1))


@pytest.fixture
def games(fake: Redis, clock: ManualClock) -> Games:
    return Games(RedisStore(fake), clock)


@pytest.fixture
def backend(fake: Redis) -> Backend:
    backend = build_backend(fake)
    assert rebuild_lobby(backend) == {}
    return backend


@pytest.fixture
def reconciler(backend: Backend, clock: ManualClock) -> Reconciler:
    return Reconciler(backend, clock)


@pytest.fixture
def project(fake: Redis, games: Games, clock: ManualClock) -> Project:
    """The projector sees what is new of a game, and its nudge is lost."""
    handle = projection_handler(build_backend(fake), clock)

    def project(game: str) -> None:
        handle(game, games.commits(game)[-1:])
        empty_queues(fake)

    return project


def empty_queues(client: Redis) -> None:
    """The calls and the lanes alike."""
    for key in (*client.keys("rq:queue:*"), *client.keys("croupier:{lanes}:*")):
        client.delete(key)


def nudged_games(client: Redis) -> set[str]:
    return FairQueue(client).waiting_games()


def test_a_lost_nudge_is_repaired_in_time(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler, project: Project
) -> None:
    game = start_mixed_game(games, "random", "Anna")
    project(game)
    clock.forward(REPAIR_SECONDS - MOMENT)
    reconciler.step()
    assert nudged_games(fake) == set()
    clock.forward(MOMENT)
    reconciler.step()
    assert nudged_games(fake) == {game}
    assert REPAIR_SECONDS + TICK < 3


def test_a_nudge_that_waits_is_not_sent_again(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler, project: Project
) -> None:
    """Else a long queue would grow for ever. A worker is called all the same, for calls may be lost, too."""
    project(start_mixed_game(games, "random", "random"))
    for _ in range(5):
        clock.forward(LEASE_SECONDS)
        reconciler.step()
    assert len(nudged_games(fake)) == 1
    assert 0 < fake.llen("rq:queue:bots") <= MOST_CALLS


def test_an_emptied_queue_is_filled_again(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler, project: Project
) -> None:
    """The jobs themselves are still on RQ's books, as after a worker that died with one in hand."""
    game = start_mixed_game(games, "random", "Anna")
    project(game)
    for _ in range(3):
        clock.forward(max(REPAIR_SECONDS, LEASE_SECONDS))
        reconciler.step()
        assert nudged_games(fake) == {game}
        empty_queues(fake)


def test_games_that_wait_for_people_are_left_alone(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler, project: Project
) -> None:
    game = start_mixed_game(games, "Anna", "random")
    project(game)
    clock.forward(1_000)
    reconciler.step()
    assert nudged_games(fake) == set()
    choose(games, game, 0)
    project(game)
    clock.forward(REPAIR_SECONDS)
    reconciler.step()
    assert nudged_games(fake) == {game}


class Noting(fakeredis.FakeRedis):
    """Notes every command."""

    def __init__(self) -> None:
        super().__init__(server=fakeredis.FakeServer())
        self.commands: list[Any] = []

    def execute_command(self, *command: Any, **options: Any) -> Any:
        self.commands.append(command[0])
        return super().execute_command(*command, **options)  # type: ignore[no-untyped-call]


def test_however_many_games_wait_a_look_is_one_command(clock: ManualClock) -> None:
    with Noting() as client:
        games, reconciler = Games(RedisStore(client), clock), Reconciler(build_backend(client), clock)
        for _ in range(SLICE - 1):
            start_mixed_game(games, "Anna", "Ben")
        start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 60})
        reconciler.step()
        for _ in range(3):
            client.commands.clear()
            reconciler.step()
            assert client.commands == ["EVALSHA"]


def test_it_rests_until_the_next_is_due_and_never_longer_than_a_tick(
    games: Games, clock: ManualClock, reconciler: Reconciler, project: Project
) -> None:
    assert reconciler.step() == TICK
    project(start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 10}))
    clock.forward(10 - TICK / 2)
    assert 0 < reconciler.step() < TICK


def test_a_missed_deadline_is_answered_by_the_clock(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler, project: Project
) -> None:
    """W1."""
    game = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 20})
    project(game)
    clock.forward(20 - MOMENT)
    reconciler.step()
    assert nudged_games(fake) == set()
    clock.forward(MOMENT)
    reconciler.step()
    make_worker(fake).work(burst=True, logging_level="CRITICAL", max_jobs=1)
    assert games.commits(game)[1].by == "clock"
    assert awaited_seats(games, game) == (1,)


def test_of_two_reconcilers_one_takes_a_game_and_the_other_steps_in_when_it_dies(
    fake: Redis, games: Games, clock: ManualClock, backend: Backend, reconciler: Reconciler, project: Project
) -> None:
    game = start_mixed_game(games, "random", "Anna")
    project(game)
    clock.forward(REPAIR_SECONDS)
    # One that dies before it has done anything about it.
    assert backend.due.take(clock()).games == (game,)
    reconciler.step()
    assert nudged_games(fake) == set()
    clock.forward(LEASE_SECONDS)
    reconciler.step()
    assert nudged_games(fake) == {game}


def test_what_comes_while_a_game_is_looked_at_is_not_displaced(
    games: Games, clock: ManualClock, backend: Backend
) -> None:
    now = clock()
    backend.due.write("g_1", now)
    taken = backend.due.take(now)
    backend.due.write("g_1", now + timedelta(seconds=1))
    backend.due.reschedule("g_1", taken.lease, now + timedelta(hours=1))
    assert backend.due.take(now + timedelta(seconds=1)).games == ("g_1",)


def test_a_rebuild_only_brings_forward(clock: ManualClock, backend: Backend) -> None:
    """What it read may be older than what is written there."""
    now = clock()
    backend.due.write("g_1", now)
    backend.due.write("g_2", now + timedelta(hours=1))
    for game, seconds in (("g_1", 1), ("g_2", 0), ("g_3", 0)):
        backend.due.write_earlier(game, now + timedelta(seconds=seconds))
    assert set(backend.due.take(now).games) == {"g_1", "g_2", "g_3"}


def test_a_time_too_early_is_put_right(
    fake: Redis, games: Games, clock: ManualClock, backend: Backend, reconciler: Reconciler
) -> None:
    untimed = start_mixed_game(games, "Anna", "Ben")
    timed = start_mixed_game(games, "Anna", "Ben", options={"turn_seconds": 60})
    for game in (untimed, timed, "g_unknown"):
        backend.due.write(game, clock())
    reconciler.step()
    assert nudged_games(fake) == set()
    clock.forward(60 - MOMENT)
    assert backend.due.take(clock()).games == ()
    clock.forward(MOMENT)
    assert backend.due.take(clock()).games == (timed,)


@pytest.mark.parametrize("dropped", [Lobby, DueIndex])
def test_what_was_dropped_comes_back(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler, dropped: Any
) -> None:
    stuck, idle = start_mixed_game(games, "random", "Anna"), start_mixed_game(games, "Anna", "Ben")
    dropped(fake).clear()
    # Neither is empty any more, and still not whole.
    late = start_mixed_game(games, "Anna", "Ben")
    describe_game(build_backend(fake), late)
    clock.forward(REPAIR_SECONDS)
    for _ in range(2):
        reconciler.step()
    assert {line.id for line in Lobby(fake).page(GameFilter(status="playing")).games} == {stuck, idle, late}
    assert nudged_games(fake) == {stuck}
    assert DueIndex(fake).take(clock()).is_whole


def test_what_is_due_does_not_wait_for_a_rebuild(
    fake: Redis, games: Games, clock: ManualClock, backend: Backend, reconciler: Reconciler, project: Project
) -> None:
    """Nor do two rebuild at once."""
    for _ in range(2 * SLICE):
        start_mixed_game(games, "Anna", "Ben")
    backend.due.clear()
    game = start_mixed_game(games, "random", "Anna")
    project(game)
    reconciler.step()
    clock.forward(REPAIR_SECONDS)
    assert reconciler.step() == 0
    assert nudged_games(fake) == {game}
    assert Reconciler(build_backend(fake), clock).step() == TICK
    reconciler.step()
    assert len(Lobby(fake).page(GameFilter(status="playing"), limit=100).games) == 2 * SLICE + 1


def test_a_lobby_dropped_in_the_middle_of_a_rebuild_is_not_taken_for_whole(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler
) -> None:
    listed = {start_mixed_game(games, "Anna", "Ben") for _ in range(2 * SLICE)}
    Lobby(fake).clear()
    reconciler.step()
    Lobby(fake).clear()
    while not Lobby(fake).is_whole():
        reconciler.step()
    assert set(Lobby(fake).active_games()) == listed


def test_a_game_that_cannot_be_read_neither_holds_up_the_others_nor_fills_the_log(
    fake: Redis, games: Games, clock: ManualClock, reconciler: Reconciler, project: Project
) -> None:
    torn, sound = start_mixed_game(games, "random", "Anna"), start_mixed_game(games, "random", "Ben")
    for game in (torn, sound):
        project(game)
    fake.xadd(LAYOUT.game_key("game", torn), {"e": b"{", "h": b""}, "2-0")
    with capture_log() as log:
        for _ in range(5):
            clock.forward(LEASE_SECONDS)
            reconciler.step()
    assert nudged_games(fake) == {sound}
    assert log.getvalue().count(b"game_poisoned") == 1
