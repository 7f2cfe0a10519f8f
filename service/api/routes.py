"""From a declared operation to what Flask calls for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from flask import Request, Response

from events.store import Unavailable
from service.api.application import Application
from service.api.calls import Call
from service.api.headers import IF_MATCH, read_if_match, read_key
from service.api.inputs import body_reader, query_reader
from service.api.media_types import media_reader
from service.api.operation import Operation
from service.api.rate_limits import REVIEWING, RateLimits
from service.api.replies import Answer, make_responder
from service.api.services import Services
from service.outages import settle_cause
from service.play.branches import BranchLost
from service.play.snapshots import UnknownGame

GAME_ID = re.compile(r"g_[A-Za-z0-9_-]{22}")
Reader = Callable[[Request], Any]


def make_application(operations: Iterable[Operation], services: Services) -> Application:
    operations = tuple(operations)
    app = Application((re.sub(r"\{(\w+)\}", r"<\1>", one.path), one.id, one.method) for one in operations)
    app.view_functions.update({one.id: make_view(one, services) for one in operations})
    return app


def make_view(operation: Operation, services: Services) -> Callable[..., Response | Answer]:
    """Whatever can be settled before the first request is."""
    readers, identify, handle = make_readers(operation), operation.access.identify, operation.handle
    writes, in_game = operation.method != "GET", operation.in_game
    respond = make_responder(operation.status, operation.cached, not writes)
    admit = make_gate(operation, services.limits)

    def view(request: Request, **path: str) -> Response | Answer:
        admit(request)
        if in_game:
            check_game_id(path["game"])
        try:
            caller = identify(request, services, path.get("game", ""))
            parts = {name: read(request) for name, read in readers.items()}
            try:
                reply = handle(Call(services, request, path, caller, **parts))
            except BranchLost:
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
