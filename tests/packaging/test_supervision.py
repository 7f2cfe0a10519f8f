import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis

from service.ops.embedded_server import RedisServer, find_running_url
from tests.support.waiting import PATIENCE, wait_until

House = subprocess.Popen[str]


@contextmanager
def house(*arguments: str) -> Iterator[House]:
    command = [sys.executable, "-m", "tests.support.stand_in_service", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        limit = threading.Timer(PATIENCE, process.kill)
        limit.start()
        try:
            yield process
        finally:
            limit.cancel()
            process.kill()


def heard(process: House, event: str, child: str) -> dict[str, Any]:
    """The next log line of that event and child; the house's time limit bounds the wait."""
    assert process.stderr is not None
    for line in process.stderr:
        said: dict[str, Any] = json.loads(line)
        if (said["event"], said["child"]) == (event, child):
            return said
    raise AssertionError(f"the house closed without {event} of {child}")


def said(process: House) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_killed_child_is_started_again() -> None:
    with house("steady") as process:
        first = heard(process, "child_started", "one")["pid"]
        os.kill(first, signal.SIGKILL)
        assert heard(process, "child_died", "one")["code"] == -signal.SIGKILL
        second = heard(process, "child_started", "one")["pid"]
        assert second != first
        assert runs(second)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_every_child_and_exits_with_0(number: signal.Signals) -> None:
    with house("steady") as process:
        pids = [heard(process, "child_started", name)["pid"] for name in ("one", "two")]
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert not any(runs(pid) for pid in pids)


def test_a_child_that_will_not_leave_is_killed_after_its_grace() -> None:
    with house("stubborn") as process:
        pids = [heard(process, "child_started", name)["pid"] for name in ("one", "two")]
        assert said(process) == "open"
        process.terminate()
        assert process.wait(PATIENCE) == 0
        assert not any(runs(pid) for pid in pids)


def test_children_do_not_outlive_a_killed_supervisor() -> None:
    with house("stubborn") as process:
        pids = [heard(process, "child_started", name)["pid"] for name in ("one", "two")]
        process.kill()
        wait_until(lambda: not any(runs(pid) for pid in pids), "the end of the children")


def test_a_child_that_keeps_dying_is_restarted_ever_more_slowly() -> None:
    with house("short") as process:
        delays = [heard(process, "child_died", "one")["restart_in"] for _ in range(4)]
    assert delays == [0.1, 0.2, 0.4, 0.8]


def test_a_killed_redis_comes_back_with_its_data(tmp_path: Path) -> None:
    with house("redis", str(tmp_path), *filter(None, [os.environ.get("CROUPIER_REDIS_SERVER")])) as process:
        url = said(process)
        with redis.Redis.from_url(url, decode_responses=True) as client:
            client.set("note", "60000")
            os.kill(client.info("server")["process_id"], signal.SIGKILL)
        heard(process, "child_started", "redis")
        wait_until(lambda: find_running_url(tmp_path) == url, "the return of Redis")
        with redis.Redis.from_url(url, decode_responses=True) as client:
            assert client.get("note") == "60000"
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_a_killed_house_leaves_its_folder_to_the_next(tmp_path: Path) -> None:
    binary = os.environ.get("CROUPIER_REDIS_SERVER")
    with house("redis", str(tmp_path), *filter(None, [binary])) as process:
        with redis.Redis.from_url(said(process), decode_responses=True) as client:
            client.set("note", "60000")
        process.kill()
        process.wait()
        with RedisServer(tmp_path, binary) as server, redis.Redis.from_url(server.url) as client:
            assert client.get("note") == b"60000"
