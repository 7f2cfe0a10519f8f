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

from service.ops.processes import spawn, stop
from service.ops.redis_server import RedisServer, find_running_url, is_answering
from service.ops.supervision import LONGEST_TICK
from service.run_folder import FOLDER, list_silences
from tests.support.stand_in_service import HANG_SECONDS, command
from tests.support.waiting import PATIENCE, wait_until

Supervised = subprocess.Popen[str]


@contextmanager
def run_stand_ins(*arguments: str) -> Iterator[Supervised]:
    module = [sys.executable, "-m", "tests.support.stand_in_service", *arguments]
    with subprocess.Popen(module, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        limit = threading.Timer(PATIENCE, process.kill)
        limit.start()
        try:
            yield process
        finally:
            limit.cancel()
            process.kill()


def await_event(process: Supervised, event: str, child: str) -> dict[str, Any]:
    """The next log line of that event and child; the supervisor's time limit bounds the wait."""
    assert process.stderr is not None
    for line in process.stderr:
        said: dict[str, Any] = json.loads(line)
        if (said["event"], said["child"]) == (event, child):
            return said
    raise AssertionError(f"the supervisor ended without {event} of {child}")


def read_line(process: Supervised) -> str:
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
    with run_stand_ins("polite") as process:
        first = await_event(process, "child_started", "one")["pid"]
        os.kill(first, signal.SIGKILL)
        assert await_event(process, "child_died", "one")["code"] == -signal.SIGKILL
        second = await_event(process, "child_started", "one")["pid"]
        assert second != first
        assert runs(second)


def await_beginning(process: Supervised) -> None:
    begun = {read_line(process) for _ in range(4)}
    assert begun == {"base ready", "one ready", "two ready", "open"}


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_every_child_then_the_base_and_exits_with_0(number: signal.Signals) -> None:
    with run_stand_ins("polite") as process:
        await_beginning(process)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        *children, base = [read_line(process) for _ in range(3)]
        assert (sorted(children), base) == (["one stopped", "two stopped"], "base stopped")


@pytest.mark.long
def test_a_child_that_will_not_leave_does_not_keep_the_base_from_leaving() -> None:
    with run_stand_ins("stubborn") as process:
        pids = [await_event(process, "child_started", name)["pid"] for name in ("one", "two")]
        await_beginning(process)
        process.terminate()
        assert process.wait(PATIENCE) == 0
        assert read_line(process) == "base stopped"
        assert not any(runs(pid) for pid in pids)


def test_a_process_that_will_not_leave_is_killed_after_its_grace() -> None:
    with spawn(command("stubborn", "one"), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"one ready\n"
        stop(process, grace=0.1)
        assert process.returncode == -signal.SIGKILL


def test_children_do_not_outlive_a_killed_supervisor() -> None:
    with run_stand_ins("stubborn") as process:
        pids = [await_event(process, "child_started", name)["pid"] for name in ("one", "two")]
        process.kill()
        wait_until(lambda: not any(runs(pid) for pid in pids), "the end of the children")


@pytest.mark.long
def test_a_child_that_keeps_dying_is_restarted_ever_more_slowly() -> None:
    with run_stand_ins("short") as process:
        delays = [await_event(process, "child_died", "one")["restart_in"] for _ in range(4)]
    assert delays == [0.1, 0.2, 0.4, 0.8]


def test_a_killed_redis_comes_back_with_its_data(tmp_path: Path) -> None:
    with run_stand_ins(
        "redis", str(tmp_path), *filter(None, [os.environ.get("CROUPIER_REDIS_SERVER")])
    ) as process:
        url = read_line(process)
        with redis.Redis.from_url(url, decode_responses=True) as client:
            client.set("note", "60000")
            os.kill(client.info("server")["process_id"], signal.SIGKILL)
        await_event(process, "child_started", "redis")
        wait_until(lambda: find_running_url(tmp_path) == url, "the return of Redis")
        with redis.Redis.from_url(url, decode_responses=True) as client:
            assert client.get("note") == "60000"
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_a_killed_service_leaves_its_folder_to_the_next(tmp_path: Path) -> None:
    binary = os.environ.get("CROUPIER_REDIS_SERVER")
    with run_stand_ins("redis", str(tmp_path), *filter(None, [binary])) as process:
        with redis.Redis.from_url(read_line(process), decode_responses=True) as client:
            client.set("note", "60000")
        process.kill()
        process.wait()
        with RedisServer(tmp_path, binary) as server, redis.Redis.from_url(server.url) as client:
            assert client.get("note") == b"60000"


# Hanging


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv(FOLDER, str(folder))
    return folder


@pytest.mark.long
def test_a_child_that_goes_round_in_circles_is_killed_and_started_again(run_folder: Path) -> None:
    with run_stand_ins("looping") as process:
        first = await_event(process, "child_started", "one")["pid"]
        hung = await_event(process, "child_hung", "one")
        assert hung["pid"] == first
        assert hung["silent"] >= HANG_SECONDS
        assert await_event(process, "child_died", "one")["code"] == -signal.SIGKILL
        assert await_event(process, "child_started", "one")["pid"] != first


@pytest.mark.long
def test_a_stopped_child_is_killed_and_started_again_and_its_neighbour_is_not(run_folder: Path) -> None:
    with run_stand_ins("beating") as process:
        first = await_event(process, "child_started", "one")["pid"]
        neighbour = await_event(process, "child_started", "two")["pid"]
        wait_until(lambda: "two" in list_silences(), "the first beat")
        os.kill(first, signal.SIGSTOP)
        assert await_event(process, "child_hung", "one")["pid"] == first
        assert await_event(process, "child_started", "one")["pid"] != first
        assert runs(neighbour)


@pytest.mark.long
def test_children_that_were_stopped_together_with_the_supervisor_are_excused(run_folder: Path) -> None:
    with run_stand_ins("beating") as process:
        pids = [await_event(process, "child_started", name)["pid"] for name in ("one", "two")]
        everybody = [process.pid, *pids]
        wait_until(lambda: list_silences().keys() == {"one", "two"}, "the first beats")
        for pid in everybody:
            os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: min(list_silences().values()) > LONGEST_TICK + 1, "a long silence")
        for pid in everybody:
            os.kill(pid, signal.SIGCONT)
        wait_until(lambda: max(list_silences().values()) < 1, "beats")
        assert all(runs(pid) for pid in pids)
        process.terminate()
        assert process.stderr is not None
        assert "child_hung" not in process.stderr.read()


@pytest.mark.long
def test_a_stopped_redis_is_killed_and_comes_back_with_its_data(tmp_path: Path) -> None:
    with run_stand_ins(
        "redis", str(tmp_path), *filter(None, [os.environ.get("CROUPIER_REDIS_SERVER")])
    ) as process:
        url = read_line(process)
        with redis.Redis.from_url(url, decode_responses=True) as client:
            client.set("note", "60000")
            os.kill(client.info("server")["process_id"], signal.SIGSTOP)
        await_event(process, "child_hung", "redis")
        await_event(process, "child_started", "redis")
        wait_until(lambda: is_answering(url), "the return of Redis")
        with redis.Redis.from_url(url, decode_responses=True) as client:
            assert client.get("note") == "60000"
