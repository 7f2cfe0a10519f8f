"""What the log and everything else is sent as."""

from __future__ import annotations

from collections.abc import Callable

from flask import Request

from service.api.problems import Problem

JSON = "application/json"
NDJSON = "application/x-ndjson"
SSE = "text/event-stream"


def media_reader(first: str, *others: str) -> Callable[[Request], str]:
    """Reads from Accept which of these the caller wants; the first where nothing is said. Raises Problem."""
    offered, named = [first, *others], ", ".join((first, *others[:-1]))

    def read_media(request: Request) -> str:
        accepted = request.accept_mimetypes
        media = accepted.best_match(offered) if accepted else first
        if media is None:
            raise Problem("not_acceptable", f"there are {named} and {others[-1]}")
        return media

    return read_media
