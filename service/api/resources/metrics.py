"""Figures for Prometheus."""

from __future__ import annotations

from service import metrics
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.replies import Reply


@operation(
    "GET /metrics",
    "Figures of all processes, for Prometheus",
    {"text/plain": str},
    access=ANYBODY,
    query=None,
    uncached=True,
)
def show_metrics(call: Call[None]) -> Reply:
    return Reply(metrics.render_metrics(), media=metrics.CONTENT_TYPE)
