"""Everything that can go wrong in a request, as a problem."""

from __future__ import annotations

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from events.store import KeyReused, Unavailable
from rules.rejection import Rejected
from rules.releases import UnknownRules
from service.api.doorbell import TooManyListeners
from service.api.envelope import REQUEST_ID, log_facts
from service.api.problems import Problem, explain_rejection, problem_of_status, to_response
from service.logs import logger
from service.play.snapshots import Outdated, UnknownGame, UnknownVersion

log = logger()


def register_handlers(app: Flask) -> None:
    for kind, translate in _TRANSLATIONS.items():
        app.register_error_handler(kind, lambda fault, translate=translate: _answer(translate(fault)))
    app.register_error_handler(HTTPException, _answer_framework)
    app.register_error_handler(Exception, _answer_unforeseen)


_TRANSLATIONS = {
    Problem: lambda fault: fault,
    Rejected: explain_rejection,
    UnknownGame: lambda fault: Problem("unknown_game", "there is no such game"),
    UnknownVersion: lambda fault: Problem("unknown_version", "the game has no such version"),
    Outdated: lambda fault: Problem("stale_version", str(fault), version=fault.version),
    UnknownRules: lambda fault: Problem("unknown_rules", f"this server does not know {fault}"),
    KeyReused: lambda fault: Problem("key_reused", "this Idempotency-Key came with another request before"),
    Unavailable: lambda fault: Problem(
        "unavailable", "the log cannot be reached; repeat the request with the same Idempotency-Key"
    ),
    TooManyListeners: lambda fault: Problem("too_many_streams", "all streams of this server are taken"),
}


def _answer(problem: Problem) -> Response:
    log_facts(request.environ, code=problem.code)
    return to_response(problem)


def _answer_framework(fault: HTTPException) -> Response:
    problem = problem_of_status(fault.code or 500)
    allowed = getattr(fault, "valid_methods", None)
    if allowed:
        problem.headers["Allow"] = ", ".join(sorted(allowed))
    return _answer(problem)


def _answer_unforeseen(fault: Exception) -> Response:
    log.error("unforeseen", exc_info=fault, request_id=request.environ.get(REQUEST_ID))
    return _answer(Problem("internal", "something went wrong on our side"))
