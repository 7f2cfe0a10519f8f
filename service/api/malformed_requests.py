"""The reply to what cannot be read as HTTP and so never reaches the application."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus

from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException

from service.api.connections import RequestTimeout
from service.api.envelope import HEADERS
from service.api.problems import Problem, to_response

INCOMPLETE = "the request did not come whole in time, or made room for others; send it again"
_REFUSALS = {
    LimitRequestLine: Problem("uri_too_long", "the first line of the request is too long"),
    LimitRequestHeaders: Problem("headers_too_large", "the request has too many headers or too long ones"),
    RequestTimeout: Problem("request_timeout", INCOMPLETE),
}
_NO_HTTP = Problem("bad_request", "this is no request in HTTP/1.1 that the server can read")


def encode_refusal(fault: ParseException, more: tuple[tuple[str, str], ...] = ()) -> bytes:
    """As it goes over the wire; `more` are headers that win over those of every reply."""
    return _encode(_REFUSALS.get(type(fault), _NO_HTTP), more)


@cache
def _encode(problem: Problem, more: tuple[tuple[str, str], ...]) -> bytes:
    reply, status = to_response(problem), HTTPStatus(problem.status)
    usual = [header for header in HEADERS if header[0] not in dict(more)]
    headers = [*reply.headers, *usual, *more, ("Connection", "close")]
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode() + reply.get_data()
