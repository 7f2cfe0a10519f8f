"""Moving back and forth in a game: where what happened, and what a seat could know then."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from events.values import MOST_SEATS, GameId
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.fields import NumberText
from service.api.inputs import bad_query
from service.api.naming import name_for
from service.api.operation import operation
from service.api.problems import Fault, Problem
from service.api.rate_limits import REVIEWING
from service.api.replies import Reply
from service.api.strict import Strict
from service.play.branches import Holder
from service.play.looking_back import look_at
from service.play.table_types import TableShown
from service.play.tables import render_snapshot
from service.play.timelines import AskMark, CommitMark, PayoutMark, RoundMark, TurnMark, mark_commits
from service.players.players import Player

Viewer = Holder | Player | None


class TimelineReply(Struct, frozen=True):
    """Versions for a scrubber: `commits` are all of them, the others mark what happened where."""

    id: GameId
    version: int
    rounds: tuple[RoundMark, ...]
    turns: tuple[TurnMark, ...]
    asks: tuple[AskMark, ...]
    payouts: tuple[PayoutMark, ...]
    commits: tuple[CommitMark, ...]
    ended: Annotated[int | None, Meta(description="The version it ended with; null while it goes on.")]


class KnowledgeQuery(Strict):
    seat = NumberText(0, MOST_SEATS - 1, metadata={"description": "Whose; the caller's own unless said."})
    at = NumberText(1, metadata={"description": "At which version; the newest unless said."})


class KnowledgeReply(Struct, frozen=True):
    """What a seat could know: its table as it stood, and the notes that it had not seen yet."""

    seat: int
    version: int
    table: Annotated[TableShown, Meta(description="What was sealed for the seat is `hidden` here.")]
    unseen_notes: Annotated[
        tuple[int, ...],
        Meta(description="All that may still come, in falling order; their order is not known."),
    ]


@operation(
    "GET /v1/games/{game}/timeline",
    "Rounds, turns, asks and payouts of a game with their versions",
    TimelineReply,
    access=SPECTATORS,
    kind=REVIEWING,
)
def show_timeline(call: Call[Viewer]) -> Reply:
    games = call.services.games
    newest, _ = look_at(games, call.game, call.seat, call.branch)
    marks = mark_commits(games.commits(call.game, 0, newest.version))
    reply = TimelineReply(
        *(call.game, newest.version, marks.rounds, marks.turns, marks.asks),
        *(marks.payouts, marks.commits, marks.ended),
    )
    return Reply(reply, call.tag(newest.version, newest.head))


@operation(
    "GET /v1/games/{game}/knowledge",
    "What a seat could know at a version: its own while the game goes on, everybody's after the end",
    KnowledgeReply,
    access=SPECTATORS,
    query=KnowledgeQuery,
    refusals=("unknown_version", "unknown_rules", "not_yours"),
    uncached=True,
    kind=REVIEWING,
)
def show_knowledge(call: Call[Viewer]) -> Reply:
    newest, seen = look_at(call.services.games, call.game, call.seat, call.branch)
    seat = call.query.get("seat", seen.viewer)
    if seat is None or seat >= len(newest.state.seats):
        raise bad_query([Fault("the number of a seat of this game is expected", parameter="seat")])
    if seat != seen.viewer and not seen.opened:
        raise Problem("not_yours", "what another seat knows is shown when the game is over")
    snapshot = call.services.games.snapshot(call.game, call.query.get("at"), seen.branch)
    table = render_snapshot(name_for(call.services, call.game, call.services.names)(snapshot), seat)
    unseen = tuple(sorted(snapshot.state.unseen, reverse=True))
    return Reply(KnowledgeReply(seat, snapshot.version, table, unseen))
