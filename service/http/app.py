"""The application factory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Request, Response
from redis import Redis
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map, Rule

from events.redis import Inspection, connect, inspect_server
from events.store import Unavailable
from service import logs
from service.config import Settings
from service.container import build_backend, connect_checked
from service.games.creators import Creators
from service.games.games import Games
from service.games.snapshots import LogReplaced, UnknownGame
from service.http.addresses import Proxies
from service.http.cors import CROSS_ORIGIN, CrossOrigin
from service.http.doorbell import Doorbell
from service.http.envelope import Envelope
from service.http.errors import answer_fault
from service.http.fields import GAME_ID
from service.http.headers import IF_MATCH, media_reader, read_if_match, read_key
from service.http.limits import REVIEWING, GameQuota, RateLimits, RequestCounts, open_stream_quota
from service.http.openapi.document import render_contract
from service.http.operation import Call, Operation
from service.http.problems import Problem
from service.http.register import OPERATIONS
from service.http.requests import body_reader, query_reader
from service.http.responses import Recent, WsgiAnswer, make_responder
from service.http.services import Services
from service.http.streaming import MyStreams, Streams
from service.incidents import OutageLog, settle_cause
from service.ops.health import measure_lags
from service.ops.processes import measure_capacity
from service.players.feed import PlayerReading
from service.players.names import Names
from service.players.players import KeptRequests, PlayerChanges
from service.players.tickets import Tickets

MOST_ADDRESSES = 1_000
LONGEST_ADDRESS = 200
# Its path, endpoint and method.
Route = tuple[str, str, str]


@cache
def make_map(routes: tuple[Route, ...]) -> Map:
    """Once a process: to compile the rules takes longer than all the rest of an application."""
    rules = [Rule(path, endpoint=endpoint, methods=[method, "OPTIONS"]) for path, endpoint, method in routes]
    # No address ever leads to another, so that it does not matter what this server is called.
    return Map(rules, merge_slashes=False, redirect_defaults=False)


class Application(Flask):
    """Flask's routing, requests, responses and test client without its contexts, sessions, hooks and signals.

    None of those is in use here, and together they took a tenth of the processor time of a choice. Views
    take the request as their first argument; what concerns every request belongs into `Envelope`.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        super().__init__("service", static_folder=None)
        self.url_map = make_map(tuple(routes))
        self._routes = self.url_map.bind("localhost")
        # A game is asked for at the same few addresses again and again.
        self._find_route = lru_cache(MOST_ADDRESSES)(partial(self._routes.match, return_rule=True))

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        try:
            response = self._respond(request)
        except Exception as fault:
            response = answer_fault(request, fault)
        return response(environ, start_response)

    def _respond(self, request: Request) -> WSGIApplication:
        """Raises HTTPException where there is no such route or method, and whatever the view raises."""
        try:
            rule, path = self._find_route(request.path, request.method)
        except NotFound as fault:
            raise self._point_to_address(request.path) or fault from None
        request.url_rule, request.view_args = rule, dict(path)
        if request.method == "OPTIONS":
            return Response(headers={"Allow": ", ".join(self._routes.allowed_methods(request.path))})
        view: Callable[..., WSGIApplication] = self.view_functions[rule.endpoint]  # type: ignore[assignment]
        return view(request, **path)

    def _point_to_address(self, path: str) -> Problem | None:
        """Where a slash too many or a prefix too few was meant to lead."""
        plain = path.rstrip("/")
        for meant in (plain, f"/v1{plain}") if len(path) <= LONGEST_ADDRESS else ():
            if plain and meant != path and self._routes.allowed_methods(meant):
                return Problem("not_found", f"there is nothing at this address; the right one is {meant}")
        return None


Reader = Callable[[Request], Any]


def make_application(operations: Iterable[Operation], services: Services) -> Application:
    operations = tuple(operations)
    app = Application((re.sub(r"\{(\w+)\}", r"<\1>", one.path), one.id, one.method) for one in operations)
    app.view_functions.update({one.id: make_view(one, services) for one in operations})
    return app


