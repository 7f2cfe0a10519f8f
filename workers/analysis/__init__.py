"""Lists the kinds of tasks by name. The module of that name takes the next step of such a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workers.analysis import advice, analysis, decision
from workers.analysis.steps import TaskContext, TaskStep

KINDS: Mapping[str, Callable[[TaskContext, bytes, bytes], TaskStep]] = {
    "advice": advice.step,
    "analysis": analysis.step,
    "decision": decision.step,
}
