"""Calls through RQ: games are played in slices and in turn, twice without harm, and nothing but ours."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest
from redis import Redis
from redis.exceptions import ConnectionError
from rq import Callback, Queue
from rq.exceptions import StopRequested
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from events.commit import Commit
from events.redis_store import RedisStore
from events.store import Unavailable
from service.container import build_backend
from service.games.games import Games
from service.queue.fair_queue import FairQueue
from service.queue.jobs import ALLOWED, SafeJob
from service.queue.scheduler import ADVANCE, MOST_CALLS, QUEUE, BotScheduler
from tests.support import foreign_job
from tests.support.app import capture_log
from tests.support.games import awaited_seats, choose, is_over, start_mixed_game, verify_stored
from tests.support.stores import LAYOUT
from workers.jobs import advance, play_shift, play_turn
from workers.worker import IDLE_SECONDS, BotWorker, make_worker, shorten_redis_faults


@pytest.fixture
def games(fake: Redis) -> Games:
    return Games(RedisStore(fake))


@pytest.fixture
def untouched() -> Iterator[None]:
    foreign_job.traces.clear()
    yield
    assert foreign_job.traces == []


def nudges(client: Redis) -> BotScheduler:
    return build_backend(client).scheduler


def work(client: Redis, jobs: int | None = None) -> None:
    """Everything that is queued, or so many jobs."""
    make_worker(client).work(burst=True, logging_level="CRITICAL", max_jobs=jobs)


def found(client: Redis, job: str) -> Job:
    return Job.fetch(job, connection=client, serializer=JSONSerializer)


def test_one_nudge_brings_a_game_of_bots_to_its_end(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "random", "greedy", "random")
    nudges(fake).schedule(game)
    work(fake)
    assert is_over(games, game)
    assert verify_stored(RedisStore(fake), game).ok


def test_bots_between_people_are_played_as_soon_as_they_are_due(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "Anna", "random", "greedy", "Ben")
    choose(games, game, 0)
    nudges(fake).schedule(game)
    work(fake)
    assert awaited_seats(games, game) == (3,)


def test_jobs_delivered_twice_do_no_harm(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "random", "random", "Anna")
    for _ in range(3):
        nudges(fake).schedule(game)
    work(fake)
    assert awaited_seats(games, game) == (2,)
    assert games.snapshot(game).version == 3


def test_a_game_waits_once_however_often_it_is_nudged(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "Anna", "random")
    assert [nudges(fake).schedule(game) for _ in range(9)] == [True] + [False] * 8
    assert FairQueue(fake).waiting_games() == {game}
    assert fake.llen(f"rq:queue:{QUEUE}") == MOST_CALLS


def test_one_call_is_enough_for_many_games(fake: Redis, games: Games) -> None:
    """They are all played, although the calls of the others are lost."""
    waiting = [start_mixed_game(games, "random", "Anna") for _ in range(3 * MOST_CALLS)]
    for game in waiting:
        nudges(fake).schedule(game)
    fake.ltrim(f"rq:queue:{QUEUE}", 0, 0)
    work(fake)
    assert {awaited_seats(games, game) for game in waiting} == {(1,)}


class ToldToStop(BotWorker):
    """SIGTERM comes in the middle of a job."""

    def prepare_job_execution(self, job: Job, remove_from_intermediate_queue: bool = False) -> None:
        before = self.connection.hgetall(self.key)
        self.request_stop(signal.SIGTERM, None)
        # A signal that asks the pool for a connection waits for ever where the pool is locked.
        assert self.connection.hgetall(self.key) == before
        super().prepare_job_execution(job, remove_from_intermediate_queue)


def test_a_worker_that_is_told_to_stop_ends_its_job_and_takes_no_other(fake: Redis, games: Games) -> None:
    first, second = (start_mixed_game(games, "random", "Anna") for _ in range(2))
    for game in (first, second):
        nudges(fake).schedule(game)
    worker = ToldToStop((QUEUE,), connection=fake, job_class=SafeJob, serializer=JSONSerializer)
    worker.stopped = Event()
    worker.work(logging_level="CRITICAL")
    assert (games.snapshot(first).version, games.snapshot(second).version) == (2, 2)
    assert fake.llen(f"rq:queue:{QUEUE}") == 1
    assert worker.stopped.wait(10)


def test_a_signal_raises_nothing_where_it_lands(fake: Redis) -> None:
    """It may land just after a lock was taken, which would then stay taken."""
    worker = make_worker(fake)
    worker.stopped = Event()
    worker.request_stop(signal.SIGTERM, None)
    assert worker.stopped.wait(10)
    with pytest.raises(StopRequested):
        worker.dequeue_job_and_maintain_ttl(IDLE_SECONDS)


def test_what_is_left_of_a_game_goes_to_the_end_of_its_lane(fake: Redis, games: Games) -> None:
    """Two turns of two games: each gets one, however long the first could have gone on."""
    backend, long, other = (
        build_backend(fake),
        start_mixed_game(games, "greedy", "greedy", "greedy", edition="royale", options={"tiles": 6}),
        start_mixed_game(games, "random", "greedy"),
    )
    for game in (long, other):
        backend.scheduler.schedule(game)
    played = []
    for _ in range(2):
        turn = backend.queue.take()
        assert turn is not None
        play_turn(backend, turn)
        played.append(turn.game)
    assert sorted(played) == sorted([long, other])
    assert games.snapshot(long).version > 1
    assert not is_over(games, long)
    assert long in backend.queue.waiting_games()


def test_a_game_that_cannot_be_played_does_not_hold_up_the_others(fake: Redis, games: Games) -> None:
    torn, sound = start_mixed_game(games, "random", "Anna"), start_mixed_game(games, "random", "Ben")
    for game in (torn, sound):
        nudges(fake).schedule(game)
    fake.xadd(LAYOUT.game_key("game", torn), {"e": b"{", "h": b""}, "2-0")
    with capture_log() as log:
        for _ in range(2):
            work(fake)
            build_backend(fake).queue.put(torn, "", is_awaited=False)
    assert awaited_seats(games, sound) == (1,)
    assert [json.loads(line)["event"] for line in log.getvalue().splitlines()].count("game_poisoned") == 1


class HalfAwayStore(RedisStore):
    """As in a cluster, one master is away; a game that it has cannot be read."""

    away = ""

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        if game == self.away:
            raise Unavailable("Connection refused", "unreachable")
        return super().read(game, after, limit)


def test_a_game_whose_server_is_away_does_not_hold_up_the_others(fake: Redis, games: Games) -> None:
    gone, there = start_mixed_game(games, "random", "Anna"), start_mixed_game(games, "random", "Ben")
    store = HalfAwayStore(fake)
    store.away = gone
    backend = build_backend(fake, games=Games(store, build_backend(fake).clock))
    for game in (gone, there):
        backend.scheduler.schedule(game)
    with capture_log() as log:
        play_shift(backend)
    assert awaited_seats(games, there) == (1,)
    assert [json.loads(line)["event"] for line in log.getvalue().splitlines()] == ["redis_away"]


def test_a_job_is_limited_in_time_and_its_result_kept_for_a_while(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "Anna", "random")
    nudges(fake).schedule(game)
    (job,) = (found(fake, job) for job in Queue(QUEUE, connection=fake).job_ids)
    assert (job.timeout, job.result_ttl, job.failure_ttl) == (10, 60, 3600)


def test_an_unknown_game_is_left_alone(fake: Redis) -> None:
    backend = build_backend(fake)
    backend.queue.put("g_none", "", is_awaited=False)
    backend.scheduler.call_worker()
    work(fake)
    assert backend.queue.waiting_games() == set()


def test_a_call_too_many_finds_nothing_to_do(fake: Redis) -> None:
    nudges(fake).call_worker()
    (job,) = (found(fake, job) for job in Queue(QUEUE, connection=fake).job_ids)
    work(fake)
    assert job.return_value(refresh=True) == 0


def test_outside_a_worker_there_is_no_job() -> None:
    with pytest.raises(RuntimeError, match="worker"):
        advance()


def test_the_function_on_the_list_is_the_one_that_is_sent() -> None:
    assert ALLOWED == {ADVANCE} == {f"{advance.__module__}.{advance.__name__}"}


def test_a_job_that_runs_a_program_is_refused(fake: Redis, tmp_path: Path) -> None:
    queue = Queue(QUEUE, connection=fake, serializer=JSONSerializer)
    job = queue.enqueue("os.system", f"touch {tmp_path / 'trace'}")
    work(fake)
    assert job.get_status() == JobStatus.FAILED
    result = job.latest_result()
    assert "Forbidden" in ((result.exc_string if result else None) or "")
    assert not (tmp_path / "trace").exists()


@pytest.mark.usefixtures("untouched")
def test_callbacks_of_a_job_are_never_called(fake: Redis) -> None:
    trace = Callback("tests.support.foreign_job.leave_trace")
    queue = Queue(QUEUE, connection=fake, serializer=JSONSerializer)
    good = queue.enqueue(ADVANCE, on_success=trace, on_stopped=trace)
    bad = queue.enqueue("os.system", "true", on_failure=trace)
    work(fake)
    assert (good.get_status(), bad.get_status()) == (JobStatus.FINISHED, JobStatus.FAILED)


@pytest.mark.usefixtures("untouched")
def test_a_method_of_a_value_in_the_job_is_refused(fake: Redis) -> None:
    queue = Queue(QUEUE, connection=fake, serializer=JSONSerializer)
    job = queue.enqueue("tests.support.foreign_job.leave_trace")
    sneaky = queue.enqueue(ADVANCE)
    fake.hset(sneaky.key, "data", json.dumps([ADVANCE, "text", ["g_none"], {}]))
    work(fake)
    assert (job.get_status(), sneaky.get_status()) == (JobStatus.FAILED, JobStatus.FAILED)


def test_a_call_that_failed_does_not_bar_the_next(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "random", "Anna")
    queue = Queue(QUEUE, connection=fake, serializer=JSONSerializer)
    broken = queue.enqueue("os.system", "true")
    work(fake)
    assert broken.get_status() == JobStatus.FAILED
    nudges(fake).schedule(game)
    work(fake)
    assert awaited_seats(games, game) == (1,)


def test_a_job_without_its_redis_is_told_in_one_line(fake: Redis) -> None:
    fault = Unavailable("Connection refused")
    with capture_log() as log:
        make_worker(fake).handle_exception(Job.create(ADVANCE, connection=fake), Unavailable, fault, None)
    [line] = map(json.loads, log.getvalue().splitlines())
    assert (line["event"], line["fault"]) == ("redis_away", "Connection refused")


def test_only_what_redis_did_is_shortened_in_the_words_of_rq() -> None:
    with capture_log() as log:
        ours = logging.Logger("rq.worker")
        ours.addFilter(shorten_redis_faults)
        ours.addHandler(logging.getLogger().handlers[0])
        for fault in (ConnectionError("refused"), ValueError("a bug")):
            ours.error("found an unhandled exception", exc_info=fault)
    away, bug = map(json.loads, log.getvalue().splitlines())
    assert (away["event"], "exception" in away) == ("redis_away: refused", False)
    assert "ValueError" in bug["exception"]
