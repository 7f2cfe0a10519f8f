"""Whether the process lives, and whether it can keep a game."""

from __future__ import annotations

from msgspec import Struct

from events.outages import CAUSES
from events.redis_inspection import RedisFound
from events.store import Unavailable
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.problems import Fault, Problem
from service.api.rate_limits import UNLIMITED
from service.api.replies import Reply
from service.backlog import Lag, select_behind
from service.outages import settle_cause


class Health(Struct, frozen=True):
    status: str


class Readiness(Struct, frozen=True):
    """What was found of the server that keeps the games; a warning can be lived with.

    `status` is `ready`, or `degraded` where games are kept and something that they need is `behind`.
    """

    status: str
    redis: RedisFound
    warnings: list[str]
    behind: list[Lag]


@operation(
    "GET /livez",
    "Whether the process lives",
    Health,
    access=ANYBODY,
    query=None,
    uncached=True,
    kind=UNLIMITED,
)
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
    kind=UNLIMITED,
)
def readyz(call: Call[None]) -> Reply:
    try:
        inspection = call.services.inspect()
    except Unavailable as fault:
        raise _not_ready(fault.cause, [str(fault)]) from None
    if inspection.cause:
        raise _not_ready(inspection.cause, inspection.unfit + inspection.troubles)
    behind = select_behind(call.services.lags())
    status = "degraded" if behind else "ready"
    return Reply(Readiness(status, inspection.found, inspection.warnings, behind))


def _not_ready(cause: str, faults: list[str]) -> Problem:
    cause = settle_cause(cause)
    return Problem("not_ready", CAUSES[cause], cause=cause, errors=[Fault(fault) for fault in faults])
