"""A house for tests that leave it standing; it says all it has to say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.redis_client import connect
from events.redis_store import RedisStore
from service.ops.embedded_server import find_running_url
from tests.support.http_player import HttpService
from tests.support.service_process import run_service


class House:
    def __init__(self, door: HttpService, folder: Path, store: RedisStore) -> None:
        self.door, self.store = door, store
        self._logs = (folder.parent / f"{folder.name}.log", folder / "redis" / "redis.log")

    def logs(self) -> list[bytes]:
        """The lines that all its processes have written so far."""
        return [line for log in self._logs for line in log.read_bytes().splitlines()]


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house") / "data"
    with (
        run_service(folder, LOG_LEVEL="debug") as (base, _),
        connect(find_running_url(folder) or "") as client,
    ):
        yield House(HttpService(base), folder, RedisStore(client))
