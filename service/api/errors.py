"""Everything that can go wrong in a request, as a problem."""

from __future__ import annotations

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from events.store import KeyReused, Unavailable
from rules.rejection import Rejected
from service.api.doorbell import TooManyListeners
from service.api.envelope import REQUEST_ID, note
from service.api.problems import Problem, from_status, refused, response
from service.logs import logger
from service.play.snapshots import UnknownGame, UnknownVersion
from service.play.writer import Outdated

log = logger()


def register(app: Flask) -> None:
    for kind, translated in _TRANSLATIONS.items():
        app.register_error_handler(kind, lambda fault, translated=translated: _answer(translated(fault)))
    app.register_error_handler(HTTPException, _framework)
    app.register_error_handler(Exception, _unforeseen)


_TRANSLATIONS = {
    Problem: lambda fault: fault,
    Rejected: refused,
    UnknownGame: lambda fault: Problem("unknown_game", "there is no such game"),
    UnknownVersion: lambda fault: Problem("unknown_version", "the game has no such version"),
    Outdated: lambda fault: Problem("stale_version", str(fault), version=fault.version),
    KeyReused: lambda fault: Problem("key_reused", "this Idempotency-Key came with another request before"),
    Unavailable: lambda fault: Problem(
        "unavailable", "the log cannot be reached; repeat the request with the same Idempotency-Key"
    ),
    TooManyListeners: lambda fault: Problem("too_many_streams", "all streams of this server are taken"),
}


def _answer(problem: Problem) -> Response:
    note(code=problem.code)
    return response(problem)


def _framework(fault: HTTPException) -> Response:
    problem = from_status(fault.code or 500)
    allowed = getattr(fault, "valid_methods", None)
    if allowed:
        problem.headers["Allow"] = ", ".join(sorted(allowed))
    return _answer(problem)


def _unforeseen(fault: Exception) -> Response:
    log.error("unforeseen", exc_info=fault, request_id=request.environ.get(REQUEST_ID))
    return _answer(Problem("internal", "something went wrong on our side"))
