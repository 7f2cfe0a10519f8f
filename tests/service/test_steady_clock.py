"""The time of the service while the clock of the machine is set forward and back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from fakeredis import FakeRedis

from events.redis_store import RedisStore
from events.values import SeatPlan
from service.container import Backend, build_backend
from service.games.deadlines import TimeLimits
from service.games.games import Games
from service.http.limits import RequestCounts, make_policies
from service.steady_clock import HOLD_SECONDS, JUMP_SECONDS, SteadyClock
from tests.support.app import open_memory
from tests.support.games import ENDLESS, choose, is_over, start_mixed_game, verify_stored
from tests.support.profiles import sample
from workers.projector import projection_handler
from workers.reconciler import Reconciler
from workers.turns import TurnPlayer

HOUR = 3600.0
DAY = 24 * HOUR
JUMPS = sample([HOUR, -8 * DAY, -HOUR, 8 * DAY], 2)
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()


class Machine:
    """A machine whose wall clock can be set; the time since its start cannot."""

    def __init__(self, memory: FakeRedis, name: str = "a") -> None:
        self.memory = memory
        self.name = name
        self.uptime = 1_000.0
        self.wall = NOON

    def wait(self, seconds: float) -> None:
        self.uptime += seconds
        self.wall += seconds

    def start_process(self, hold: float = HOLD_SECONDS) -> SteadyClock:
        return SteadyClock(self.memory, hold, lambda: self.wall, lambda: self.uptime, boot_id=self.name)


@pytest.fixture
def memory() -> Iterator[FakeRedis]:
    with open_memory() as client:
        yield client


@pytest.fixture
def machine(memory: FakeRedis) -> Machine:
    return Machine(memory)


def test_time_is_that_of_the_wall_clock(machine: Machine) -> None:
    clock = machine.start_process()
    assert clock() == datetime.fromtimestamp(NOON, UTC)
    machine.wait(8 * DAY)
    assert clock.timestamp() == pytest.approx(machine.wall)
    assert (clock.is_held(), clock.report().ahead, clock.report().jumps) == (False, 0, 0)


@pytest.mark.parametrize("correction", [JUMP_SECONDS, -JUMP_SECONDS])
def test_small_correction_is_followed(machine: Machine, correction: float) -> None:
    clock = machine.start_process()
    clock()
    machine.wall += correction
    assert clock.timestamp() == pytest.approx(machine.wall)
    assert not clock.is_held()


@pytest.mark.parametrize("jump", JUMPS)
def test_time_goes_on_when_the_clock_is_set(machine: Machine, jump: float) -> None:
    clock = machine.start_process()
    clock()
    machine.wait(10)
    machine.wall += jump
    assert clock.timestamp() == pytest.approx(NOON + 10)
    assert clock.is_held()
    machine.wait(HOLD_SECONDS - 1)
    assert clock.report().ahead == pytest.approx(jump)
    assert clock.report().held == pytest.approx(1)
    assert clock.report().jumps == 1
    machine.wait(1)
    assert not clock.is_held()
    assert clock.timestamp() == pytest.approx(NOON + 10 + HOLD_SECONDS)


@pytest.mark.parametrize("jump", JUMPS)
def test_hold_ends_when_the_clock_is_set_right_again(machine: Machine, jump: float) -> None:
    clock = machine.start_process()
    clock()
    machine.wall += jump
    assert clock.is_held()
    machine.wait(20)
    machine.wall -= jump - 2
    assert not clock.is_held()
    assert clock.timestamp() == pytest.approx(machine.wall)
    assert clock.report().ahead == 0


def test_another_jump_begins_another_hold(machine: Machine) -> None:
    clock = machine.start_process()
    clock()
    machine.wall += HOUR
    clock()
    machine.wait(500)
    machine.wall += HOUR
    assert clock.report().held == HOLD_SECONDS
    assert clock.report().ahead == pytest.approx(2 * HOUR)


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_time_slowly_follows_a_clock_that_stays_where_it_was_set(machine: Machine, jump: float) -> None:
    clock = machine.start_process()
    clock()
    machine.wall += jump
    last = clock.timestamp()
    for _ in range(110):
        machine.wait(HOUR)
        now = clock.timestamp()
        assert now - last == pytest.approx(HOUR, rel=0.011)
        last = now
    assert last == pytest.approx(machine.wall)
    assert clock.report().ahead == 0


@pytest.mark.parametrize("jump", JUMPS)
def test_process_that_starts_after_the_jump_knows_of_it(machine: Machine, jump: float) -> None:
    machine.start_process()()
    machine.wait(100)
    machine.wall += jump
    late = machine.start_process()
    assert late.timestamp() == pytest.approx(NOON + 100)
    assert late.is_held()
    machine.wait(5)
    assert machine.start_process().report().held == HOLD_SECONDS - 5


def test_machine_that_starts_with_an_earlier_clock_goes_on_from_the_last_time(
    memory: FakeRedis, machine: Machine
) -> None:
    machine.start_process()()
    again = Machine(memory, "a, started again")
    again.uptime = 7.0
    again.wall = NOON - DAY
    clock = again.start_process()
    assert clock.timestamp() == pytest.approx(NOON)
    assert clock.is_held()
    later = Machine(memory, "another day")
    later.wall = NOON + DAY
    assert later.start_process().timestamp() == NOON + DAY


def test_time_does_not_need_redis() -> None:
    with open_memory() as client:
        machine = Machine(client)
        clock = machine.start_process()
        clock()
        client.connection_pool.connection_kwargs["server"].connected = False
        machine.wait(100)
        machine.wall += HOUR
        assert clock.timestamp() == pytest.approx(NOON + 100)
        assert clock.is_held()


# What is done by the clock


class Service:
    """Projector, reconciler and worker on one machine."""

    def __init__(self, machine: Machine, hold: float = HOLD_SECONDS) -> None:
        self.machine = machine
        self.clock = machine.start_process(hold)
        limits = TimeLimits(lobby_hours=24, abandon_hours=168, hold_seconds=hold)
        self.backend: Backend = build_backend(machine.memory, limits, clock=self.clock)
        self.games: Games = self.backend.games
        self._project = projection_handler(self.backend)
        self._reconciler = Reconciler(self.backend)
        self._player = TurnPlayer(self.games, self.clock, is_held=self.clock.is_held)

    def work(self, *games: str) -> None:
        """Do all that is due now."""
        for game in games:
            self._project(game, self.games.commits(game))
        self._reconciler.step()
        while (turn := self.backend.queue.take()) is not None:
            self._player.play_turns(turn.game, ENDLESS)

    def authors(self, game: str) -> list[str]:
        return [commit.by for commit in self.games.commits(game)]


@pytest.fixture
def service(machine: Machine) -> Service:
    return Service(machine)


def open_lobby(games: Games) -> str:
    return games.create("classic", {}, [SeatPlan(), SeatPlan()]).game


@pytest.mark.parametrize("jump", JUMPS)
def test_clock_that_is_set_answers_and_closes_nothing(service: Service, jump: float) -> None:
    timed = start_mixed_game(service.games, "Anna", "Ben", options={"turn_seconds": 60})
    untimed = start_mixed_game(service.games, "Anna", "Ben")
    lobby = open_lobby(service.games)
    service.work(timed, untimed, lobby)
    service.machine.wall += jump
    for _ in range(HOLD_SECONDS // 10 - 1):
        service.machine.wait(10)
        service.work()
    assert service.authors(timed) == ["creator"]
    assert not is_over(service.games, untimed)
    assert service.games.snapshot(lobby).state.status == "lobby"


@pytest.mark.parametrize("jump", JUMPS)
def test_after_the_hold_time_counts_as_it_passed(service: Service, jump: float) -> None:
    """Time that did not pass ends nobody's turn, and no table stands still until it has passed."""
    late = start_mixed_game(service.games, "Anna", "Ben", options={"turn_seconds": 60})
    early = start_mixed_game(service.games, "Anna", "Ben", options={"turn_seconds": 1800})
    untimed = start_mixed_game(service.games, "Anna", "Ben")
    lobby = open_lobby(service.games)
    service.work(late, early, untimed, lobby)
    service.machine.wall += jump
    service.work()
    service.machine.wait(HOLD_SECONDS + 5)
    service.work()
    assert service.authors(late) == ["creator", "clock"]
    assert service.authors(early) == service.authors(untimed) == service.authors(lobby) == ["creator"]
    service.machine.wait(1800)
    service.work()
    service.work()
    assert service.authors(early) == ["creator", "clock"]
    service.machine.wait(23.9 * HOUR)
    service.work(lobby)
    assert service.games.snapshot(lobby).state.status == "over"
    assert not is_over(service.games, untimed)


