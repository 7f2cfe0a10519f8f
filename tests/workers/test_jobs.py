"""Nudges through RQ: played in slices, people first, twice without harm, and nothing but ours."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from redis import Redis
from redis.exceptions import ConnectionError
from rq import Callback, Queue
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from events.redis_store import RedisStore
from events.store import Unavailable
from service.factory import build_backend
from service.nudges import ADVANCE, QUEUES, Nudges
from service.play.games import Games
from service.safe_job import ALLOWED, SafeJob
from tests.support import foreign_job
from tests.support.log_capture import capture_log
from tests.support.mixed_games import awaited_seats, choose, is_over, start_mixed_game, verify_stored
from workers.jobs import advance, advance_with
from workers.work import BotWorker, make_worker, shorten_redis_faults


@pytest.fixture
def games(fake: Redis) -> Games:
    return Games(RedisStore(fake))


@pytest.fixture
def untouched() -> Iterator[None]:
    foreign_job.traces.clear()
    yield
    assert foreign_job.traces == []


def work(client: Redis, jobs: int | None = None) -> None:
    """Everything that is queued, or so many jobs."""
    make_worker(client).work(burst=True, logging_level="CRITICAL", max_jobs=jobs)


def found(client: Redis, job: str) -> Job:
    return Job.fetch(job, connection=client, serializer=JSONSerializer)


def test_one_nudge_brings_a_game_of_bots_to_its_end(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "random", "greedy", "random")
    Nudges(fake).send(game, games.snapshot(game))
    work(fake)
    assert is_over(games, game)
    assert verify_stored(RedisStore(fake), game).ok


def test_bots_between_people_are_played_as_soon_as_they_are_due(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "Anna", "random", "greedy", "Ben")
    choose(games, game, 0)
    Nudges(fake).send(game, games.snapshot(game))
    work(fake)
    assert awaited_seats(games, game) == (3,)


def test_jobs_delivered_twice_do_no_harm(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "random", "random", "Anna")
    for attempt in range(3):
        Nudges(fake).send(game, games.snapshot(game), attempt)
    work(fake)
    assert awaited_seats(games, game) == (2,)
    assert games.snapshot(game).version == 3


def test_the_same_nudge_is_queued_once_and_the_next_attempt_beside_it(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "Anna", "random")
    for attempt in (0, 0, 1):
        Nudges(fake).send(game, games.snapshot(game), attempt)
    assert Queue(QUEUES[0], connection=fake).job_ids == [f"bot-{game}-1-0", f"bot-{game}-1-1"]
    assert Nudges(fake).queued_games() == {game}


def test_games_with_people_come_before_games_of_bots(fake: Redis, games: Games) -> None:
    alone, company = start_mixed_game(games, "random", "random"), start_mixed_game(games, "random", "Anna")
    for game in (alone, company):
        Nudges(fake).send(game, games.snapshot(game))
    work(fake, jobs=1)
    assert (games.snapshot(alone).version, games.snapshot(company).version) == (1, 2)


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
        Nudges(fake).send(game, games.snapshot(game))
    worker = ToldToStop(QUEUES, connection=fake, job_class=SafeJob, serializer=JSONSerializer)
    worker.stopped = Event()
    worker.work(logging_level="CRITICAL")
    assert (games.snapshot(first).version, games.snapshot(second).version) == (2, 1)
    assert worker.stopped.wait(10)


def test_a_slice_of_a_long_game_lets_others_in(fake: Redis, games: Games) -> None:
    long, other = start_mixed_game(games, "random", "random"), start_mixed_game(games, "random", "random")
    Nudges(fake).send(long, games.snapshot(long))
    Nudges(fake).send(other, games.snapshot(other))
    work(fake, jobs=2)
    assert games.snapshot(long).version > 1
    assert games.snapshot(other).version > 1
    assert Nudges(fake).queued_games() == {long, other}


def test_a_job_says_whether_there_is_more_and_sends_for_it(fake: Redis, games: Games) -> None:
    backend, game = build_backend(fake), start_mixed_game(games, "random", "random")
    words = [advance_with(backend, game)]
    while words[-1] == "more":
        assert Nudges(fake).queued_games() == {game}
        fake.delete(*(f"rq:queue:{name}" for name in QUEUES))
        words.append(advance_with(backend, game))
    assert (len(words) > 1, words[-1], is_over(games, game)) == (True, "done", True)
    assert Nudges(fake).queued_games() == set()


def test_a_job_is_limited_in_time_and_its_result_kept_for_a_while(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "Anna", "random")
    Nudges(fake).send(game, games.snapshot(game))
    job = found(fake, f"bot-{game}-1-0")
    assert (job.timeout, job.result_ttl, job.failure_ttl) == (10, 60, 3600)


def test_an_unknown_game_is_left_alone(fake: Redis) -> None:
    job = Queue(QUEUES[0], connection=fake, serializer=JSONSerializer).enqueue(ADVANCE, "g_none")
    work(fake)
    assert job.return_value(refresh=True) == "unknown"


def test_outside_a_worker_there_is_no_job() -> None:
    with pytest.raises(RuntimeError, match="worker"):
        advance("g_none")


def test_the_function_on_the_list_is_the_one_that_is_sent() -> None:
    assert ALLOWED == {ADVANCE} == {f"{advance.__module__}.{advance.__name__}"}


def test_a_job_that_runs_a_program_is_refused(fake: Redis, tmp_path: Path) -> None:
    queue = Queue(QUEUES[0], connection=fake, serializer=JSONSerializer)
    job = queue.enqueue("os.system", f"touch {tmp_path / 'trace'}")
    work(fake)
    assert job.get_status() == JobStatus.FAILED
    result = job.latest_result()
    assert "Forbidden" in ((result.exc_string if result else None) or "")
    assert not (tmp_path / "trace").exists()


@pytest.mark.usefixtures("untouched")
def test_callbacks_of_a_job_are_never_called(fake: Redis) -> None:
    trace = Callback("tests.support.foreign_job.leave_trace")
    queue = Queue(QUEUES[0], connection=fake, serializer=JSONSerializer)
    good = queue.enqueue(ADVANCE, "g_none", on_success=trace, on_stopped=trace)
    bad = queue.enqueue("os.system", "true", on_failure=trace)
    work(fake)
    assert (good.get_status(), bad.get_status()) == (JobStatus.FINISHED, JobStatus.FAILED)


@pytest.mark.usefixtures("untouched")
def test_a_method_of_a_value_in_the_job_is_refused(fake: Redis) -> None:
    queue = Queue(QUEUES[0], connection=fake, serializer=JSONSerializer)
    job = queue.enqueue("tests.support.foreign_job.leave_trace")
    sneaky = queue.enqueue(ADVANCE, "g_none")
    fake.hset(sneaky.key, "data", json.dumps([ADVANCE, "text", ["g_none"], {}]))
    work(fake)
    assert (job.get_status(), sneaky.get_status()) == (JobStatus.FAILED, JobStatus.FAILED)


def test_a_nudge_that_failed_does_not_bar_the_next_attempt(fake: Redis, games: Games) -> None:
    game = start_mixed_game(games, "random", "Anna")
    queue = Queue(QUEUES[0], connection=fake, serializer=JSONSerializer)
    broken = queue.enqueue("os.system", "true", job_id=f"bot-{game}-1-0")
    work(fake)
    assert broken.get_status() == JobStatus.FAILED
    Nudges(fake).send(game, games.snapshot(game), 0)
    assert Nudges(fake).queued_games() == set()
    Nudges(fake).send(game, games.snapshot(game), 1)
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
