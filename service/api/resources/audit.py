"""What proves that the dice were fair."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response
from msgspec import Struct

from service.api.parts import etag, parts, query, reply, unchanged, viewer

blueprint = Blueprint("audit", __name__, url_prefix="/v1/games/<game>")


class AuditReply(Struct, frozen=True):
    """Seed and verification are null until the game is over."""

    id: str
    version: int
    head: str
    commitment: str
    seed: str | None
    verified: dict[str, Any] | None


@blueprint.get("/audit")
def show_audit(game: str) -> Response:
    viewer(game)
    query()
    audit = parts().games.audit(game)
    body = AuditReply(game, audit.version, audit.head, audit.commitment, audit.seed, audit.verified)
    return unchanged(audit.version) or reply(body, headers=etag(audit.version))
