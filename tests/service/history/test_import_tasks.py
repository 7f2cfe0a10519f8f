"""Large files: what is cheap to judge is judged at once, and the rest in the background, as a task."""

from __future__ import annotations

import json
from hashlib import sha256
from time import time
from typing import Any

import pytest
from redis import Redis
from werkzeug.test import TestResponse

from service.analysis.tasks import SILENCE, Task, task_key
from service.container import build_backend
from service.games.idempotency import StoredResults, identify_request
from service.history.import_tasks import MOST_IN_ALL, MOST_OF_CALLER, ImportTasks, TooManyImports
from service.history.imports import FEW_COMMITS, LONGEST_LINE, SMALL_FILE, is_small
from service.http.services import SERVICES
from tests.support.api_client import ApiClient
from tests.support.app import open_app
from tests.support.finished_games import finished_file, long_file, long_log
from tests.support.forgeries import reseal
from tests.support.waiting import wait_until

NDJSON = "application/x-ndjson"
KEY = "0d0f9e38-6d1c-4a3b-9b86-8c4f6f6b1f36"
# More than 1,000 commits.
LARGE = 3


def bring(api: ApiClient, file: bytes, **headers: str) -> TestResponse:
    return api.post("/v1/imports", file, **{"Content_Type": NDJSON, **headers})


def await_result(api: ApiClient, reply: TestResponse) -> Any:
    assert reply.status_code == 202, reply.data
    found: dict[str, Any] = {}

    def is_done() -> bool:
        found.update(api.get(reply.headers["Location"]).get_json())
        return "result" in found

    wait_until(is_done, "the result of the import")
    assert (found["kind"], found["done"], found["of"]) == ("import", 1, 1)
    return found["result"]


@pytest.mark.long
def test_a_large_file_gets_a_task_whose_result_is_the_reply(memory: Redis, api: ApiClient) -> None:
    file = long_file(LARGE)
    reply = bring(api, file)
    task = reply.get_json()
    assert (reply.status_code, task["kind"]) == (202, "import")
    assert reply.headers["Location"] == f"/v1/tasks/{task['id']}"
    result = await_result(api, reply)
    commits = file.count(b"\n") - 1
    assert (result["new"], result["report"]["ok"], result["version"]) == (True, True, commits)
    assert api.get(f"/v1/games/{result['id']}/export").get_data() == file
    assert api.get("/v1/games?status=over").get_json()["games"] == []
    wait_until(lambda: not memory.keys("croupier:{tasks}:*:file"), "the end of the stored file")
    assert memory.zcard("croupier:{tasks}:imports") == 0


def test_up_to_the_limits_the_reply_comes_at_once(api: ApiClient) -> None:
    file = long_file(1)
    assert len(file) < SMALL_FILE
    assert file.count(b"\n") < FEW_COMMITS
    assert bring(api, file).status_code == 201


@pytest.mark.parametrize(
    ("size", "commits", "small"),
    [
        (SMALL_FILE, 1, True),
        (SMALL_FILE + 1, 1, False),
        (SMALL_FILE, FEW_COMMITS, True),
        (SMALL_FILE, FEW_COMMITS + 1, False),
    ],
)
def test_the_limits_are_bytes_and_commits(size: int, commits: int, small: bool) -> None:
    lines = b"{}\n" * commits
    assert is_small(lines + b" " * (size - len(lines) - 2) + b"{}") is small


def forge_end(file: bytes) -> bytes:
    """Somebody else has won."""
    raws = [json.loads(line) for line in file.splitlines()[1:]]
    ending = next(event for event in raws[-1]["events"] if event["type"] == "game_ended")
    ending["winners"] = [0, 1, 2]
    return b"\n".join(json.dumps(raw).encode() for raw in reseal(raws))


def test_the_result_of_a_forged_file_is_the_problem(memory: Redis, api: ApiClient) -> None:
    file = forge_end(long_file(LARGE))
    result = await_result(api, bring(api, file))
    assert (result["status"], result["code"], result["commit"]) == (422, "bad_file", file.count(b"\n") + 1)
    assert memory.keys("croupier:{*}:game:*") == []


def repeat_too_often(lines: list[bytes]) -> bytes:
    """Votes over and over, which W14 forbids; no hash of it is right."""
    vote = {"type": "void", "seat": 0, "agrees": True}
    raws = [{**json.loads(lines[2]), "command": vote, "version": n, "events": []} for n in range(2, 3000)]
    return b"\n".join([lines[1], *(json.dumps(raw).encode() for raw in raws)])