def make_view(operation: Operation, services: Services) -> Callable[..., Response | WsgiAnswer]:
    """Whatever can be settled before the first request is."""
    readers, identify, handle = make_readers(operation), operation.access.identify, operation.handle
    writes, in_game = operation.method != "GET", operation.in_game
    respond = make_responder(operation.status, operation.cached, not writes)
    admit = make_gate(operation, services.limits)

    def view(request: Request, **path: str) -> Response | WsgiAnswer:
        admit(request)
        if in_game:
            check_game_id(path["game"])
        try:
            caller = identify(request, services, path.get("game", ""))
            parts = {name: read(request) for name, read in readers.items()}
            try:
                reply = handle(Call(services, request, path, caller, **parts))
            except LogReplaced:
                # Nothing was shown or done. The token may be nobody's in the log that stands now.
                caller = identify(request, services, path.get("game", ""))
                reply = handle(Call(services, request, path, caller, **parts))
        except Unavailable as fault:
            services.outages.note(settle_cause(fault.cause))
            raise
        if writes:
            services.outages.note_end()
        return reply if isinstance(reply, Response) else respond(request, reply)

    return view


def make_gate(operation: Operation, limits: RateLimits) -> Callable[[Request], None]:
    usual, dear, parameter = limits.gate(operation.kind), limits.gate(REVIEWING), operation.dear_query
    if not parameter:
        return lambda request: usual(request.environ)
    return lambda request: (dear if parameter in request.args else usual)(request.environ)


def check_game_id(game: str) -> None:
    """What no game can be called is unknown like any other, and costs no look-up. Raises UnknownGame."""
    if not GAME_ID.fullmatch(game):
        raise UnknownGame(game)


def make_readers(operation: Operation) -> dict[str, Reader]:
    """The parts of a call that the operation declares, in the order in which they are read and refused."""
    readers: dict[str, Reader] = {}
    if operation.query:
        readers["query"] = query_reader(operation.query)
    if len(operation.replies) > 1:
        readers["media"] = media_reader(*operation.replies)
    if operation.body:
        readers["body"] = body_reader(operation.body, operation.body_faults, operation.body_optional)
    if operation.repeatable:
        readers["key"] = read_key
    if IF_MATCH in operation.headers:
        readers["if_match"] = read_if_match
    return readers


DOORBELL = "doorbell"
# Whoever asks for health wants to know soon that there is no answer.
HEALTH_SECONDS, HEALTH_CONNECTIONS = 2.0, 4
# Nobody waits long to be counted.
COUNTING_SECONDS, COUNTING_CONNECTIONS = 0.25, 4


def create_app(
    settings: Settings,
    client: Redis | None = None,
    inspect: Callable[[], Inspection] | None = None,
    games: Games | None = None,
) -> Flask:
    """Return the application.

    `inspect` says what is known of the server that keeps the games; asked by /readyz.
    `games` have a clock, seeds and ids of their own; without them the real ones are used.
    """
    backend = build_backend(client or connect_checked(settings), games=games)
    quota = open_stream_quota(settings.limits.most_streams)
    doorbell = Doorbell(backend.redis, measure_capacity().streams, quota)
    outages = OutageLog(logs.logger())
    asking = client or connect(settings.redis_url or "", HEALTH_CONNECTIONS, HEALTH_SECONDS)
    inspect = Recent(partial(outages.watch, inspect or partial(inspect_server, asking)))
    lags = Recent(partial(measure_lags, asking))
    streams, reading = Streams(backend.games, doorbell), PlayerReading(backend.redis)
    proxies = Proxies(settings.trusted_proxies)
    counting = client or connect(settings.redis_url or "", COUNTING_CONNECTIONS, COUNTING_SECONDS)
    services = Services(
        backend.games,
        Creators(backend.redis),
        backend.nudges,
        backend.lobby,
        backend.players,
        Names(backend.redis),
        reading,
        Tickets(backend.redis),
        streams,
        MyStreams(reading, backend.players, doorbell),
        inspect,
        render_contract,
        outages,
        lags,
        proxies,
        RateLimits(settings.limits, RequestCounts(counting), proxies),
        GameQuota(settings.limits.most_games, backend.open_games, backend.games),
        backend.tasks,
        backend.stats,
        backend.journal,
        PlayerChanges(backend.redis, backend.players),
        backend.partings,
        KeptRequests(backend.redis),
    )
    app = make_application(OPERATIONS, services)
    app.extensions[DOORBELL] = doorbell
    cross_origin = CrossOrigin(app.wsgi_app, settings.cors_origins)
    app.extensions[CROSS_ORIGIN] = cross_origin
    app.wsgi_app = Envelope(cross_origin, logs.logger().bind())  # type: ignore[method-assign]
    return app
