"""Declares operations: routing, access, parsing and documentation follow from one declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from time import monotonic
from typing import Any, Generic, Literal

from flask import Request, Response
from marshmallow import Schema
from msgspec import Struct

from service.games.idempotency import ANONYMOUS
from service.games.snapshots import SeatIdentity, Snapshot, UnknownVersion
from service.games.writer import Caller as CommandCaller
from service.http.addresses import network_of
from service.http.auth import PLAYER_TOKEN, Access, Caller
from service.http.fields import NoQuery
from service.http.headers import (
    ACT_FOR_PLAYER,
    IDEMPOTENCY_KEY,
    IF_NONE_MATCH,
    JSON,
    Header,
    LogPosition,
    format_position,
)
from service.http.languages import choose_language
from service.http.limits import default_rate_limit
from service.http.requests import BodyFaults, no_more_faults
from service.http.responses import Reply
from service.http.services import Services
from service.keys.keys import ApiKey, Scope
from service.languages.catalogue import Language
from service.players.players import Player


class Call(Struct, Generic[Caller], frozen=True):
    """A request to an operation, parsed. `caller` is what the operation's access rule returned.

    `path` are the variables of the address; `key` and `if_match` are those of the headers of these names;
    `api_key` is the key that was sent in place of a token;
    `media` is the form that is asked for.
    """

    services: Services
    request: Request
    path: Mapping[str, str]
    caller: Caller
    query: Mapping[str, Any] = {}
    media: str = JSON
    body: Mapping[str, Any] = {}
    key: str | None = None
    api_key: ApiKey | None = None
    if_match: frozenset[LogPosition] | None = None

    @property
    def network(self) -> str:
        """What callers are counted by: the API key, or else the network that they call from."""
        if self.api_key is not None:
            return self.api_key.id
        return network_of(self.request.remote_addr or "")

    @property
    def sender(self) -> str:
        """The scope of idempotency keys: the player, the seat, the API key, or all callers without any."""
        if isinstance(self.caller, Player):
            return self.caller.id
        if isinstance(self.caller, SeatIdentity):
            return self.caller.player or f"seat-{self.caller.seat}"
        return self.api_key.id if self.api_key else ANONYMOUS

    def tag(self, version: int | str, head: str) -> int | str:
        """Return the ETag: the version, with its hash once this process has seen the log replaced."""
        return format_position(version, head) if self.services.games.has_moved(self.game) else version

    @property
    def game(self) -> str:
        return self.path["game"]

    @property
    def language(self) -> Language:
        """The language that the caller wants."""
        return choose_language(self.request)

    @property
    def seat(self) -> int | None:
        """The caller's seat; None for a spectator."""
        return self.caller.seat if isinstance(self.caller, SeatIdentity) else None

    @property
    def player(self) -> Player | None:
        """The player that the caller's token belongs to, with a seat or without. Raises Unavailable."""
        if isinstance(self.caller, SeatIdentity) and self.caller.player:
            return self.services.players.read(self.caller.player)
        return self.caller if isinstance(self.caller, Player) else None

    @property
    def log_epoch(self) -> int | None:
        """The log epoch in which the caller holds that seat; None for a spectator."""
        return self.caller.log_epoch if isinstance(self.caller, SeatIdentity) else None

    def as_caller(self, if_version: int | None = None) -> CommandCaller:
        """Return who sends the command of this call, and on which log."""
        return CommandCaller(
            seat=-1 if self.seat is None else self.seat,
            log_epoch=self.log_epoch,
            if_version=if_version,
            key=self.key,
            sender=self.sender,
            api_key=self.api_key.id if self.api_key else "",
        )


NO_RESPONSES: Mapping[int, str] = {}
UNCHANGED = {304: "What the caller has is still good."}
GAME = ("unknown_game", "unavailable", "broken_log")
BODY = (
    "bad_request",
    "bad_json",
    "duplicate_key",
    "lone_surrogate",
    "length_required",
    "too_large",
    "unsupported_media_type",
    "invalid_body",
)
RAW_BODY = ("bad_request", "length_required", "too_large", "unsupported_media_type")
Handler = Callable[[Call[Caller]], Reply | Response]


