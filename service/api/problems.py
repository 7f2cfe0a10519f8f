"""Refusals as problem details (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from flask import Response
from msgspec import Struct

from rules.about import Option
from rules.rejection import Reason, Rejected

PROBLEM_JSON = "application/problem+json"
RETRY_SECONDS = 1
NOTHING_THERE = "there is nothing at this address; /docs and /openapi.yaml list all that there are"

STATUS = {
    "bad_request": 400,
    "bad_json": 400,
    "duplicate_key": 400,
    "lone_surrogate": 400,
    "bad_header": 400,
    "weak_key": 400,
    "unauthorized": 401,
    "not_seated": 403,
    "not_yours": 403,
    "advice_off": 403,
    "not_found": 404,
    "unknown_game": 404,
    "unknown_version": 404,
    "unknown_player": 404,
    "unknown_task": 404,
    "no_decision": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "request_timeout": 408,
    "game_exists": 409,
    "cursor_lost": 410,
    "length_required": 411,
    "stale_version": 412,
    "too_large": 413,
    "uri_too_long": 414,
    "unsupported_media_type": 415,
    "headers_too_large": 431,
    "invalid_body": 422,
    "invalid_query": 422,
    "bad_file": 422,
    "key_reused": 422,
    "too_many_requests": 429,
    "too_many_games": 429,
    "stream_quota": 429,
    "internal": 500,
    "unknown_rules": 501,
    "unavailable": 503,
    "not_ready": 503,
    "broken_log": 503,
    "task_failed": 503,
    "too_many_streams": 503,
}
# What the rules refuse is a conflict with the table, unless it is the request itself that is wrong.
_FAULTS = {
    Reason.UNKNOWN_EDITION: 422,
    Reason.UNKNOWN_OPTION: 422,
    Reason.BAD_OPTION: 422,
    Reason.BAD_SEATS: 422,
    Reason.UNKNOWN_SEAT: 422,
    Reason.NOT_ASKED: 403,
    Reason.NOT_HOST: 403,
}
PLAN_REFUSALS = (Reason.UNKNOWN_EDITION, Reason.UNKNOWN_OPTION, Reason.BAD_OPTION, Reason.BAD_SEATS)
SEAT_REFUSALS = (
    *(Reason.UNKNOWN_SEAT, Reason.SEAT_TAKEN, Reason.ALREADY_SEATED),
    *(Reason.ALREADY_STARTED, Reason.GAME_OVER, Reason.TOO_OFTEN),
)
LOBBY_REFUSALS = (Reason.NOT_HOST, Reason.ALREADY_STARTED, Reason.GAME_OVER)
REMATCH_REFUSALS = (Reason.NOT_OVER, Reason.NOT_STARTED, Reason.GAME_OVER)
FORK_REFUSALS = (
    *(Reason.NOT_OVER, Reason.NOT_STARTED, Reason.GAME_OVER, Reason.BAD_SEATS),
    *(Reason.TOO_OFTEN, Reason.UNPROVEN),
)
_ENDINGS = (Reason.NOT_HOST, Reason.NOT_OVER, Reason.UNPROVEN)
_ELSEWHERE = {*PLAN_REFUSALS, *SEAT_REFUSALS, *_ENDINGS} - {Reason.GAME_OVER}
CHOICE_REFUSALS = tuple(reason for reason in Reason if reason not in _ELSEWHERE)
REFUSALS = {reason.value: _FAULTS.get(reason, 409) for reason in Reason}
CODES = STATUS | REFUSALS


class Fault(Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong: in the body at a JSON pointer, or in a parameter."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None
    code: str | None = None


class ProblemBody(Struct, frozen=True, omit_defaults=True):
    """Why a request was refused; `code` is stable, `detail` is for people.

    `cause` says in one word why the log takes no writes now, or is not ready. `commit` is the first of a file
    that does not fit. `doc` is where the code is explained;
    `request_id` is that of the reply's X-Request-ID.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[Fault] = []
    options: Sequence[Option] | None = None
    version: int | None = None
    commit: int | None = None
    rule: str = ""
    cause: str = ""
    request_id: str = ""
    doc: str = ""


class Problem(Exception):
    """Raised anywhere in a request; `members` are those of ProblemBody."""

    def __init__(
        self, code: str, detail: str, headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code, self.detail, self.members = code, detail, members
        self.status = CODES[code]
        self.headers = {**_HEADERS.get(self.status, {}), **(headers or {})}


_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": 'Bearer realm="croupier"'},
    503: {"Retry-After": str(RETRY_SECONDS)},
}


def explain_rejection(rejected: Rejected, **members: Any) -> Problem:
    """What the rules said, in HTTP."""
    if rejected.where:
        members["errors"] = [to_fault(rejected)]
    return Problem(rejected.reason.value, rejected.detail, rule=rejected.rule, **members)


def to_fault(rejected: Rejected) -> Fault:
    return Fault(rejected.detail, rejected.where, code=rejected.reason.value)


def to_response(problem: Problem, request_id: str = "") -> Response:
    """Without an id where the request never came so far as to have one."""
    content = msgspec.json.encode(to_body(problem, request_id))
    return Response(content, problem.status, problem.headers, content_type=PROBLEM_JSON)


def to_body(problem: Problem, request_id: str) -> ProblemBody:
    return ProblemBody(
        type=f"urn:problem-type:croupier:{problem.code}",
        title=problem.code.replace("_", " ").capitalize(),
        status=problem.status,
        detail=problem.detail,
        code=problem.code,
        request_id=request_id,
        doc=f"/v1/problems/{problem.code}",
        **problem.members,
    )


def problem_of_status(status: int) -> Problem:
    """For what the framework refuses; a status of its own kind counts as a bad request."""
    named = {number: code for code, number in reversed(STATUS.items())}
    detail = NOTHING_THERE if status == HTTPStatus.NOT_FOUND else HTTPStatus(status).description
    return Problem(named.get(status, "bad_request"), detail)
