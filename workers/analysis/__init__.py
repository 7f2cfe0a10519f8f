"""Every kind of task, by its name: the module that is called like it takes the next step of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workers.analysis import advice, analysis, decision
from workers.analysis.steps import TaskContext, TaskStep

KINDS: Mapping[str, Callable[[TaskContext, bytes, bytes], TaskStep]] = {
    "advice": advice.step,
    "analysis": analysis.step,
    "decision": decision.step,
}
