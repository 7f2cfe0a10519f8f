"""Counts and times for Prometheus. Each function takes a few microseconds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from time import monotonic, perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from events.store import Conflict, KeyReused, Repeated, Unavailable
from service.run_folder import FOLDER, process_name

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_OUTCOMES: dict[type[BaseException], str] = {
    Conflict: "conflict",
    KeyReused: "key_reused",
    Repeated: "repeated",
    Unavailable: "unavailable",
}
_QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LONG = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

if FOLDER in os.environ:
    # Named by process name, not by id: a restarted process continues in its file, and files stay few.
    values.ValueClass = values.MultiProcessValue(process_name)  # type: ignore[no-untyped-call]

_registry = CollectorRegistry()
_appends = Histogram(
    "croupier_append_seconds",
    "Appends to the log, by outcome",
    ["outcome"],
    buckets=_QUICK,
    registry=_registry,
)
_requests = Counter("croupier_requests", "Requests, by class of status", ["status"], registry=_registry)
_queue_waits = Histogram(
    "croupier_queue_wait_seconds",
    "How long games wait for a worker",
    buckets=_LONG,
    registry=_registry,
)
_lateness = Histogram(
    "croupier_answer_lateness_seconds",
    "From a deadline to the answer for an absent player",
    buckets=_LONG,
    registry=_registry,
)
_limit_hits = Counter(
    "croupier_limit_hits", "Requests refused by a limit, by its name", ["limit"], registry=_registry
)
_chain_failures = Counter(
    "croupier_chain_failures", "Games whose chain did not hold as they were read", registry=_registry
)
_poison_games = Counter(
    "croupier_poison_games", "Games that a process could not continue", ["process"], registry=_registry
)
_streams = Gauge("croupier_streams", "Open streams", multiprocess_mode="livesum", registry=_registry)
_streams.set(0)


# Every choice uses both, and looking a label up takes as long as counting.
@cache
def _appends_with(outcome: str) -> Histogram:
    return _appends.labels(outcome)


@cache
def _requests_with(kind: int) -> Counter:
    return _requests.labels(f"{kind}xx")


@contextmanager
def time_append() -> Iterator[None]:
    """Time one append; the exception that it raises is its outcome."""
    started = perf_counter()
    outcome = "ok"
    try:
        yield
    except Exception as fault:
        outcome = _OUTCOMES.get(type(fault), "fault")
        raise
    finally:
        _appends_with(outcome).observe(perf_counter() - started)


def count_request(status: int) -> None:
    """Count a request by the class of its status."""
    _requests_with(status // 100).inc()


def observe_queue_wait(seconds: float) -> None:
    """Record how long a game waited in the queue."""
    _queue_waits.observe(seconds)


def observe_lateness(seconds: float) -> None:
    """Record how late a deadline was acted on."""
    _lateness.observe(seconds)


def count_limit_hit(limit: str) -> None:
    """Count a refused request; `limit` is the name of the limit, never an address or a token."""
    _limit_hits.labels(limit).inc()


def count_chain_failure() -> None:
    """Count a log whose hash chain is broken."""
    _chain_failures.inc()


def count_poison_game(process: str) -> None:
    """Count a game that a process cannot continue."""
    _poison_games.labels(process).inc()


def stream_opened() -> None:
    """Count a stream that was opened."""
    _streams.inc()


def stream_closed() -> None:
    """Count a stream that was closed."""
    _streams.dec()


def render_metrics(measured_now: Iterable[Metric] = ()) -> bytes:
    """Return the metrics of all processes that share a folder, or of this one, and `measured_now`."""
    counted = merge_processes(int(monotonic())) if FOLDER in os.environ else generate_latest(_registry)
    measured = CollectorRegistry()
    measured.register(_Measured(measured_now))
    return counted + generate_latest(measured)


@lru_cache(maxsize=1)
def merge_processes(second: int) -> bytes:
    """Read the files of all processes; `second` is the current one, so that this happens once a second."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


class _Measured(Collector):
    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = list(metrics)

    def collect(self) -> Iterable[Metric]:
        return self._metrics