@pytest.mark.parametrize(
    ("junk", "told"),
    [
        (b"{}\n" * 2_000_000, "lines"),
        (b"[" + b"{}," * 2_000_000 + b"{}]", "more objects than a game"),
        (b"[" + b"1," * 2_000_000 + b"1]", "must have at most"),
        (b"x" * 8_000_000, "must have at most"),
        ((b'{"a":"' + b"a" * LONGEST_LINE + b'"}\n') * 100, "must have at most"),
        (
            (b'{"a":[' + b"{}," * 5_000 + b'{}],"b":"' + b"b" * 40_000 + b'"}\n') * 100,
            "objects.",
        ),
        ((b'{"a":"' + b"a" * 60_000 + b'"}\n') * 100, "cannot be read"),
        (repeat_too_often(finished_file().splitlines()), "changed its mind 20 times"),
    ],
    ids=range(8),
)
def test_what_is_cheap_to_judge_is_refused_at_once_and_not_stored(
    memory: Redis, api: ApiClient, junk: bytes, told: str
) -> None:
    reply = bring(api, junk)
    assert (reply.status_code, reply.get_json()["code"]) == (422, "bad_file")
    assert told in reply.get_json()["detail"]
    assert memory.keys() == []


@pytest.mark.long
def test_a_large_file_can_be_brought_again_with_its_key(api: ApiClient) -> None:
    file = long_file(LARGE)
    first = bring(api, file, Idempotency_Key=KEY)
    result = await_result(api, first)
    again = bring(api, file, Idempotency_Key=KEY)
    assert again.headers["Location"] == first.headers["Location"]
    assert await_result(api, again) == result
    other = bring(api, long_file(LARGE + 1), Idempotency_Key=KEY)
    assert (other.status_code, other.get_json()["code"]) == (422, "key_reused")
    weak = bring(api, file, Idempotency_Key="k")
    assert (weak.status_code, weak.get_json()["code"]) == (400, "weak_key")


class IdleImports(ImportTasks):
    """Of a process that takes files and never gets to them."""

    def start(self, task: Task) -> None:
        """Do nothing."""


def order_idly(memory: Redis, file: bytes, creator: str = "c") -> Task:
    backend = build_backend(memory)
    imports = IdleImports(
        memory,
        backend.tasks,
        backend.files.imports,
        stored_results=StoredResults(memory),
        games=backend.games,
        lobby=backend.lobby,
        namesakes=backend.namesakes,
    )
    return imports.submit(file, identify_request("import", None, sha256(file).hexdigest()), creator)


@pytest.mark.parametrize("begun", [b"", b"a run"])
def test_a_task_whose_process_has_ended_is_carried_out_by_another(
    memory: Redis, api: ApiClient, begun: bytes
) -> None:
    task = order_idly(memory, long_file(LARGE))
    address = f"/v1/tasks/{task.id}"
    assert api.get(address).get_json()["done"] == 0
    memory.hset(task_key(task.id), mapping={"memory": begun, "touched": time() - SILENCE - 1})
    wait_until(lambda: api.get(address).get_json()["done"] == 1, "the end of the import")
    assert build_backend(memory).store.list_games() == [long_log(LARGE)[0]]


def test_a_task_that_another_process_is_at_is_left_to_it(memory: Redis) -> None:
    task = order_idly(memory, long_file(LARGE))
    build_backend(memory).tasks.record_progress(task.id, 0, 1, b"a run")
    with open_app(memory) as app:
        imports: ImportTasks = app.extensions[SERVICES].import_tasks
        imports.start(task)
        wait_until(lambda: imports.is_idle, "the end of the thread")
    assert build_backend(memory).store.list_games() == []


def test_a_cancelled_import_leaves_nothing(memory: Redis, api: ApiClient) -> None:
    task = order_idly(memory, long_file(LARGE))
    assert api.send("DELETE", f"/v1/tasks/{task.id}").status_code == 204
    assert api.get(f"/v1/tasks/{task.id}").status_code == 404
    assert memory.keys("croupier:{tasks}:t_*") == []


def test_a_caller_has_few_large_files_waiting_and_all_callers_not_many(memory: Redis, api: ApiClient) -> None:
    files = iter(long_file(LARGE) + b"\n" * number for number in range(100))
    for _ in range(MOST_OF_CALLER):
        order_idly(memory, next(files))
    with pytest.raises(TooManyImports):
        order_idly(memory, next(files))
    for number in range(MOST_IN_ALL - MOST_OF_CALLER):
        order_idly(memory, next(files), f"c{number}")
    refused = bring(api, next(files))
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_requests")
    assert int(refused.headers["Retry-After"]) > 0
    assert bring(api, finished_file()).status_code == 201


def test_the_same_file_again_is_no_second_task(memory: Redis) -> None:
    tasks = {order_idly(memory, long_file(LARGE)).id for _ in range(MOST_OF_CALLER + 1)}
    assert len(tasks) == 1