@pytest.mark.parametrize("jump", JUMPS)
def test_bots_play_on_and_people_lose_no_time_while_the_clock_is_set(service: Service, jump: float) -> None:
    options = {"total_seconds": 120}
    game = start_mixed_game(service.games, "Anna", "random", options=options)
    service.work(game)
    service.machine.wall += jump
    service.machine.wait(20)
    choose(service.games, game, 0)
    service.work(game)
    snapshot = service.games.snapshot(game)
    assert snapshot.people_asked == (0,)
    assert snapshot.left[0] == 100_000
    assert snapshot.deadline_of(0) == service.clock() + timedelta(seconds=100)


@pytest.mark.parametrize("jump", JUMPS)
def test_game_of_which_the_clock_was_set_is_verified(service: Service, jump: float) -> None:
    game = start_mixed_game(service.games, "Anna", "random", options={"turn_seconds": 60})
    service.work(game)
    service.machine.wall += jump
    choose(service.games, game, 0)
    service.work(game)
    service.machine.wall -= jump
    while not is_over(service.games, game):
        service.machine.wait(60)
        service.work(game)
    assert "clock" in service.authors(game)
    assert verify_stored(RedisStore(service.machine.memory), game).ok


@pytest.mark.parametrize("jump", JUMPS)
def test_budget_of_a_minute_lasts_a_minute(machine: Machine, jump: float) -> None:
    counts = RequestCounts(machine.memory, machine.start_process().timestamp)
    (policy,) = make_policies("creating", "2 per minute", "one address")
    assert [counts.count("creating", policy.item, "Anna")[0] for _ in range(3)] == [1, 2, 3]
    machine.wall += jump
    machine.wait(5)
    count, rest = counts.count("creating", policy.item, "Anna")
    assert count == 3
    assert 0 < rest <= 60
    machine.wait(60)
    assert counts.count("creating", policy.item, "Anna")[0] == 1
