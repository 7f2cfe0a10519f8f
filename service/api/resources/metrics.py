"""Figures for Prometheus."""

from __future__ import annotations

from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from events.store import Unavailable
from service import metrics
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.rate_limits import UNLIMITED
from service.api.replies import Reply
from service.api.services import Services
from service.backlog import Lag


@operation(
    "GET /metrics",
    "Figures of all processes, for Prometheus",
    {"text/plain": str},
    access=ANYBODY,
    query=None,
    uncached=True,
    kind=UNLIMITED,
)
def show_metrics(call: Call[None]) -> Reply:
    return Reply(metrics.render_metrics(_measure(call.services)), media=metrics.CONTENT_TYPE)


def _measure(services: Services) -> list[Metric]:
    """Empty where Redis cannot be asked, which is itself one of the figures."""
    available = GaugeMetricFamily("croupier_log_available", "Whether a choice would be kept now")
    behind = GaugeMetricFamily(
        "croupier_behind_seconds", "How far each process is behind, or silent", labels=["process"]
    )
    try:
        available.add_metric([], services.inspect().cause is None)
        for process, seconds in _worst(services.lags()).items():
            behind.add_metric([process], seconds)
    except Unavailable:
        available.add_metric([], 0)
    return [available, behind]


def _worst(lags: list[Lag]) -> dict[str, float]:
    """One figure a process: it may be both behind and silent."""
    worst: dict[str, float] = {}
    for lag in lags:
        worst[lag.process] = max(lag.seconds, worst.get(lag.process, 0.0))
    return worst
