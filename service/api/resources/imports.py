"""Games that were played elsewhere, brought here as files."""

from __future__ import annotations

from msgspec import Struct

from events.values import GameId
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.media_types import NDJSON
from service.api.operation import operation
from service.api.problems import Problem
from service.api.rate_limits import ARCHIVING
from service.api.raw_bodies import read_raw
from service.api.replies import Reply
from service.api.rows import list_at_once
from service.fairness.exported import LARGEST_DOCUMENT
from service.fairness.verify import Verdict
from service.play.imports import BadFile, Imported, OtherGame


class ImportReply(Struct, frozen=True):
    """`report` is the verification that came first; `new` is false where the very game was here before."""

    id: GameId
    version: int
    report: Verdict
    new: bool


@operation(
    "POST /v1/imports",
    "Bring a game that is over from elsewhere, as its file: verified first, then read-only under its own id",
    ImportReply,
    access=ANYBODY,
    status=201,
    raw_body=NDJSON,
    refusals=("bad_file", "game_exists", "unavailable"),
    kind=ARCHIVING,
)
def import_game(call: Call[None]) -> Reply:
    taken = _take_in(call, read_raw(call.request, NDJSON, LARGEST_DOCUMENT))
    list_at_once(call.services, taken.game)
    reply = ImportReply(taken.game, taken.version, taken.verdict, taken.new)
    return Reply(reply, taken.version, f"/v1/games/{taken.game}")


def _take_in(call: Call[None], file: bytes) -> Imported:
    """Raises Problem."""
    try:
        return call.services.games.archive.imports.take_in(file)
    except BadFile as fault:
        raise Problem("bad_file", fault.why, commit=fault.commit) from None
    except OtherGame as fault:
        raise Problem("game_exists", f"{fault} is here, and is another game") from None
