"""What proves that the dice were fair."""

from __future__ import annotations

from msgspec import Struct

from events.values import GameId
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.operation import operation
from service.api.rate_limits import REVIEWING
from service.api.replies import Reply
from service.fairness.verify import Verdict
from service.play.branches import Holder
from service.players.players import Player


class AuditReply(Struct, frozen=True):
    """Seed and verification are null until the game is over."""

    id: GameId
    version: int
    head: str
    commitment: str
    seed: str | None
    verified: Verdict | None


@operation(
    "GET /v1/games/{game}/audit",
    "What proves the dice; after the end with the seed and a full verification",
    AuditReply,
    access=SPECTATORS,
    kind=REVIEWING,
)
def show_audit(call: Call[Holder | Player | None]) -> Reply:
    audit = call.services.games.audit(call.game, call.branch)
    body = AuditReply(call.game, audit.version, audit.head, audit.commitment, audit.seed, audit.verified)
    return Reply(body, call.tag(audit.version, audit.head))