class Operation(Struct, frozen=True, kw_only=True):
    """The declaration of an operation.

    - `replies`: the type of the reply by media type; `status` goes with it.
    - `extra_responses`: other successful statuses, each with its description.
    - `access`: who may call.
    - `query`: refuses parameters that it does not know; None ignores the query.
    - `body`: the schema of the JSON body; `body_faults` finds what is wrong beyond the schema. With
      `body_optional` no body is the same as an empty object.
    - `raw_body`: the media type of a body that is not JSON, which the handler reads.
    - `own_headers`, `errors`: the request headers and error codes that do not follow from the rest.
    - `uncached`: the reply to this GET has no ETag.
    - `rate_limit`: the name of the limit that counts its requests; with the query parameter
      `expensive_param` it is the limit of operations that read whole games.
    - `scope`: what an API key needs to call it; None if every key may.
    - `needs_key`: with ACCESS=keys only callers with an API key may call it.
    - `any_accept`: callers who accept none of the `replies` get the first, in place of a refusal.
    """

    method: str
    path: str
    summary: str
    replies: Mapping[str, Any]
    access: Access[Any]
    handle: Callable[[Call[Any]], Reply | Response]
    status: int
    query: type[Schema] | None
    body: type[Schema] | None
    body_faults: BodyFaults
    own_headers: tuple[Header, ...]
    errors: tuple[str, ...]
    extra_responses: Mapping[int, str]
    uncached: bool
    body_optional: bool
    rate_limit: str
    raw_body: str
    expensive_param: str
    scope: Scope | None
    needs_key: bool
    any_accept: bool

    @property
    def id(self) -> str:
        """The handler's name in camel case, which is the operationId and the Flask endpoint."""
        first, *others = self.handle.__name__.split("_")
        return first + "".join(map(str.capitalize, others))

    @property
    def in_game(self) -> bool:
        return "{game}" in self.path

    @property
    def cached(self) -> bool:
        return self.method == "GET" and not self.uncached

    @property
    def tagged(self) -> bool:
        """Whether its reply has an ETag: cached replies, and those that name the version they made."""
        return self.cached or (self.method != "GET" and not self.uncached and "version" in self._members)

    @property
    def located(self) -> bool:
        """Whether its reply has a Location: what has an id has an address."""
        return self.method == "POST" and "id" in self._members

    @property
    def _members(self) -> tuple[str, ...]:
        """The members of the JSON reply."""
        return getattr(self.replies.get(JSON), "__struct_fields__", ())

    @property
    def repeatable(self) -> bool:
        """Whether it takes an Idempotency-Key."""
        return any(header.name == IDEMPOTENCY_KEY.name for header in self.own_headers)

    @property
    def headers(self) -> tuple[Header, ...]:
        acting = (ACT_FOR_PLAYER,) if PLAYER_TOKEN in self.access.security else ()
        return (*((IF_NONE_MATCH,) if self.cached else ()), *self.own_headers, *acting)

    @property
    def responses(self) -> dict[int, str]:
        """Every successful status, with its description."""
        unchanged = UNCHANGED if self.cached else {}
        return {self.status: HTTPStatus(self.status).phrase, **unchanged, **self.extra_responses}

    @property
    def _key_errors(self) -> tuple[str, ...]:
        """The error codes that come of an API key, or of none where one is needed."""
        if not self.path.startswith("/v1"):
            return ()
        refusals = ("unauthorized", "key_in_browser", "missing_scope")
        return (*refusals, "key_required") if self.needs_key else refusals

    @property
    def error_codes(self) -> tuple[str, ...]:
        """The error codes that follow from the parts of the declaration, and its own."""
        codes = [*self.access.errors, *self._key_errors]
        if self.in_game:
            codes += GAME
        if self.query:
            codes.append("invalid_query")
        if self.query not in (None, NoQuery):
            codes.append("uri_too_long")
        if len(self.replies) > 1 and not self.any_accept:
            codes.append("not_acceptable")
        if self.body:
            codes += BODY
        elif self.raw_body:
            codes += RAW_BODY
        for header in self.headers:
            codes += header.errors
        codes += self.errors
        if self.rate_limit:
            codes.append("too_many_requests")
        return tuple(dict.fromkeys(codes))


def _default_scope(method: str) -> Scope | None:
    """Return what a key needs for an operation that does not say: whatever changes something is play."""
    return None if method == "GET" else "play"


def operation(
    call: str,
    summary: str,
    reply: Any,
    *,
    access: Access[Caller],
    status: int = 200,
    query: type[Schema] | None = NoQuery,
    body: type[Schema] | None = None,
    body_faults: BodyFaults = no_more_faults,
    headers: tuple[Header, ...] = (),
    errors: tuple[str, ...] = (),
    extra_responses: Mapping[int, str] = NO_RESPONSES,
    uncached: bool = False,
    body_optional: bool = False,
    rate_limit: str | None = None,
    raw_body: str = "",
    expensive_param: str = "",
    scope: Scope | Literal["default"] | None = "default",
    needs_key: bool = False,
    any_accept: bool = False,
) -> Callable[[Handler[Caller]], Operation]:
    """Declare a handler as the operation `METHOD /path`.

    `reply` is the type of its JSON, or a dict of types by media type. `rate_limit` follows from method and
    path unless it is given. For the rest see `Operation`.
    """
    method, _, path = call.partition(" ")
    replies = reply if isinstance(reply, dict) else {JSON: reply}

    def declare(handle: Handler[Caller]) -> Operation:
        return Operation(
            method=method,
            path=path,
            summary=summary,
            replies=replies,
            access=access,
            handle=handle,
            status=status,
            query=query,
            body=body,
            body_faults=body_faults,
            own_headers=headers,
            errors=errors,
            extra_responses=extra_responses,
            uncached=uncached,
            body_optional=body_optional,
            rate_limit=default_rate_limit(method, path) if rate_limit is None else rate_limit,
            raw_body=raw_body,
            expensive_param=expensive_param,
            scope=_default_scope(method) if scope == "default" else scope,
            needs_key=needs_key,
            any_accept=any_accept,
        )

    return declare


def await_version(call: Call[Any], game: str) -> Snapshot:
    """Return the game at `min_version` or later.

    Raises UnknownGame, and UnknownVersion when the time is over.
    """
    games = call.services.games
    least = call.query["min_version"]
    snapshot = games.snapshot(game)
    if snapshot.version < least and call.query["wait"]:
        snapshot = _wait(call, game, least, monotonic() + call.query["wait"])
    if snapshot.version < least:
        raise UnknownVersion(snapshot.version)
    return snapshot


def _wait(call: Call[Any], game: str, least: int, end: float) -> Snapshot:
    games = call.services.games
    doorbell = call.services.streams.doorbell
    with doorbell.listen(game, call.network) as listener:
        while (snapshot := games.snapshot(game)).version < least:
            if not doorbell.is_open or monotonic() >= end:
                break
            listener.wait(end - monotonic())
    return snapshot


def read_version(text: str) -> int:
    """Return the version that stands in a path. Raises UnknownVersion for what is no number."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10):
        raise UnknownVersion
    return int(text)
