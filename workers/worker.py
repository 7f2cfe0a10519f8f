"""Runs jobs from RQ: the worker process."""

from __future__ import annotations

import ctypes
import logging
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer

from events.redis import connect, name_cause
from events.store import Unavailable
from service import logs
from service.container import read_durability, read_queue_url
from service.incidents import OutageLog, resolve_cause
from service.queue.jobs import SafeJob
from service.queue.scheduler import QUEUE
from service.run_folder import beat
from workers import jobs, process

# Seconds after which RQ forgets a worker that sends no heartbeat.
WORKER_SECONDS = 20
# Seconds between two heartbeats of an idle worker; a process silent for three seconds is reported as behind.
IDLE_SECONDS = 1
# Two of these fit into the time after which a silent process is taken to hang.
REPLY_SECONDS = 8
PAUSE = 1.0
NICENESS = 5
# Where Linux tells and takes the niceness of the session of this process.
AUTOGROUP = Path("/proc/self/autogroup")
# For so many nanoseconds Linux lets a process compute in one go; no slice is longer.
SLICE = 100_000_000
# The number of the system call sched_setattr, by machine: Python has no function for it.
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
# Its argument: size, policy, flags, niceness, priority, runtime, deadline, period.
SCHED_ATTR = struct.Struct("=IIQiIQQQ")
AWAY = (RedisError, Unavailable)

log = logs.logger(process="worker")
outages = OutageLog(log)


class BotWorker(SimpleWorker):
    """Runs jobs in one process without forks, because a job takes milliseconds."""

    log_result_lifespan = False
    max_connection_wait_time = 2.0
    working = False
    stopped = Event()

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Tell the supervisor and Redis that the worker lives.

        Raises StopRequested if Redis is away and a stop was requested: RQ would try to reach Redis for ever
        and never look at the request.
        """
        beat()
        try:
            super().heartbeat(timeout, pipeline)
        except RedisError:
            if self._stop_requested and not self.working:
                raise StopRequested from None
            raise
        outages.record_recovery()

    @property
    def dequeue_timeout(self) -> int:
        """Return for how many seconds RQ waits for a job."""
        return IDLE_SECONDS

    @property
    def connection_timeout(self) -> int:
        """Return for how many seconds RQ waits for a reply of Redis."""
        return REPLY_SECONDS

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Wait for a job. Raises StopRequested once a stop is wanted, at the latest after IDLE_SECONDS.

        RQ itself waits for ever and never looks whether a stop was requested.
        """
        while not (self._stop_requested or self.stopped.is_set()):
            found = super().dequeue_job_and_maintain_ttl(timeout, IDLE_SECONDS)
            if found or timeout is None:
                return found
        raise StopRequested

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run the job, and note that a job is running."""
        beat()
        self.working = True
        try:
            super().execute_job(job, queue)
        finally:
            self.working = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """End the work between two jobs, or when the wait for the next one is over.

        Nothing is raised here and Redis hears nothing: a signal may come at any instruction. An exception
        raised just after the connection pool took its lock would leave it locked, and the worker would wait
        for it for ever when it signs off.
        """
        process.stop(self.stopped)
        self._stop_requested = True

    def subscribe(self) -> None:
        """Do nothing: no commands are sent to our workers.

        RQ's thread that listens for them would not survive the loss of its connection.
        """

    def teardown(self) -> None:
        """Sign off from Redis. If Redis is away, the entry of this worker expires by itself."""
        with suppress(RedisError):
            super().teardown()  # type: ignore[no-untyped-call]

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log a fault of Redis as a warning, and leave every other fault to RQ."""
        if isinstance(exc_info[1], AWAY):
            log.warning("redis_away", job=job.id, fault=str(exc_info[1]))
        else:
            super().handle_exception(job, *exc_info)


def make_worker(client: Redis) -> BotWorker:
    """Return a worker on this connection."""
    return BotWorker(
        (QUEUE,),
        connection=client,
        job_class=SafeJob,
        serializer=JSONSerializer,
        worker_ttl=WORKER_SECONDS,
        maintenance_interval=WORKER_SECONDS,
        log_job_description=False,
    )


def shorten_redis_faults(record: logging.LogRecord) -> bool:
    """Replace the traceback of a Redis fault by one line; return True, so that the record is logged."""
    if record.exc_info and isinstance(record.exc_info[1], RedisError):
        record.msg = "redis_away: %s"
        record.args = (record.exc_info[1],)
        record.exc_info = None
    return True


def yield_to_requests() -> None:
    """Lower the priority of this process, so that requests come before thinking bots on a busy machine.

    A kernel with autogroups, as most of Linux have, shares the processor among sessions. Each process of the
    service begins one, and its niceness counts within it alone: that of the session is set, too.
    """
    os.nice(NICENESS)
    with suppress(OSError):
        AUTOGROUP.write_text(str(NICENESS))
    take_long_slices()


def take_long_slices() -> None:
    """Ask Linux for slices of the processor that are longer than those of other processes.

    From Linux 6.12 on, a process that wakes up with a shorter slice takes the core at once; otherwise it may
    wait until the slice of the running one is over, whatever the niceness. Where this is refused or unknown,
    or the operator chose another scheduling class, nothing changes. Child processes inherit it.
    """
    number = SCHED_SETATTR.get(os.uname().machine)
    if sys.platform == "linux" and number is not None and os.sched_getscheduler(0) == os.SCHED_OTHER:
        niceness = os.getpriority(os.PRIO_PROCESS, 0)
        attributes = SCHED_ATTR.pack(SCHED_ATTR.size, os.SCHED_OTHER, 0, niceness, 0, SLICE, 0, 0)
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)


def work(url: str, stopped: Event) -> None:
    """Run a worker until `stopped` is set.

    RQ leaves its loop when Redis goes away in the middle of a job; then a new worker is made.
    """
    logging.getLogger("rq.worker").addFilter(shorten_redis_faults)
    # The bots' process is started now, so that the first job does not wait for it.
    jobs.process.start()
    with connect(read_queue_url() or url, replicas=read_durability()) as client, suppress(StopRequested):
        while not stopped.is_set():
            try:
                worker = make_worker(client)
                worker.stopped = stopped
                worker.work(logging_level="WARNING")
            except RedisError as fault:
                outages.record_outage(resolve_cause(name_cause(fault) or "unreachable"), str(fault))
            beat()
            stopped.wait(PAUSE)


if __name__ == "__main__":
    yield_to_requests()
    sys.exit(process.run(work))
