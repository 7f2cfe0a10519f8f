"""Tasks for the workers: each has a place in a lane, can be called off, and outlives who worked on it."""

from __future__ import annotations

import redis

from service.analysis.tasks import FAULT_SECONDS, SILENCE, Task, Tasks, new_id, shared_id
from service.container import build_backend
from tests.support.api_client import ApiClient
from workers.jobs import play_shift


def make(kind: str = "decision", is_own: bool = False) -> Task:
    return Task(new_id(), kind, b"{}", "somebody", is_own)


def test_a_task_is_shown_as_far_as_it_has_come(api: ApiClient, memory: redis.Redis) -> None:
    tasks = build_backend(memory).tasks
    task = tasks.submit(make())
    assert api.call("GET", f"/v1/tasks/{task.id}") == {"id": task.id, "kind": "decision", "done": 0, "of": 1}
    assert tasks.record_progress(task.id, 3, 12, b"so far")
    assert api.call("GET", f"/v1/tasks/{task.id}") == {"id": task.id, "kind": "decision", "done": 3, "of": 12}
    found = tasks.find(task.id)
    assert found is not None
    assert found.memory == b"so far"


def test_one_calls_off_what_one_has_ordered_for_oneself(api: ApiClient, memory: redis.Redis) -> None:
    """Others may wait for what is the same for all."""
    tasks = build_backend(memory).tasks
    own, shared = tasks.submit(make(is_own=True)), tasks.submit(make())
    assert api.send("DELETE", f"/v1/tasks/{own.id}").status_code == 204
    assert api.send("DELETE", f"/v1/tasks/{shared.id}").status_code == 404
    assert api.get(f"/v1/tasks/{own.id}").get_json()["code"] == "unknown_task"
    assert api.get(f"/v1/tasks/{shared.id}").status_code == 200


def test_what_was_called_off_does_not_come_back(memory: redis.Redis) -> None:
    tasks = build_backend(memory).tasks
    task = tasks.submit(make())
    assert tasks.cancel(task.id)
    assert not tasks.record_progress(task.id, 1, 2, b"")
    assert not tasks.finish(task.id, 2, b"result")
    assert tasks.find(task.id) is None
    assert not tasks.cancel(task.id)


def test_everybody_who_asks_for_the_same_gets_the_same_task(memory: redis.Redis) -> None:
    tasks = build_backend(memory).tasks
    same = Task(shared_id("decision", "g_1"), "decision", b"{}", "somebody")
    tasks.submit(same)
    tasks.finish(same.id, 1, b"result")
    assert tasks.submit(same).result == b"result"


def test_a_task_over_which_a_worker_died_is_taken_up_again(memory: redis.Redis) -> None:
    backend, now = build_backend(memory), [1_000.0]
    tasks = Tasks(memory, backend.queue, backend.scheduler.call_worker, lambda: now[0])
    task = tasks.submit(make())
    assert backend.queue.take() is not None
    now[0] += SILENCE / 2
    tasks.submit(task)
    assert backend.queue.take() is None
    now[0] += SILENCE
    tasks.submit(task)
    turn = backend.queue.take()
    assert turn is not None
    assert (turn.game, turn.creator) == (task.id, "somebody")


def test_a_task_that_cannot_be_done_is_told_so_and_others_go_on(api: ApiClient, memory: redis.Redis) -> None:
    backend = build_backend(memory)
    broken, unknown = backend.tasks.submit(make()), backend.tasks.submit(make("knitting"))
    assert play_shift(backend) == 2
    for task in (broken, unknown):
        reply = api.get(f"/v1/tasks/{task.id}")
        assert (reply.status_code, reply.get_json()["code"]) == (503, "task_failed")
    assert play_shift(backend) == 0


def test_what_failed_is_told_for_a_while_and_then_tried_anew(memory: redis.Redis) -> None:
    backend, now = build_backend(memory), [1_000.0]
    tasks = Tasks(memory, backend.queue, backend.scheduler.call_worker, lambda: now[0])
    task = tasks.submit(make())
    assert backend.queue.take() is not None
    tasks.fail(task.id, "was killed")
    now[0] += FAULT_SECONDS / 2
    assert tasks.submit(task).fault == "was killed"
    assert backend.queue.take() is None
    now[0] += FAULT_SECONDS
    assert not tasks.submit(task).is_finished
    found = tasks.find(task.id)
    assert found is not None
    assert found.fault == ""
    assert backend.queue.take() is not None


def test_whoever_repeats_an_order_that_failed_is_told_so(api: ApiClient, memory: redis.Redis) -> None:
    game = api.create_for(2)
    seat, _ = game.ask()
    wanted, token = {"game": game.id, "budget": 6_000}, game.tokens[seat]
    task = api.post("/v1/advice", wanted, token).get_json()["id"]
    build_backend(memory).tasks.fail(task, "was killed")
    reply = api.post("/v1/advice", wanted, token)
    assert (reply.status_code, reply.get_json()["code"]) == (503, "task_failed")
    assert "was killed" in reply.get_json()["detail"]


def test_a_result_is_kept_on_while_somebody_asks_for_it(memory: redis.Redis) -> None:
    tasks = build_backend(memory).tasks
    task = tasks.submit(make(), 100)
    tasks.finish(task.id, 1, b"result")
    assert tasks.submit(task, 900).result == b"result"
    (key,) = memory.keys(f"*{task.id}")
    assert memory.ttl(key) > 800
