"""One declaration an operation: it is registered, read, authorised and documented from it alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Response
from marshmallow import Schema
from msgspec import Struct

from service.api.access import Access, Caller
from service.api.calls import Call
from service.api.headers import IDEMPOTENCY_KEY, IF_NONE_MATCH, Header
from service.api.inputs import BodyFaults, no_more_faults
from service.api.media_types import JSON
from service.api.rate_limits import usual_kind
from service.api.replies import Reply
from service.api.schemas import NoQuery

NOTHING_ELSE: Mapping[int, str] = {}
UNCHANGED = {304: "What the caller has is still good."}
GAME = ("unknown_game", "unavailable", "broken_log")
BODY = (
    *("bad_request", "bad_json", "duplicate_key", "lone_surrogate", "length_required", "too_large"),
    *("unsupported_media_type", "invalid_body"),
)
RAW_BODY = ("bad_request", "length_required", "too_large", "unsupported_media_type")
Handler = Callable[[Call[Caller]], Reply | Response]


class Operation(Struct, frozen=True):
    """`replies` has the type that goes out as each media type; `also` are other good endings.

    `access` says who may call. A query of None is not looked at; any other refuses what it does not know.
    `body_faults` finds what is wrong with a body beyond its schema. `own_headers` and `own_refusals` are
    those that do not follow from the rest. A GET is cached by its ETag unless it is `uncached`. Where
    the body is optional, none is the same as an empty object. `kind` is what its limits depend on.
    `raw_body` is the media type of a body that is no JSON document, for the handler to read. With the
    parameter `dear_query` it is of the kind that reads whole games.
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
    own_refusals: tuple[str, ...]
    also: Mapping[int, str]
    uncached: bool
    body_optional: bool
    own_kind: str | None
    raw_body: str = ""
    dear_query: str = ""

    @property
    def id(self) -> str:
        """The handler's name, as the contract writes it."""
        first, *others = self.handle.__name__.split("_")
        return first + "".join(map(str.capitalize, others))

    @property
    def kind(self) -> str:
        return usual_kind(self.method, self.path) if self.own_kind is None else self.own_kind

    @property
    def in_game(self) -> bool:
        return "{game}" in self.path

    @property
    def cached(self) -> bool:
        return self.method == "GET" and not self.uncached

    @property
    def tagged(self) -> bool:
        """Whether its reply has an ETag: what is cached, and what tells the version that it has made."""
        return self.cached or (self.method != "GET" and not self.uncached and "version" in self._members)

    @property
    def located(self) -> bool:
        """Whether its reply says where that is which it has made or found: what has an id has an address."""
        return self.method == "POST" and "id" in self._members

    @property
    def _members(self) -> tuple[str, ...]:
        """Of the object that it sends."""
        return getattr(self.replies.get(JSON), "__struct_fields__", ())

    @property
    def repeatable(self) -> bool:
        """Whether it takes an Idempotency-Key."""
        return any(header.name == IDEMPOTENCY_KEY.name for header in self.own_headers)

    @property
    def headers(self) -> tuple[Header, ...]:
        return (IF_NONE_MATCH, *self.own_headers) if self.cached else self.own_headers

    @property
    def endings(self) -> dict[int, str]:
        """Every status that is no refusal."""
        unchanged = UNCHANGED if self.cached else {}
        return {self.status: self.summary, **unchanged, **self.also}

    @property
    def refusals(self) -> tuple[str, ...]:
        """Those that follow from the parts of the declaration, and its own."""
        codes = (
            *self.access.refusals,
            *(GAME if self.in_game else ()),
            *(("invalid_query",) if self.query else ()),
            *(() if self.query in (None, NoQuery) else ("uri_too_long",)),
            *(("not_acceptable",) if len(self.replies) > 1 else ()),
            *(BODY if self.body else RAW_BODY if self.raw_body else ()),
            *(code for header in self.headers for code in header.refusals),
            *self.own_refusals,
            *(("too_many_requests",) if self.kind else ()),
        )
        return tuple(dict.fromkeys(codes))


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
    refusals: tuple[str, ...] = (),
    also: Mapping[int, str] = NOTHING_ELSE,
    uncached: bool = False,
    body_optional: bool = False,
    kind: str | None = None,
    raw_body: str = "",
    dear_query: str = "",
) -> Callable[[Handler[Caller]], Operation]:
    """Makes a handler the operation `METHOD /path`.

    `reply` is the type of its JSON, or a dict of types by media type; the rest is as in Operation.
    """
    method, _, path = call.partition(" ")
    replies = reply if isinstance(reply, dict) else {JSON: reply}

    def declare(handle: Handler[Caller]) -> Operation:
        return Operation(
            *(method, path, summary, replies, access, handle, status, query, body, body_faults),
            *(headers, refusals, also, uncached, body_optional, kind, raw_body, dear_query),
        )

    return declare
