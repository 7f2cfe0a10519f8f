"""Whether the process lives, and whether it can keep a game."""

from __future__ import annotations

from flask import Blueprint, Response
from msgspec import Struct

from events.redis_inspection import RedisFound
from events.store import Unavailable
from service.api.parts import parts, reply
from service.api.problems import Fault, Problem

blueprint = Blueprint("health", __name__)


class Health(Struct, frozen=True):
    status: str


class Readiness(Struct, frozen=True):
    """What was found of the server that keeps the games; a warning can be lived with."""

    status: str
    redis: RedisFound
    warnings: list[str]


@blueprint.get("/livez")
def livez() -> Response:
    return reply(Health("alive"))


@blueprint.get("/readyz")
def readyz() -> Response:
    try:
        inspection = parts().inspect()
    except Unavailable:
        raise _not_ready(["the log cannot be reached"]) from None
    if faults := inspection.unfit + inspection.troubles:
        raise _not_ready(faults)
    return reply(Readiness("ready", inspection.found, inspection.warnings))


def _not_ready(faults: list[str]) -> Problem:
    return Problem("not_ready", "games could not be kept safely now", errors=[Fault(f) for f in faults])
