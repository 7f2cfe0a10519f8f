"""Turns declared operations into Flask views, and the operations of a room into a blueprint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import flask
from flask import Blueprint, Request, Response, g

from events.store import Unavailable
from service.games.snapshots import LogReplaced, UnknownGame
from service.http.auth import check_access, check_api_key, find_api_key
from service.http.fields import GAME_ID
from service.http.headers import IF_MATCH, lenient_media_reader, media_reader, read_if_match, read_key
from service.http.limits import REVIEWING
from service.http.operation import Call, Operation
from service.http.requests import body_reader, query_reader
from service.http.responses import make_responder
from service.http.services import SERVICES, Services
from service.incidents import resolve_cause

Reader = Callable[[Request], Any]


def make_blueprint(name: str, operations: Iterable[Operation]) -> Blueprint:
    """Return a blueprint with a rule for each operation; the endpoint is the operation's id."""
    blueprint = Blueprint(name, __name__)
    for operation in operations:
        blueprint.add_url_rule(
            re.sub(r"\{(\w+)\}", r"<\1>", operation.path),
            endpoint=operation.id,
            view_func=make_view(operation),
            methods=[operation.method],
        )
    return blueprint


def make_view(operation: Operation) -> Callable[..., Response]:
    """Return the view of an operation.

    The order is the same for all operations: API key, rate limit, form of the game's id, caller, query, media
    type, body, headers, handler. Where the body names the game, the caller comes after the body. What is the
    same for all requests is prepared here, once.
    """
    access = operation.access
    name_limit = make_limit_name(operation)
    readers = make_readers(operation)
    handle = operation.handle
    writes = operation.method != "GET"
    respond = make_responder(operation.status, operation.cached, not writes)

    def view(**path: str) -> Response:
        # The request itself, not the proxy: it is used dozens of times.
        request = flask.request._get_current_object()  # type: ignore[attr-defined]
        services: Services = flask.current_app.extensions[SERVICES]
        game = path.get("game", "")
        try:
            key = find_api_key(request, services)
            g.api_key = key
            services.limits.check(name_limit(request), request, key)
            check_api_key(request, key, operation.scope)
            if operation.needs_key:
                check_access(services, key)
            if operation.in_game:
                check_game_id(game)
            if access.check_first:
                access.check_first(request)
            caller = None if access.game_in_body else access.identify(request, services, game)
            parts = {name: read(request) for name, read in readers.items()}
            if access.game_in_body:
                game = parts["body"].get("game", "")
                caller = access.identify(request, services, game)
            g.caller = caller
            try:
                reply = handle(Call(services, request, path, caller, api_key=key, **parts))
            except LogReplaced:
                # Nothing was shown or done yet. The token may belong to no seat in the log that stands now.
                caller = access.identify(request, services, game)
                g.caller = caller
                reply = handle(Call(services, request, path, caller, api_key=key, **parts))
        except Unavailable as fault:
            services.outages.record_outage(resolve_cause(fault.cause), str(fault))
            raise
        if writes:
            services.outages.record_recovery()
        return reply if isinstance(reply, Response) else respond(request, reply)

    return view


def make_limit_name(operation: Operation) -> Callable[[Request], str]:
    """Return the function that names the rate limit of a request."""
    limit = operation.rate_limit
    parameter = operation.expensive_param
    if not parameter:
        return lambda request: limit
    return lambda request: REVIEWING if parameter in request.args else limit


def check_game_id(game: str) -> None:
    """Raise UnknownGame for a text that is no game's id, without a look-up."""
    if not GAME_ID.fullmatch(game):
        raise UnknownGame(game)


def make_readers(operation: Operation) -> dict[str, Reader]:
    """Return the parts of a `Call` that the operation declares, in the order in which they are read."""
    readers: dict[str, Reader] = {}
    if operation.query:
        readers["query"] = query_reader(operation.query)
    if len(operation.replies) > 1:
        reader = lenient_media_reader if operation.any_accept else media_reader
        readers["media"] = reader(*operation.replies)
    if operation.body:
        readers["body"] = body_reader(operation.body, operation.body_faults, operation.body_optional)
    if operation.repeatable:
        readers["key"] = read_key
    if IF_MATCH in operation.headers:
        readers["if_match"] = read_if_match
    return readers
