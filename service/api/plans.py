"""What is wrong with a planned game, all of it at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.decide import find_plan_faults
from rules.rejection import Rejected
from service.api.problems import Fault, Problem, fault_of, refused
from service.api.schemas import NewGame, loaded

_GAME = NewGame()


def plan(document: object) -> dict[str, Any]:
    """The body of a new game. Raises Problem, with what the rules have against the part that can be read."""
    seats = document.get("seats") if isinstance(document, Mapping) else None
    players = len(seats) if isinstance(seats, list) else None
    return loaded(_GAME, document, lambda readable: _faults(readable, players))


def refused_plan(rejected: Rejected, given: Mapping[str, Any]) -> Problem:
    """The rules stop at the first fault; whoever fills in a form wants to see every one."""
    problem = refused(rejected)
    problem.members["errors"] = _faults(given, len(given["seats"]))
    return problem


def _faults(given: Mapping[str, Any], players: int | None) -> list[Fault]:
    if "edition" not in given or players is None:
        return []
    return [
        fault_of(fault) for fault in find_plan_faults(given["edition"], players, given.get("options", {}))
    ]
