"""The page that people play on. It is one document; its modules ask for everything else by this contract."""

from __future__ import annotations

from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.page_files import PageFile, build, document, page_files
from service.api.problems import problem_of_status
from service.api.rate_limits import UNLIMITED
from service.api.replies import Reply

# Nothing from elsewhere, and nothing that stands in the document itself. What players write can only be text.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE_HEADERS = {"Content-Security-Policy": CSP, "Cache-Control": "no-cache"}
FOR_EVER, ASK_AGAIN = "public, max-age=31536000, immutable", "no-cache"


@operation("GET /", "The page to play on", {"text/html": str}, access=ANYBODY, query=None, kind=UNLIMITED)
def show_front_door(call: Call[None]) -> Reply:
    return _send(call, document(), PAGE_HEADERS)


@operation(
    "GET /stats",
    "The page with figures over all finished games",
    {"text/html": str},
    access=ANYBODY,
    query=None,
    kind=UNLIMITED,
)
def show_stats_page(call: Call[None]) -> Reply:
    return _send(call, document(), PAGE_HEADERS)


@operation(
    "GET /games/{table}",
    "The page with a game on it: to play, to watch, or with `?at=` to replay",
    {"text/html": str},
    access=ANYBODY,
    query=None,
    kind=UNLIMITED,
)
def show_game_page(call: Call[None]) -> Reply:
    return _send(call, document(), PAGE_HEADERS)


@operation(
    "GET /page/{build}/{folder}/{name}",
    "A file of that page; of another build than this one it may be another",
    {"*/*": str},
    access=ANYBODY,
    query=None,
    kind=UNLIMITED,
    refusals=("not_found",),
)
def show_page_file(call: Call[None]) -> Reply:
    file = page_files().get(f"{call.path['folder']}/{call.path['name']}")
    if file is None:
        raise problem_of_status(404)
    current = call.path["build"] == build()
    return _send(call, file, {"Cache-Control": FOR_EVER if current else ASK_AGAIN})


def _send(call: Call[None], file: PageFile, headers: dict[str, str]) -> Reply:
    """Packed where the caller can unpack it; each form has its own tag."""
    headers = {**headers, "Vary": "Accept-Encoding"}
    if file.packed is None or not call.request.accept_encodings["gzip"]:
        return Reply(file.content, file.tag, media=file.media, headers=headers)
    packed = {**headers, "Content-Encoding": "gzip"}
    return Reply(file.packed, f"{file.tag}-gzip", media=file.media, headers=packed)
