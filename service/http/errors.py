"""Error handlers: every exception that a request may raise becomes a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter, sleep
from typing import Any

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import HTTPException, InternalServerError, NotFound

from events.redis import CAUSES
from events.store import KeyReused, Unavailable
from events.text import Joined, Sentence, Text
from rules import Rejected
from rules.releases import UnknownRules
from service import metrics
from service.games.cache import BrokenLog
from service.games.idempotency import KEY_REUSED, LEAST_LENGTH, WeakKey
from service.games.snapshots import Outdated, UnknownCode, UnknownGame, UnknownVersion
from service.http.doorbell import TooManyListeners
from service.http.fields import GAME_ID
from service.http.headers import IDEMPOTENCY_KEY
from service.http.hooks import add_log_facts
from service.http.languages import choose_language
from service.http.limits import TooManyStreams
from service.http.problems import Fault, Problem, explain_rejection, problem_of_status, to_response
from service.http.static_files import HTML
from service.incidents import resolve_cause
from service.page.files import PAGE_HEADERS, document

STREAM_RETRY_SECONDS = 15
# The key in the configuration of Flask for the time after which a request for an unknown game is answered.
UNKNOWN_GAME_SECONDS = "UNKNOWN_GAME_SECONDS"
# A longer address is not compared with the known ones.
LONGEST_ADDRESS = 200
# Also the reply about a private game, to a caller with neither a seat nor its code.
NO_CODE = Text("No private game has this code. Ask the person who invited you for the right one.")
NO_GAME_ID = Text("This is not the id of a game, which is `g_` and 22 letters, digits, `_` or `-`.")
NO_GAME = Text(
    "There is no game with this id. A private game needs one of its tokens, or its code at `POST /v1/codes`."
)
ADVICE = Text("Repeat the request with the same `Idempotency-Key`.")
ALTERED = "The log of this game was altered at version {version}: {why}."
LOOK = Text("Nobody can play on. Without a token its events and its audit still show what is there.")
# An operator has to repair the log first.
REPAIR = {"Retry-After": "60"}
GUESSABLE = Text("`Idempotency-Key` is too easy to guess for a request without a token; use a random UUID.")
USE = Text(
    "must be a random UUID, or {least} to 128 characters that are as hard to guess", least=LEAST_LENGTH
)


def register_error_handlers(app: Flask) -> None:
    """Register a handler for every exception that a request may raise; each answers with a problem."""
    for kind, explain in EXPLANATIONS.items():
        app.register_error_handler(kind, partial(_answer, explain))
    app.register_error_handler(NotFound, _answer_not_found)


def _answer(explain: Callable[[Any], Problem], fault: Exception) -> Response:
    """Return the response for an exception, and add its code to the log line of the request."""
    problem = explain(fault)
    add_log_facts(code=problem.code)
    return to_response(problem, g.request_id, choose_language(request))


def _explain_http_exception(fault: HTTPException) -> Problem:
    """Return the problem for an exception of werkzeug; for a wrong method it names the right ones."""
    problem = problem_of_status(fault.code or 500)
    allowed = getattr(fault, "valid_methods", None)
    if allowed:
        problem.headers["Allow"] = ", ".join(sorted(allowed))
        methods = ", ".join(sorted({*allowed} - {"HEAD", "OPTIONS"}))
        problem.detail = Joined(
            (Text("This address accepts {methods}.", methods=methods), *_say_instead()),
            " ",
        )
    return problem


def _say_instead() -> tuple[str, ...]:
    """Return what to do instead of deleting a game, which nobody can; nothing for other requests."""
    is_game = request.path.startswith("/v1/games/") and request.path.count("/") == 3
    if request.method != "DELETE" or not is_game:
        return ()
    return (Text("A game cannot be deleted; `POST` to its `/cancel`, `/leave` or `/void` instead."),)


def _answer_not_found(fault: NotFound) -> Response:
    """Return the page to a browser that asks for HTML outside the API, and the problem to programs."""
    wanted = request.accept_mimetypes.best_match(("application/problem+json", "text/html"))
    if wanted != "text/html" or request.path.startswith(("/v1/", "/page/")):
        return _answer(_explain_not_found, fault)
    add_log_facts(code="not_found")
    return Response(document().content, 404, {**PAGE_HEADERS, "Content-Type": HTML})


def _explain_not_found(fault: NotFound) -> Problem:
    """Return the problem for an unknown address; name the right one if a slash or prefix is wrong."""
    path = request.path
    plain = path.rstrip("/")
    routes = current_app.create_url_adapter(request)
    if routes and plain and len(path) <= LONGEST_ADDRESS:
        for meant in (plain, f"/v1{plain}"):
            if meant != path and routes.allowed_methods(meant):
                return Problem(
                    "not_found",
                    Text("There is nothing at this address. Did you mean `{meant}`?", meant=meant),
                )
    return _explain_http_exception(fault)


def _explain_unknown_game(fault: UnknownGame) -> Problem:
    """Return the problem for a game that is not there or hidden, as late for the one as for the other.

    To find out that there is no game takes another time than to find out that it is private, so the reply is
    held back until a moment that depends on neither.
    """
    due = g.started_at + current_app.config[UNKNOWN_GAME_SECONDS]
    # Again and again, because gevent counts from the last turn of its loop and wakes too early.
    while (left := due - perf_counter()) > 0:
        sleep(left)
    return Problem("unknown_game", _say_what_is_unknown(fault))


def _say_what_is_unknown(fault: UnknownGame) -> str:
    if isinstance(fault, UnknownCode):
        return NO_CODE
    return NO_GAME if GAME_ID.fullmatch(str(fault)) else NO_GAME_ID


def _explain_outage(fault: Unavailable) -> Problem:
    """Return the problem for a log that cannot be written or read now."""
    cause = resolve_cause(fault.cause)
    told: str = Text(CAUSES[cause])
    if cause == "replicas":
        told = Text("{told}, so it is not known whether the request was carried out", told=told)
    return Problem("unavailable", Joined((Sentence(told), ADVICE), " "), cause=cause)


def _explain_version(fault: UnknownVersion) -> Problem:
    """Return the problem for an unknown version, which names the newest one."""
    if not fault.newest:
        return Problem("unknown_version", "the version must be an integer, at least 1")
    detail = Text("the game has only versions 1 to {newest}", newest=fault.newest)
    return Problem("unknown_version", detail, version=fault.newest)


def _refuse_stream(fault: TooManyStreams) -> Problem:
    """Return the problem for an address with too many streams, and count it."""
    metrics.count_limit_hit("open_streams")
    detail = Text(
        "One address may have {most} open streams and waiting requests. Close one first.", most=str(fault)
    )
    return Problem("stream_quota", detail, {"Retry-After": str(STREAM_RETRY_SECONDS)})


EXPLANATIONS: Mapping[type[Exception], Callable[[Any], Problem]] = {
    Problem: lambda fault: fault,
    Rejected: explain_rejection,
    UnknownGame: _explain_unknown_game,
    UnknownVersion: _explain_version,
    Outdated: lambda fault: Problem("stale_version", fault.detail, version=fault.version),
    UnknownRules: lambda fault: Problem(
        "unknown_rules", Text("this server does not support {rules}", rules=str(fault))
    ),
    KeyReused: lambda fault: Problem("key_reused", KEY_REUSED),
    BrokenLog: lambda fault: Problem(
        "broken_log", Joined((Text(ALTERED, version=fault.version, why=fault.why), LOOK), " "), REPAIR
    ),
    WeakKey: lambda fault: Problem(
        "weak_key", GUESSABLE, errors=[Fault(USE, parameter=IDEMPOTENCY_KEY.name)]
    ),
    Unavailable: _explain_outage,
    # Flask raises it for an exception that has no handler, and logs that.
    InternalServerError: lambda fault: Problem("internal", "Something went wrong on our side."),
    HTTPException: _explain_http_exception,
    TooManyStreams: _refuse_stream,
    TooManyListeners: lambda fault: Problem("too_many_streams", "This server has no free streams."),
}
