"""What /readyz says of processes that do not keep up."""

from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

import pytest

from events.follower import Projector, RedisCursor
from events.redis import connect, connect_blocking
from service import run_folder
from service.container import open_backend
from service.lobby.rebuild import PROJECTOR
from service.ops.health import BEHIND_SECONDS
from service.ops.redis_server import RedisServer
from service.run_folder import FOLDER, NAME
from tests.service.ops.test_metrics import read_metric
from tests.support.api_client import ApiClient
from tests.support.app import open_app_on
from tests.support.service_process import PROJECT, RECONCILE, WORK, run_workers
from tests.support.waiting import wait_until
from workers.projector import projection_handler
from workers.worker import make_worker


@pytest.fixture
def api(spare_redis: RedisServer, log: BytesIO) -> Iterator[ApiClient]:
    with open_app_on(spare_redis.url) as app:
        yield ApiClient(app.test_client())


def behind(api: ApiClient) -> dict[str, float]:
    ready: Any = api.get("/readyz").get_json()
    assert ready["status"] == ("degraded" if ready["behind"] else "ready")
    return {lag["process"]: lag["seconds"] for lag in ready["behind"]}


def project(url: str) -> None:
    with open_backend(url) as backend, connect_blocking(url, 0.1) as waiting:
        projector = Projector(
            backend.store, RedisCursor(waiting, PROJECTOR, 0.1), projection_handler(backend)
        )
        projector.step()
        projector.step()


@pytest.mark.long
def test_a_projector_that_is_gone_is_behind_by_the_age_of_the_oldest_commit(
    api: ApiClient, spare_redis: RedisServer
) -> None:
    project(spare_redis.url)
    assert behind(api) == {}
    api.create_for(2)
    wait_until(lambda: behind(api), "a projector that is behind")
    assert behind(api)["projector"] > BEHIND_SECONDS
    assert api.get("/readyz").status_code == 200, "games are kept"
    told = api.get("/metrics").data
    assert read_metric(told, "croupier_behind_seconds", process="projector") > BEHIND_SECONDS
    project(spare_redis.url)
    wait_until(lambda: not behind(api), "a projector that has caught up")


@pytest.mark.long
def test_workers_and_reconciler_that_are_gone_are_behind_by_what_they_should_have_done(
    api: ApiClient, spare_redis: RedisServer
) -> None:
    api.create({"name": "Anna"}, {"bot": "random"}, {"bot": "random"})
    api.create({"bot": "random"}, {"bot": "random"})
    project(spare_redis.url)
    wait_until(lambda: {"workers", "reconciler"} <= behind(api).keys(), "both being behind")
    with connect(spare_redis.url) as client:
        make_worker(client).work(burst=True, logging_level="ERROR")
    wait_until(lambda: "workers" not in behind(api), "workers that have caught up")


@pytest.mark.long
def test_a_process_that_is_silent_is_named(
    api: ApiClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    run_folder.beat_for("worker-1")
    run_folder.beat_for("worker-2")

    def silent() -> set[str]:
        run_folder.beat_for("worker-2")
        return set(behind(api))

    wait_until(lambda: silent() == {"worker-1"}, "a worker that is silent, and one that is not")


@pytest.mark.long
@pytest.mark.parametrize("module", [PROJECT, RECONCILE, WORK])
def test_a_process_with_nothing_to_do_is_not_behind(
    spare_redis: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setenv(NAME, module)
    beats: dict[int, None] = {}

    def count_beats() -> int:
        """By when they were, in tenths of a second."""
        if silence := run_folder.measure_silence(module):
            beats[round(10 * (monotonic() - silence))] = None
        return len(beats)

    with run_workers(spare_redis.url, [module]):
        wait_until(lambda: count_beats() > 3, "a stretch of beats")
    # Where the machine is busy one of them may come late, but not most.
    assert median(later - one for one, later in pairwise(beats)) < 10 * BEHIND_SECONDS / 2
