"""What is wrong with a planned game, all of it at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.rejection import Rejected
from service.api.problems import Fault, Problem, explain_rejection, to_fault
from service.play.seating import find_faults


def find_game_faults(document: object, readable: Mapping[str, Any]) -> list[Fault]:
    """What the rules have against the part of a new game that can be read."""
    seats = document.get("seats") if isinstance(document, Mapping) else None
    return _find_faults(readable, len(seats)) if isinstance(seats, list) and "edition" in readable else []


def explain_plan(rejected: Rejected, plan: Mapping[str, Any]) -> Problem:
    """The rules stop at the first fault; whoever fills in a form wants to see every one."""
    problem = explain_rejection(rejected)
    problem.members["errors"] = _find_faults(plan, len(plan["seats"]))
    return problem


def _find_faults(plan: Mapping[str, Any], players: int) -> list[Fault]:
    return [to_fault(fault) for fault in find_faults(plan["edition"], players, plan.get("options", {}))]
