"""Games that were played elsewhere, brought here as files."""

from __future__ import annotations

from hashlib import sha256

from msgspec import Struct

from events.values import GameId
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.headers import IMPORT_KEY
from service.api.media_types import NDJSON
from service.api.operation import operation
from service.api.problems import Problem
from service.api.rate_limits import IMPORTING
from service.api.raw_bodies import read_raw
from service.api.replies import Reply
from service.api.rows import list_at_once
from service.fairness.exported import LARGEST_FILE
from service.fairness.verify import Verdict
from service.play.idempotency import Request, identify_request
from service.play.imports import BadFile, Imported, OtherGame
from service.play.keys import ANONYMOUS, WeakKey, is_weak

NEW, KNOWN = "new", "known"
REPEAT_SECONDS = 24 * 3600


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
    headers=(IMPORT_KEY,),
    refusals=("bad_file", "game_exists", "unavailable"),
    kind=IMPORTING,
)
def import_game(call: Call[None]) -> Reply:
    file, kept = read_raw(call.request, NDJSON, LARGEST_FILE), call.services.kept_requests
    request = _identify(call, file)
    earlier = kept.find(request)
    taken = _take_in(call, file)
    list_at_once(call.services, taken.game)
    told = earlier or kept.keep(request, NEW if taken.new else KNOWN, REPEAT_SECONDS)
    reply = ImportReply(taken.game, taken.version, taken.verdict, told == NEW)
    return Reply(reply, taken.version, f"/v1/games/{taken.game}", earlier is not None)


def _identify(call: Call[None], file: bytes) -> Request:
    """Raises WeakKey: whoever guessed it first would keep others from using it."""
    if is_weak(ANONYMOUS, call.key):
        raise WeakKey
    return identify_request("import", call.key, sha256(file).hexdigest())


def _take_in(call: Call[None], file: bytes) -> Imported:
    """Raises Problem."""
    try:
        return call.services.games.archive.imports.take_in(file)
    except BadFile as fault:
        raise Problem("bad_file", fault.why, commit=fault.commit) from None
    except OtherGame as fault:
        raise Problem("game_exists", f"{fault} is here, and is another game") from None
