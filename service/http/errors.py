"""Maps every exception of a request to a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Request, Response
from werkzeug.exceptions import HTTPException

from events.redis import CAUSES
from events.store import KeyReused, Unavailable
from rules import Rejected
from rules.releases import UnknownRules
from service import metrics
from service.games.cache import BrokenLog
from service.games.idempotency import LEAST_LENGTH, WeakKey
from service.games.snapshots import Outdated, UnknownGame, UnknownVersion
from service.http.doorbell import TooManyListeners
from service.http.envelope import REQUEST_ID, log_facts
from service.http.headers import IDEMPOTENCY_KEY
from service.http.limits import TooManyStreams
from service.http.problems import Fault, Problem, explain_rejection, problem_of_status, to_response
from service.incidents import settle_cause
from service.logs import logger

STREAM_RETRY_SECONDS = 15
# Said of a private game, too, to whoever has neither a seat nor its code.
NO_GAME = "there is no such game; a private one needs a token of it, or its code: POST /v1/codes"
ADVICE = "repeat the request with the same Idempotency-Key"
ALTERED = "the log of this game is not what was written,"
LOOK = "nobody plays on; without a token its events and its audit still show what is there"
# Somebody has to put the log right first.
REPAIR = {"Retry-After": "60"}
GUESSABLE = "whoever guesses this Idempotency-Key gets the tokens of the reply: use a random UUID"
USE = f"without a token it is a random UUID, or {LEAST_LENGTH} to 128 characters that are as hard to guess"

log = logger()


def answer_fault(request: Request, fault: Exception) -> Response:
    """What nobody foresaw goes to the log with its traceback, and to the caller as an internal fault."""
    problem = _translate(fault)
    if problem is None:
        log.error("unforeseen", exc_info=fault, request_id=request.environ.get(REQUEST_ID))
        problem = Problem("internal", "something went wrong on our side")
    log_facts(request.environ, code=problem.code)
    return to_response(problem, request.environ.get(REQUEST_ID, ""))


def _translate(fault: Exception) -> Problem | None:
    for kind in type(fault).__mro__:
        translate = _TRANSLATIONS.get(kind)
        if translate is not None:
            return translate(fault)
    return None


def _explain_framework(fault: HTTPException) -> Problem:
    """No such route, no such method."""
    problem = problem_of_status(fault.code or 500)
    allowed = getattr(fault, "valid_methods", None)
    if allowed:
        problem.headers["Allow"] = ", ".join(sorted(allowed))
        problem.detail = f"this address takes {', '.join(sorted({*allowed} - {'HEAD', 'OPTIONS'}))}"
    return problem


def _explain_outage(fault: Unavailable) -> Problem:
    cause = settle_cause(fault.cause)
    return Problem("unavailable", f"{CAUSES[cause]}; {ADVICE}", cause=cause)


def _explain_version(fault: UnknownVersion) -> Problem:
    if not fault.newest:
        return Problem(
            "unknown_version", "the game has no such version: a whole number from 1 on is expected"
        )
    detail = f"the game has no such version; it has 1 to {fault.newest}"
    return Problem("unknown_version", detail, version=fault.newest)


def _refuse_stream(fault: TooManyStreams) -> Problem:
    metrics.count_limit_hit("open_streams")
    detail = f"one address may have {fault} streams open, and calls that wait for news; close one first"
    return Problem("stream_quota", detail, {"Retry-After": str(STREAM_RETRY_SECONDS)})


_TRANSLATIONS: Mapping[type[Exception], Callable[[Any], Problem]] = {
    Problem: lambda fault: fault,
    Rejected: explain_rejection,
    UnknownGame: lambda fault: Problem("unknown_game", NO_GAME),
    UnknownVersion: lambda fault: _explain_version(fault),
    Outdated: lambda fault: Problem("stale_version", str(fault), version=fault.version),
    UnknownRules: lambda fault: Problem("unknown_rules", f"this server does not know {fault}"),
    KeyReused: lambda fault: Problem("key_reused", "this Idempotency-Key came with another request before"),
    BrokenLog: lambda fault: Problem("broken_log", f"{ALTERED} at {fault}; {LOOK}", REPAIR),
    WeakKey: lambda fault: Problem(
        "weak_key", GUESSABLE, errors=[Fault(USE, parameter=IDEMPOTENCY_KEY.name)]
    ),
    Unavailable: _explain_outage,
    HTTPException: _explain_framework,
    TooManyStreams: lambda fault: _refuse_stream(fault),
    TooManyListeners: lambda fault: Problem("too_many_streams", "all streams of this server are taken"),
}
