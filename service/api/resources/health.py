"""Whether the process lives, and whether it can keep a game."""

from __future__ import annotations

from msgspec import Struct

from events.redis_inspection import RedisFound
from events.store import Unavailable
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.problems import Fault, Problem
from service.api.replies import Reply


class Health(Struct, frozen=True):
    status: str


class Readiness(Struct, frozen=True):
    """What was found of the server that keeps the games; a warning can be lived with."""

    status: str
    redis: RedisFound
    warnings: list[str]


@operation("GET /livez", "Whether the process lives", Health, access=ANYBODY, query=None, uncached=True)
def livez(call: Call[None]) -> Reply:
    return Reply(Health("alive"))


@operation(
    "GET /readyz",
    "Whether games can be kept, and by what Redis",
    Readiness,
    access=ANYBODY,
    query=None,
    refusals=("not_ready",),
    uncached=True,
)
def readyz(call: Call[None]) -> Reply:
    try:
        inspection = call.services.inspect()
    except Unavailable:
        raise _not_ready(["the log cannot be reached"]) from None
    if faults := inspection.unfit + inspection.troubles:
        raise _not_ready(faults)
    return Reply(Readiness("ready", inspection.found, inspection.warnings))


def _not_ready(faults: list[str]) -> Problem:
    return Problem("not_ready", "games could not be kept safely now", errors=[Fault(f) for f in faults])
