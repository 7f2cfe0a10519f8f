"""Answering what the table asks."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, Response, request
from msgspec import Struct

from events.chain import redact_commit
from events.types import Event
from rules.legal import legal
from rules.rejection import Rejected
from rules.view import view
from service.api.bodies import json_body
from service.api.parts import etag, idempotency_key, named_tags, parts, query, replayed, reply, viewer
from service.api.problems import Fault, Problem, refused
from service.api.schemas import Choice, loaded
from service.play.games import Outcome
from service.play.replies import AskShown, TableShown
from service.play.tables import table_of

blueprint = Blueprint("choices", __name__, url_prefix="/v1/games/<game>")
CHOICE = Choice()


class ChoiceReply(Struct, frozen=True):
    """What the answer caused, the table after it, and what the caller is asked now."""

    version: int
    events: tuple[Event, ...]
    table: TableShown
    asks: list[AskShown]


@blueprint.post("/choices")
def choose(game: str) -> Response:
    seat = viewer(game)
    if seat is None:
        raise _needs_token(game)
    query()
    given = loaded(CHOICE, json_body(request))
    try:
        outcome = parts().games.choose(
            game, seat, given["ask"], given["choice"], idempotency_key(), if_version=_wanted(game)
        )
    except Rejected as rejected:
        raise _explained(rejected, game, seat) from None
    return reply(_reply(outcome, seat), headers=etag(outcome.version) | replayed(outcome.replayed))


def _reply(outcome: Outcome, seat: int) -> ChoiceReply:
    commit = redact_commit(outcome.commit, seat, outcome.state.status == "over")
    table = cast(TableShown, table_of(outcome.snapshot, seat))
    asks = [ask for ask in table["asks"] if ask["yours"]]
    return ChoiceReply(outcome.version, commit.events, table, asks)


def _needs_token(game: str) -> Problem:
    parts().games.snapshot(game)
    return Problem("unauthorized", "an answer needs the token of a seat")


def _explained(rejected: Rejected, game: str, seat: int) -> Problem:
    """The refusal with what could be answered instead."""
    snapshot = parts().games.snapshot(game)
    options = legal(view(snapshot.state, seat), seat)
    return refused(rejected, version=snapshot.version, options=options or None)


def _wanted(game: str) -> int | None:
    """The version that If-Match insists on. Raises Problem where none can match."""
    if "If-Match" not in request.headers:
        return None
    tags = named_tags("If-Match")
    if tags is None:
        fault = Fault("it is an ETag in its quotes, or *", parameter="If-Match")
        raise Problem("bad_header", "this If-Match is none of ours", errors=[fault])
    if tags.star_tag:
        return None
    versions = {int(tag) for tag in tags if tag.isascii() and tag.isdigit() and len(tag) < 10}
    if len(versions) == 1:
        return versions.pop()
    newest = parts().games.snapshot(game).version
    if newest not in versions:
        raise Problem("stale_version", "If-Match names no version of this game", version=newest)
    return newest
