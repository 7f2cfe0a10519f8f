"""The same people again."""

from __future__ import annotations

from service.api.access import SEATS
from service.api.calls import Call
from service.api.headers import IDEMPOTENCY_KEY
from service.api.operation import operation
from service.api.problems import REMATCH_REFUSALS
from service.api.rate_limits import CREATING
from service.api.replies import Reply
from service.api.resources.games import GameReply, game_reply
from service.api.rows import list_at_once
from service.api.seat_schemas import NothingToSay
from service.play import due
from service.play.branches import Holder


@operation(
    "POST /v1/games/{game}/rematch",
    "Play again with the same seats, the start moved on; each calls it for their own token of the new game",
    GameReply,
    access=SEATS,
    status=201,
    body=NothingToSay,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    kind=CREATING,
    refusals=(*REMATCH_REFUSALS, "unknown_seat", "unknown_rules", "too_many_games"),
)
def make_rematch(call: Call[Holder]) -> Reply:
    services = call.services
    creator = services.creators.identify(call.network)
    rematches = services.games.rematches
    services.game_quota.check(creator, lambda: rematches.is_made(call.game))
    erased = services.players.find_erased(_players_of(call))
    seated = rematches.rematch(call.game, call.caller.seat, creator, call.branch, call.key, erased)
    if seated.made:
        services.game_quota.note(creator, seated.game)
        list_at_once(services, seated.game)
    if due.bots_due(seated.state) and seated.made:
        services.nudges.put_in_lane(seated.game)
    reply = game_reply(seated, services.names)
    return Reply(reply, seated.version, f"/v1/games/{seated.game}", seated.replayed)


def _players_of(call: Call[Holder]) -> list[str]:
    state = call.services.games.snapshot(call.game, branch=call.branch).state
    return [seat.player for seat in state.seats if seat.player]
