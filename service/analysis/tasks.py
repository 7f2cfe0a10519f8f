"""Stores tasks for the workers: the work that is queued, its progress and its result.

A task waits in the lane of its creator, as a game does, and is worked on in slices between the games. Kinds
that a process runs itself (`run_here`) never get there. All of it is derived and expires by itself. A request
that finds a task untouched for long queues it again.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from secrets import token_bytes
from time import time
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis import translate_redis_errors
from events.redis_store import BELL
from service.queue.fair_queue import FairQueue

PREFIX = "t_"
TASK_ID = PREFIX + "[A-Za-z0-9_-]{22}"
# How long a task and its result are stored after the last request for it, in seconds.
SHORT = 600
LONG = 7 * 24 * 3600
# A task that no worker has touched for so long is queued again.
SILENCE = 10.0
# How long a failed task is reported as failed; a later request tries it again.
FAULT_SECONDS = 5.0
_KEY = "croupier:{tasks}:"
_ID_BYTES = 16
# Writes only if the task is still there: a cancelled task is deleted and must not come back.
_NOTE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
"""


class Task(Struct, frozen=True):
    """Work for the workers: `done` of `of` steps. `memory` is what one step leaves for the next.

    A task with `is_own` belongs to one caller, who may cancel it: with the token whose hash is `owner`, or,
    if no token was sent, with the id alone.
    """

    id: str
    kind: str
    order: bytes
    creator: str
    is_own: bool = False
    done: int = 0
    of: int = 1
    memory: bytes = b""
    result: bytes = b""
    fault: str = ""
    touched: float = 0.0
    owner: str = ""

    @property
    def is_finished(self) -> bool:
        """Return whether the task has a result or a fault."""
        return bool(self.result or self.fault)


def new_id() -> str:
    """Return a random id."""
    return _spell(token_bytes(_ID_BYTES))


def shared_id(*parts: str) -> str:
    """Return an id that is the same for all requests for the same thing."""
    return _spell(sha256("|".join(parts).encode()).digest()[:_ID_BYTES])


def _spell(raw: bytes) -> str:
    """Return an id that is made of these bytes."""
    return PREFIX + urlsafe_b64encode(raw).rstrip(b"=").decode()


def task_key(task: str) -> str:
    """Return the Redis key of a task."""
    return _KEY + task


class Tasks:
    """Stores tasks and puts them into the queue."""

    def __init__(
        self,
        client: Redis,
        lanes: FairQueue,
        call_worker: Callable[[], None],
        clock: Callable[[], float] = time,
    ) -> None:
        """Use the tasks in that client's Redis; `call_worker` wakes a worker."""
        self._redis: Any = client
        self._lanes = lanes
        self._call_worker = call_worker
        self._clock = clock
        self._note = client.register_script(_NOTE)
        self._own_kinds: dict[str, Callable[[Task], None]] = {}

    def run_here(self, kind: str, start: Callable[[Task], None]) -> None:
        """Call `start` for tasks of this kind instead of queueing them for the workers."""
        self._own_kinds[kind] = start

    def submit(self, task: Task, seconds: int = SHORT) -> Task:
        """Store and queue a task, and return it; if there is one with its id, return that one instead.

        A task that failed a while ago is replaced. The task is stored for so many seconds. Raises
        Unavailable.
        """
        found = self.find(task.id)
        if found is not None and not self._is_stale(found):
            self._extend(task.id, seconds)
            return self.revive(found)
        self._store(task, seconds)
        self.enqueue(task)
        return task

    def _is_stale(self, task: Task) -> bool:
        """Return whether a task failed so long ago that it may be tried again."""
        return bool(task.fault) and self._clock() - task.touched > FAULT_SECONDS

    def _store(self, task: Task, seconds: int) -> None:
        """Store a task in place of any other with its id."""
        key = task_key(task.id)
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(key)
            pipe.hset(key, mapping=_fields(task, self._clock()))
            pipe.expire(key, seconds)
            pipe.execute()

    def _extend(self, task: str, seconds: int) -> None:
        """Store a task for so many seconds from now on."""
        with translate_redis_errors():
            self._redis.expire(task_key(task), seconds)

    def find(self, task: str) -> Task | None:
        """Return the task of that id, or None. Raises Unavailable."""
        with translate_redis_errors():
            found: dict[bytes, bytes] = self._redis.hgetall(task_key(task))
        return _read(task, found) if found else None

    def revive(self, task: Task) -> Task:
        """Queue an unfinished task again if no worker has touched it for long; return the task as it was.

        A worker may have died over it. Raises Unavailable.
        """
        if not task.is_finished and self._clock() - task.touched > SILENCE:
            self._write(task.id, {"touched": self._clock()})
            self.enqueue(task)
        return task

    def enqueue(self, task: Task) -> None:
        """Put a task into its creator's lane and call a worker, or start it here. Raises Unavailable."""
        if start := self._own_kinds.get(task.kind):
            start(task)
            return
        self._lanes.put(task.id, task.creator, is_awaited=False)
        self._call_worker()

    def record_progress(self, task: str, done: int, of: int, memory: bytes) -> bool:
        """Store how far a task has come; return False if it was cancelled. Raises Unavailable."""
        return self._write(task, {"done": done, "of": of, "memory": memory, "touched": self._clock()})

    def finish(self, task: str, of: int, result: bytes) -> bool:
        """Store the result of a task; return False if it was cancelled. Raises Unavailable."""
        return self._write(task, {"done": of, "of": of, "memory": b"", "result": result})

    def fail(self, task: str, fault: str) -> bool:
        """Store why a task failed; return False if it was cancelled. Raises Unavailable."""
        return self._write(task, {"memory": b"", "fault": fault, "touched": self._clock()})

    def cancel(self, task: str) -> bool:
        """Delete a task; return False if there was none. Raises Unavailable."""
        with translate_redis_errors():
            return bool(self._redis.delete(task_key(task)))

    def _write(self, task: str, fields: dict[str, Any]) -> bool:
        """Write fields of a task and notify requests that wait for it; return False if it is gone.

        The notice goes over the channel of commits, which every API process listens to.
        """
        pairs = [part for pair in fields.items() for part in pair]
        with translate_redis_errors():
            return bool(self._note((task_key(task),), (BELL, f"{task}|{fields.get('done', 0)}", *pairs)))


def _fields(task: Task, now: float) -> dict[str, Any]:
    """Return a new task as Redis stores it."""
    made = {"kind": task.kind, "order": task.order, "creator": task.creator, "own": int(task.is_own)}
    return {**made, "owner": task.owner, "done": task.done, "of": task.of, "touched": now}


def _read(task: str, found: dict[bytes, bytes]) -> Task:
    """Return the task that is stored like this."""
    texts = {name.decode(): value for name, value in found.items()}
    return Task(
        id=task,
        kind=texts["kind"].decode(),
        order=texts["order"],
        creator=texts["creator"].decode(),
        is_own=texts["own"] == b"1",
        done=int(texts["done"]),
        of=int(texts["of"]),
        memory=texts.get("memory", b""),
        result=texts.get("result", b""),
        fault=texts.get("fault", b"").decode(),
        touched=float(texts["touched"]),
        owner=texts.get("owner", b"").decode(),
    )
