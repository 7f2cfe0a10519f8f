"""What every resource needs: the parts of the service, who calls, and how replies are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from flask import Response, current_app, request
from marshmallow import Schema
from msgspec import Struct
from werkzeug.datastructures import ETags
from werkzeug.http import parse_etags

from events.redis_inspection import Inspection
from service.api.envelope import note
from service.api.media_types import JSON
from service.api.problems import Problem
from service.api.schemas import NoQuery, loaded_query
from service.api.streams import Streams
from service.lobby.lobby import Lobby
from service.play.games import Games
from service.play.snapshots import UnknownGame

EXTENSION = "croupier"
GAME_ID = re.compile(r"g_[A-Za-z0-9_-]{22}")
_NO_QUERY = NoQuery()
_TAG = r'(?:W/)?"[!#-~\x80-\xff]*"'
_TAGS = re.compile(rf"\*|{_TAG}(?:[ \t]*,[ \t]*{_TAG})*")
_KEY = re.compile(r"[!-~]{1,128}")
_encoder = msgspec.json.Encoder()


class Parts(Struct, frozen=True):
    games: Games
    lobby: Lobby
    streams: Streams
    inspect: Callable[[], Inspection]


def parts() -> Parts:
    found: Parts = current_app.extensions[EXTENSION]
    return found


def check_game_id() -> None:
    """What no game can be called is unknown like any other, and costs no look-up."""
    game = (request.view_args or {}).get("game")
    if game is not None and not GAME_ID.fullmatch(game):
        raise UnknownGame(game)


def viewer(game: str) -> int | None:
    """The caller's seat; None for a spectator. Raises UnknownGame, and Problem for a wrong token."""
    given = request.headers.get("Authorization")
    if given is None:
        return None
    scheme, _, token = given.partition(" ")
    seat = parts().games.find_seat(game, token.strip() if scheme.lower() == "bearer" else "")
    if seat is None:
        raise Problem("unauthorized", "this is no token of this game")
    note(seat=seat)
    return seat


def query(schema: Schema = _NO_QUERY) -> dict[str, Any]:
    """The query string as the schema makes it. Raises Problem."""
    if schema is _NO_QUERY and not request.query_string:
        return {}
    return loaded_query(schema, request.args)


def idempotency_key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        raise Problem("bad_header", "an Idempotency-Key has 1 to 128 visible ASCII characters")
    return key


def reply(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(_encoder.encode(body), status, headers, content_type=JSON)


def etag(version: int | str) -> dict[str, str]:
    # The same version looks different to each seat; caches are told by Vary.
    return {"ETag": f'"{version}"', "Vary": "Authorization, Accept"}


def named_tags(header: str) -> ETags | None:
    """The entity tags that If-Match or If-None-Match names; None where it is malformed."""
    given = request.headers.get(header, "").strip()
    return parse_etags(given) if _TAGS.fullmatch(given) else None


def unchanged(version: int | str) -> Response | None:
    """304 for a caller who has this version."""
    known = named_tags("If-None-Match") if "If-None-Match" in request.headers else None
    if known is not None and known.contains_weak(str(version)):
        return Response(status=304, headers=etag(version))
    return None


def by_content(body: Any) -> Response:
    """For what has no version: its ETag is its content."""
    return content(_encoder.encode(body), JSON)


def content(given: bytes, kind: str, headers: Mapping[str, str] | None = None) -> Response:
    tag = sha256(given).hexdigest()[:32]
    return unchanged(tag) or Response(given, headers={**etag(tag), **(headers or {})}, content_type=kind)


def replayed(repeat: bool) -> dict[str, str]:
    return {"Idempotent-Replayed": "true"} if repeat else {}
