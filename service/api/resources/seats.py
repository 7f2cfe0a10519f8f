"""Sitting down."""

from __future__ import annotations

from flask import Blueprint, Response, request
from msgspec import Struct

from rules.rejection import Reason, Rejected
from rules.state import Status
from service.api.bodies import json_body
from service.api.parts import etag, idempotency_key, parts, query, replayed, reply, viewer
from service.api.problems import Fault, refused
from service.api.schemas import SitDown, loaded

blueprint = Blueprint("seats", __name__, url_prefix="/v1/games/<game>")
SIT = SitDown()


class SatReply(Struct, frozen=True):
    """The token is shown this once."""

    id: str
    version: int
    status: Status
    seat: int
    name: str
    token: str


@blueprint.post("/seats")
def take_seat(game: str) -> Response:
    viewer(game)
    query()
    given = loaded(SIT, json_body(request))
    try:
        seated = parts().games.sit(
            game, given["name"], given["entropy"], idempotency_key(), given.get("seat")
        )
    except Rejected as rejected:
        errors = [Fault(rejected.detail, "/seat")] if rejected.reason is Reason.UNKNOWN_SEAT else []
        raise refused(rejected, errors=errors) from None
    ((seat, token),) = seated.tokens.items()
    name = seated.state.seats[seat].name or ""
    body = SatReply(game, seated.version, seated.state.status, seat, name, token)
    headers = {"Location": f"/v1/games/{game}", **etag(seated.version), **replayed(seated.replayed)}
    return reply(body, 201, headers)
