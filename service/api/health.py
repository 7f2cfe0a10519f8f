"""Whether the process lives, and whether it can keep a game."""

from __future__ import annotations

from flask import Blueprint, Response
from msgspec import Struct

from events.store import Unavailable
from service.api.parts import parts, reply
from service.problems import Fault, Problem

blueprint = Blueprint("health", __name__)


class Health(Struct, frozen=True):
    status: str


@blueprint.get("/livez")
def livez() -> Response:
    return reply(Health("alive"))


@blueprint.get("/readyz")
def readyz() -> Response:
    try:
        faults = parts().faults()
    except Unavailable:
        faults = ["the log cannot be reached"]
    if faults:
        raise Problem("not_ready", "games could not be kept safely now", errors=[Fault(f) for f in faults])
    return reply(Health("ready"))
