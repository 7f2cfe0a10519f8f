"""Verifies large files in the background of an API process, one at a time: `ImportTasks`.

A file waits in Redis beside its task. The process that took it verifies it in a thread, which rests twice as
long as it works. A request that finds the task untouched for long, because that process has ended or is busy,
starts it in its own process.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from secrets import token_bytes
from threading import Lock, Thread
from time import monotonic, time
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from redis import Redis

from events.follower import Fenced
from events.redis import translate_redis_errors
from events.store import KeyReused, Unavailable
from events.text import store_text
from service import logs
from service.analysis.tasks import SHORT, SILENCE, Task, Tasks, shared_id, task_key
from service.games.games import Games
from service.games.heavy_work import IMPORT_REST, Stretch
from service.games.idempotency import KEY_REUSED, KeyedRequest, StoredResults
from service.games.snapshots import UnknownGame
from service.history.imports import BadFile, ImportReply, Imports, Namesakes
from service.lobby.lobby import Lobby

KIND = "import"
# How many large files of one caller, and of all, may wait or be verified.
MOST_OF_CALLER = 2
MOST_IN_ALL = 8
NEW = "new"
KNOWN = "known"
REPEAT_SECONDS = 24 * 3600
# How often a running import shows that it is alive.
BEAT_SECONDS = 2.0
_WAITING = "croupier:{tasks}:imports"
_CHUNK = 64 * 1024
# Members are `creator|task`, scores the time when the task expires.
_ADMIT = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
local waiting = redis.call('ZRANGE', KEYS[1], 0, -1)
local own = 0
for _, one in ipairs(waiting) do
  if one == ARGV[3] then
    redis.call('SETEX', KEYS[2], ARGV[6], ARGV[7])
    return 0
  end
  if string.sub(one, 1, #ARGV[4]) == ARGV[4] then own = own + 1 end
end
if own >= tonumber(ARGV[5]) then return 1 end
if #waiting >= tonumber(ARGV[8]) then return 2 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
redis.call('SETEX', KEYS[2], ARGV[6], ARGV[7])
return 0
"""
log = logs.logger()


class TooManyImports(Exception):
    """Says that a caller, or all callers together, have as many large files waiting as they may."""


class Cancelled(Exception):
    """Says that a task was cancelled while it ran."""


class ImportOrder(Struct, frozen=True):
    """Identifies the request that sent the file; `keyed` says whether it had an idempotency key."""

    stored_key: str
    fingerprint: str
    keyed: bool


class ImportOutcome(Struct, frozen=True):
    """Holds what came of an import: a reply, or the code of a problem with its detail and commit."""

    reply: ImportReply | None = None
    code: str = ""
    why: str = ""
    commit: int | None = None


class BackgroundStretch(Stretch):
    """A stretch of work in the background: rests longer than it works, and shows that it is alive."""

    def __init__(self, is_wanted: Callable[[], bool]) -> None:
        """Ask `is_wanted`, which records that the work goes on, now and then."""
        super().__init__(rest=IMPORT_REST)
        self._is_wanted = is_wanted
        self._next_beat = monotonic() + BEAT_SECONDS

    def pause(self) -> None:
        """Rest if the work has run for long. Raises Cancelled if it is no longer wanted."""
        super().pause()
        if monotonic() > self._next_beat:
            self._next_beat = monotonic() + BEAT_SECONDS
            if not self._is_wanted():
                raise Cancelled


