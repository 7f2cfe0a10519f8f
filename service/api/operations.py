"""Every operation of the interface, as openapi.yaml tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from marshmallow import Schema
from msgspec import Struct

from rules.rejection import Reason
from service.api.media_types import JSON, NDJSON, SSE
from service.api.schemas import Choice, EventsQuery, GamesQuery, NewGame, SitDown, TableQuery

ANY = ""


class Operation(Struct, frozen=True):
    """`content` names the component that each media type carries; `also` are other good endings."""

    id: str
    call: str
    summary: str
    content: Mapping[str, str]
    status: int = 200
    refusals: tuple[str, ...] = ()
    query: type[Schema] | None = None
    body: type[Schema] | None = None
    headers: tuple[str, ...] = ()
    also: Mapping[int, str] = {}
    token: Literal["", "may", "must"] = ""


UNCHANGED = {304: "What the caller has is still good."}
NOTHING_LEFT = {204: "The game is over and there is nothing left to stream."}
QUERY = ("invalid_query",)
GAME = ("unauthorized", "unknown_game", "unavailable", *QUERY)
BODY = (
    *("bad_request", "bad_json", "duplicate_key", "lone_surrogate", "bad_header", "length_required"),
    *("too_large", "unsupported_media_type", "invalid_body", "key_reused"),
)
PLAN = (Reason.UNKNOWN_EDITION, Reason.UNKNOWN_OPTION, Reason.BAD_OPTION, Reason.BAD_SEATS)
SITTING = (Reason.UNKNOWN_SEAT, Reason.SEAT_TAKEN, Reason.ALREADY_STARTED)
PLAYING = tuple(reason for reason in Reason if reason not in (*PLAN, *SITTING))

OPERATIONS = (
    Operation(
        "listEditions",
        "GET /v1/editions",
        "What can be played, and with what options",
        {JSON: "Editions"},
        refusals=QUERY,
        headers=("If-None-Match",),
        also=UNCHANGED,
    ),
    Operation(
        "listBots",
        "GET /v1/bots",
        "Who plays the seats without people",
        {JSON: "Bots"},
        refusals=QUERY,
        headers=("If-None-Match",),
        also=UNCHANGED,
    ),
    Operation(
        "createGame",
        "POST /v1/games",
        "Set up a game; it starts by itself when no seat is open",
        {JSON: "GameReply"},
        201,
        (*BODY, *PLAN, *QUERY, "unavailable"),
        body=NewGame,
        headers=("Idempotency-Key",),
    ),
    Operation(
        "listGames",
        "GET /v1/games",
        "The lobby, newest first",
        {JSON: "GamesReply"},
        refusals=(*QUERY, "unavailable"),
        query=GamesQuery,
        headers=("If-None-Match",),
        also=UNCHANGED,
    ),
    Operation(
        "showTable",
        "GET /v1/games/{game}",
        "The table as the caller may see it",
        {JSON: "TableShown"},
        refusals=(*GAME, "unknown_version"),
        query=TableQuery,
        headers=("If-None-Match",),
        also=UNCHANGED,
        token="may",
    ),
    Operation(
        "takeSeat",
        "POST /v1/games/{game}/seats",
        "Take an open seat",
        {JSON: "SatReply"},
        201,
        (*GAME, *BODY, *SITTING),
        body=SitDown,
        headers=("Idempotency-Key",),
        token="may",
    ),
    Operation(
        "choose",
        "POST /v1/games/{game}/choices",
        "Answer an ask with one of its options",
        {JSON: "ChoiceReply"},
        200,
        (*GAME, *BODY, *PLAYING, "stale_version"),
        body=Choice,
        headers=("Idempotency-Key", "If-Match"),
        token="must",
    ),
    Operation(
        "showEvents",
        "GET /v1/games/{game}/events",
        "The log of a game: in pages, as lines, or as a stream",
        {JSON: "EventsReply", NDJSON: "Commit", SSE: "Commit"},
        refusals=(*GAME, "bad_header", "not_acceptable", "too_many_streams"),
        query=EventsQuery,
        headers=("If-None-Match", "Last-Event-ID"),
        also=UNCHANGED | NOTHING_LEFT,
        token="may",
    ),
    Operation(
        "showAudit",
        "GET /v1/games/{game}/audit",
        "What proves the dice; after the end with the seed and a full verification",
        {JSON: "AuditReply"},
        refusals=GAME,
        headers=("If-None-Match",),
        also=UNCHANGED,
        token="may",
    ),
    Operation("livez", "GET /livez", "Whether the process lives", {JSON: "Health"}),
    Operation(
        "readyz",
        "GET /readyz",
        "Whether games can be kept, and by what Redis",
        {JSON: "Readiness"},
        refusals=("not_ready",),
    ),
    Operation(
        "showContract",
        "GET /openapi.yaml",
        "This document",
        {"application/yaml": ANY},
        headers=("If-None-Match",),
        also=UNCHANGED,
    ),
    Operation(
        "showDocs",
        "GET /docs",
        "This document as a page to try it on",
        {"text/html": ANY},
        headers=("If-None-Match",),
        also=UNCHANGED,
    ),
    Operation(
        "showFile",
        "GET /docs/{name}",
        "A file of that page",
        {"*/*": ANY},
        refusals=("not_found",),
        headers=("If-None-Match",),
        also=UNCHANGED,
    ),
)
