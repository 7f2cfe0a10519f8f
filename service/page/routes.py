"""Serves the page that people play on: one HTML document and the files that it loads.

The files are one folder deep in `service/page`. Their addresses name the build, a hash of all files, so that
a browser can cache a file for ever and never mixes the files of two builds.
"""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from service.http.auth import PUBLIC_ACCESS
from service.http.headers import accepts_gzip
from service.http.limits import UNLIMITED
from service.http.operation import Call, operation
from service.http.problems import problem_of_status
from service.http.responses import Reply

FOLDER = Path(__file__).parents[1] / "page"
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
# These files are compressed already.
_DENSE = {".woff2"}
# The modules of the front page and of a table; the others are loaded when they are needed.
_FIRST = ("app/", "door/", "table/", "vendor/")


class PageFile(Struct, frozen=True):
    """Holds a file of the page; `packed` is its gzip form, or None if that saves nothing."""

    media: str
    content: bytes
    packed: bytes | None

    @property
    def tag(self) -> str:
        """Return the entity tag: a hash of the contents."""
        return sha256(self.content).hexdigest()[:32]


@cache
def page_files() -> dict[str, PageFile]:
    """Return all files of the page by folder and name, read once."""
    paths = (path for path in sorted(FOLDER.glob("*/*")) if path.suffix in TYPES)
    return {f"{path.parent.name}/{path.name}": _read(path) for path in paths}


def _read(path: Path) -> PageFile:
    """Return a file of the page, with its gzip form."""
    content = path.read_bytes()
    packed = None if path.suffix in _DENSE else gzip.compress(content, mtime=0)
    return PageFile(TYPES[path.suffix], content, packed)


@cache
def build() -> str:
    """Return the name of this build: a hash of all files."""
    told = "".join(f"{name} {file.tag}\n" for name, file in page_files().items())
    return sha256(told.encode()).hexdigest()[:16]


@cache
def document() -> PageFile:
    """Return the HTML that is sent for every page address, with preloads for the first modules.

    Without the preloads a browser would find the modules one after another.
    """
    modules = [name for name in page_files() if name.endswith(".js") and name.startswith(_FIRST)]
    lines = [f'<link rel="modulepreload" href="/page/{build()}/{name}">' for name in modules]
    text = (FOLDER / "page.html").read_text("utf-8").replace("<!-- modules -->", "\n".join(lines))
    content = text.replace("{build}", build()).encode()
    return PageFile("text/html; charset=utf-8", content, gzip.compress(content, mtime=0))


# Nothing from elsewhere, and nothing that stands in the document itself. What players write can only be text.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE_HEADERS = {"Content-Security-Policy": CSP, "Cache-Control": "no-cache"}
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


@operation(
    "GET /", "The page to play on", {"text/html": str}, access=PUBLIC_ACCESS, query=None, rate_limit=UNLIMITED
)
def show_front_door(call: Call[None]) -> Reply:
    """Reply with the page."""
    return _send(call, document(), PAGE_HEADERS)


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
    return _send(call, document(), PAGE_HEADERS)


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
    return _send(call, document(), PAGE_HEADERS)


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
    file = page_files().get(f"{call.path['folder']}/{call.path['name']}")
    if file is None:
        raise problem_of_status(404)
    current = call.path["build"] == build()
    return _send(call, file, {"Cache-Control": FOR_EVER if current else ASK_AGAIN})


def _send(call: Call[None], file: PageFile, headers: dict[str, str]) -> Reply:
    """Return the reply with a file, in gzip if the caller accepts it; each form has its own tag."""
    headers = {**headers, "Vary": "Accept-Encoding"}
    if file.packed is None or not accepts_gzip(call.request):
        return Reply(file.content, file.tag, media=file.media, headers=headers)
    packed = {**headers, "Content-Encoding": "gzip"}
    return Reply(file.packed, f"{file.tag}-gzip", media=file.media, headers=packed)
