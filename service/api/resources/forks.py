"""What if: a game that is over, played on from one of its tables."""

from __future__ import annotations

from rules.rejection import Rejected
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.headers import LONG_KEY
from service.api.operation import operation
from service.api.problems import FORK_REFUSALS, explain_rejection
from service.api.rate_limits import CREATING
from service.api.replies import Reply
from service.api.resources.games import GameReply, game_reply, plan_seat
from service.api.rows import list_at_once
from service.api.schemas import NewFork
from service.play.branches import Holder
from service.play.seating import Seating
from service.players.players import Player


@operation(
    "POST /v1/games/{game}/forks",
    "Play a game that is over on from one of its tables: a new game with seats, tokens and dice of its own",
    GameReply,
    access=SPECTATORS,
    status=201,
    body=NewFork,
    headers=(LONG_KEY,),
    refusals=(*FORK_REFUSALS, "unknown_version", "unknown_rules", "too_many_games"),
    kind=CREATING,
)
def fork_game(call: Call[Holder | Player | None]) -> Reply:
    creator, forks = call.services.creators.identify(call.network), call.services.games.archive.forks
    quota = call.services.game_quota
    quota.check(creator, lambda: forks.has_forked(call.key, call.sender))
    seated = _fork(call, creator)
    if not seated.replayed:
        quota.note(creator, seated.game)
        list_at_once(call.services, seated.game)
    reply = game_reply(seated, call.services.names)
    return Reply(reply, seated.version, f"/v1/games/{seated.game}", seated.replayed)


def _fork(call: Call[Holder | Player | None], creator: str) -> Seating:
    """Raises Problem."""
    seats = [plan_seat(seat, call.player) for seat in call.body["seats"]]
    try:
        return call.services.games.archive.forks.fork(
            call.game, call.body["at"], seats, call.key, creator, call.sender
        )
    except Rejected as rejected:
        raise explain_rejection(rejected) from None
