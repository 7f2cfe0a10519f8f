"""Serves the page that people play on: one HTML document and the files that it loads."""

from __future__ import annotations

from service.http.auth import PUBLIC_ACCESS
from service.http.limits import UNLIMITED
from service.http.operation import Call, operation
from service.http.problems import problem_of_status
from service.http.responses import Reply
from service.http.static_files import ASK_AGAIN
from service.page.files import (
    FILE_HEADERS,
    FOR_EVER,
    PAGE_HEADERS,
    build,
    document,
    page_files,
)


def _send_document(call: Call[None]) -> Reply:
    return document(call.request.host_url.rstrip("/")).reply(PAGE_HEADERS)


@operation(
    "GET /", "The page to play on", {"text/html": str}, access=PUBLIC_ACCESS, query=None, rate_limit=UNLIMITED
)
def show_front_door(call: Call[None]) -> Reply:
    """Reply with the page."""
    return _send_document(call)


@operation(
    "GET /stats",
    "The page with figures over all finished games",
    {"text/html": str},
    access=PUBLIC_ACCESS,
    query=None,
    rate_limit=UNLIMITED,
)
def show_stats_page(call: Call[None]) -> Reply:
    """Reply with the page, whose script then shows the statistics."""
    return _send_document(call)


@operation(
    "GET /games/{table}",
    "The page with a game on it: to play, to watch, or with `?at=` to replay",
    {"text/html": str},
    access=PUBLIC_ACCESS,
    query=None,
    rate_limit=UNLIMITED,
)
def show_game_page(call: Call[None]) -> Reply:
    """Reply with the page, whose script then shows the game."""
    return _send_document(call)


@operation(
    "GET /page/{build}/{folder}/{name}",
    "A file of that page; of another build than this one it may be another",
    {"*/*": str},
    access=PUBLIC_ACCESS,
    query=None,
    rate_limit=UNLIMITED,
    errors=("not_found",),
)
def show_page_file(call: Call[None]) -> Reply:
    """Reply with a file of the page, cacheable for ever under the current build."""
    name = f"{call.path['folder']}/{call.path['name']}"
    file = page_files().get(name)
    if file is None:
        raise problem_of_status(404)
    current = call.path["build"] == build()
    cached = FOR_EVER if current else ASK_AGAIN
    return file.reply({"Cache-Control": cached, **FILE_HEADERS.get(name, {})})
