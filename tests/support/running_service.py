"""A service for tests that leave it running and look at their own games only; it logs all it can."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from events.redis import connect
from events.redis_store import RedisStore
from service.ops.redis_server import find_running_url
from tests.support.http_client import HttpService
from tests.support.service_process import run_service


class RunningService:
    def __init__(self, http: HttpService, folder: Path, store: RedisStore) -> None:
        self.http, self.store = http, store
        self._logs = (folder.parent / f"{folder.name}.log", folder / "redis" / "redis.log")

    def logs(self) -> list[bytes]:
        """The lines that all its processes have written so far."""
        return [line for log in self._logs for line in log.read_bytes().splitlines()]


@contextmanager
def open_running(folder: Path) -> Iterator[RunningService]:
    with (
        run_service(folder, LOG_LEVEL="debug") as (base, _),
        connect(find_running_url(folder) or "") as client,
    ):
        yield RunningService(HttpService(base), folder, RedisStore(client))
