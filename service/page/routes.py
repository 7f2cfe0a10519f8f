"""Serves the page that people play on.

They stand one folder deep in `service/page`. The address of a file names the build, which is the hash of all
of them: what a browser has of this build it keeps, and never mixes with what it has of another.
"""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from service.http.auth import PUBLIC_ACCESS
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
# Compressed already.
_DENSE = {".woff2"}
# What the front door and a table are made of; the rest is asked for when it is needed.
_FIRST = ("app/", "door/", "table/", "vendor/")


class PageFile(Struct, frozen=True):
    """`packed` is the same for who takes gzip, or nothing where that saves nothing."""

    media: str
    content: bytes
    packed: bytes | None

    @property
    def tag(self) -> str:
        return sha256(self.content).hexdigest()[:32]


@cache
def page_files() -> dict[str, PageFile]:
    """By folder and name."""
    paths = (path for path in sorted(FOLDER.glob("*/*")) if path.suffix in TYPES)
    return {f"{path.parent.name}/{path.name}": _read(path) for path in paths}


def _read(path: Path) -> PageFile:
    content = path.read_bytes()
    packed = None if path.suffix in _DENSE else gzip.compress(content, mtime=0)
    return PageFile(TYPES[path.suffix], content, packed)


@cache
def build() -> str:
    """Names what this service has of the page."""
    told = "".join(f"{name} {file.tag}\n" for name, file in page_files().items())
    return sha256(told.encode()).hexdigest()[:16]


@cache
def document() -> PageFile:
    """The only page there is: every module is asked for at once, not one after another finds the next."""
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