class ImportTasks:
    """Stores large files and verifies them in the background, one at a time in each process."""

    def __init__(
        self,
        client: Redis,
        tasks: Tasks,
        imports: Imports,
        stored_results: StoredResults,
        games: Games,
        lobby: Lobby,
        namesakes: Namesakes,
        clock: Callable[[], float] = time,
    ) -> None:
        """Keep files in that client's Redis."""
        self._redis: Any = client
        self._admit = client.register_script(_ADMIT)
        self._tasks = tasks
        self._imports = imports
        self._results = stored_results
        self._games = games
        self._lobby = lobby
        self._namesakes = namesakes
        self._clock = clock
        self._queue: deque[Task] = deque()
        self._lock = Lock()
        self._thread: Thread | None = None
        tasks.run_here(KIND, self.start)

    def submit(self, file: bytes, request: KeyedRequest, creator: str) -> Task:
        """Store a file and start its import; the same request again finds the same task.

        Raises TooManyImports and Unavailable.
        """
        keyed = request.key is not None
        name = shared_id(KIND, creator, request.stored_key if keyed else "", request.fingerprint)
        order = ImportOrder(request.stored_key, request.fingerprint, keyed)
        task = Task(name, KIND, msgspec.json.encode(order), creator, is_own=True)
        found = self._tasks.find(name)
        if found is None or found.fault:
            self._store(task, _compress(file))
        return self._tasks.submit(task)

    def _store(self, task: Task, packed: bytes) -> None:
        """Store the file of a task, as long as the task. Raises TooManyImports."""
        now = self._clock()
        arguments = (now, now + SHORT, _member(task), f"{task.creator}|", MOST_OF_CALLER)
        with translate_redis_errors():
            refused = self._admit((_WAITING, _file_key(task)), (*arguments, SHORT, packed, MOST_IN_ALL))
        if refused:
            raise TooManyImports(MOST_OF_CALLER if refused == 1 else MOST_IN_ALL)

    def start(self, task: Task) -> None:
        """Queue a task in this process, and start the thread that works on the queue."""
        with self._lock:
            if all(waiting.id != task.id for waiting in self._queue):
                self._queue.append(task)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="imports", daemon=True)
                self._thread.start()

    @property
    def is_idle(self) -> bool:
        """Return whether this process has no import to work on."""
        return self._thread is None

    def _work(self) -> None:
        """Carry out all queued tasks, one after the other."""
        while True:
            with self._lock:
                if not self._queue:
                    self._thread = None
                    return
                task = self._queue[0]
            try:
                self._carry_out(task)
            except Unavailable:
                # The task stays as it is, and a request for it starts it again.
                log.warning("import_interrupted", task=task.id)
            except Exception as fault:
                log.error("task_failed", task=task.id, kind=KIND, exc_info=fault)
                with suppress(Unavailable):
                    self._tasks.fail(task.id, "something went wrong on our side")
            with self._lock:
                self._queue.popleft()

    def _carry_out(self, task: Task) -> None:
        """Verify the file of a task, store its game and the result. Raises Unavailable."""
        found = self._tasks.find(task.id)
        if found is None or found.is_finished or self._is_begun_elsewhere(task, found):
            return
        with translate_redis_errors():
            packed = self._redis.get(_file_key(task))
        if packed is None:
            self._tasks.fail(task.id, "its file is no longer stored; send it again")
            return
        run = token_bytes(8)
        stretch = BackgroundStretch(lambda: self._tasks.record_progress(task.id, 0, 1, run))
        self._tasks.record_progress(task.id, 0, 1, run)
        order = msgspec.json.decode(task.order, type=ImportOrder)
        request = KeyedRequest("" if order.keyed else None, order.stored_key, order.fingerprint)
        with suppress(Cancelled):
            outcome = self._import(_decompress(packed, stretch), request, stretch)
            self._tasks.finish(task.id, 1, msgspec.json.encode(outcome, enc_hook=store_text))
        self.forget(task)

    def _is_begun_elsewhere(self, queued: Task, found: Task) -> bool:
        """Return whether another process has begun a task since it was queued here, and is at it.

        The memory of a task is the number of the run that began it.
        """
        is_other_run = found.memory not in (b"", queued.memory)
        return is_other_run and self._clock() - found.touched < SILENCE

    def _import(self, file: bytes, request: KeyedRequest, stretch: Stretch) -> ImportOutcome:
        """Return what comes of an import. Raises Cancelled and Unavailable."""
        try:
            return ImportOutcome(self.take_in(file, request, stretch)[0])
        except BadFile as fault:
            return ImportOutcome(code="bad_file", why=fault.why, commit=fault.commit)
        except KeyReused:
            return ImportOutcome(code="key_reused", why=KEY_REUSED)

    def take_in(self, file: bytes, request: KeyedRequest, stretch: Stretch) -> tuple[ImportReply, bool]:
        """Verify and store a file; return the reply, and whether the request is a repeated one.

        Raises BadFile, KeyReused and Unavailable.
        """
        earlier = self._results.find(request)
        reply = self._imports.take_in(file, stretch)
        # The caller looks for it in the list at once. If that fails, the projector lists it soon.
        with suppress(Fenced, Unavailable, UnknownGame):
            fence = self._lobby.read_fence(reply.id)
            snapshot = self._games.snapshot(reply.id)
            self._namesakes.record(snapshot)
            self._lobby.update(snapshot, fence)
        told = earlier or self._results.store(request, NEW if reply.new else KNOWN, REPEAT_SECONDS)
        return replace(reply, new=told == NEW), earlier is not None

    def forget(self, task: Task) -> None:
        """Delete the file of a task and make room for another. Raises Unavailable."""
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(_file_key(task))
            pipe.zrem(_WAITING, _member(task))
            pipe.execute()


def _file_key(task: Task) -> str:
    """Return the Redis key of a task's file."""
    return f"{task_key(task.id)}:file"


def _member(task: Task) -> str:
    """Return the name of a task in the list of those that wait."""
    return f"{task.creator}|{task.id}"


def _compress(file: bytes) -> bytes:
    """Return a file compressed; lets other requests run meanwhile."""
    stretch = Stretch()
    packer = zlib.compressobj(level=1)
    pieces = []
    for start in range(0, len(file), _CHUNK):
        stretch.pause()
        pieces.append(packer.compress(file[start : start + _CHUNK]))
    return b"".join([*pieces, packer.flush()])


def _decompress(packed: bytes, stretch: Stretch) -> bytes:
    """Return what was compressed; lets other requests run meanwhile."""
    unpacker = zlib.decompressobj()
    pieces = []
    for start in range(0, len(packed), _CHUNK):
        stretch.pause()
        pieces.append(unpacker.decompress(packed[start : start + _CHUNK]))
    return b"".join([*pieces, unpacker.flush()])
