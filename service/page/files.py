"""The files of the page that people play on, one folder deep in `service/page`.

Their addresses name the build, a hash of all files, so that a browser can cache a file for ever and never
mixes the files of two builds.
"""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256
from html import escape
from pathlib import Path

from service.http.static_files import ASK_AGAIN, HTML, StaticFile, make_file

FOLDER = Path(__file__).parent
# The client that everybody can use; an installed service has a copy of its own.
_SHIPPED_CLIENT = FOLDER / "client" / "croupier.js"
CLIENT = (
    _SHIPPED_CLIENT if _SHIPPED_CLIENT.is_file() else FOLDER.parents[1] / "clients" / "js" / "croupier.js"
)
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".html": HTML,
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
# These files are compressed already.
_DENSE = {".woff2", ".png"}
# The modules of the front page and of a table; the others are loaded when they are needed.
_FIRST = ("app/", "client/", "door/", "table/", "texts/en.js", "vendor/")


@cache
def page_files() -> dict[str, StaticFile]:
    """Return all files of the page by folder and name, read once."""
    paths = (path for path in sorted(FOLDER.glob("*/*")) if path.suffix in TYPES)
    files = {f"{path.parent.name}/{path.name}": _read(path) for path in paths}
    return files | {"client/croupier.js": _read(CLIENT)}


def _read(path: Path) -> StaticFile:
    """Return a file of the page, with its gzip form."""
    return make_file(path.read_bytes(), TYPES[path.suffix], is_dense=path.suffix in _DENSE)


@cache
def build() -> str:
    """Return the name of this build: a hash of all files."""
    told = "".join(f"{name} {file.tag}\n" for name, file in page_files().items())
    return sha256(told.encode()).hexdigest()[:16]


@lru_cache(64)
def document(origin: str = "") -> StaticFile:
    """Return the HTML that is sent for every page address, with preloads for the first modules.

    Without the preloads a browser would find the modules one after another. Programs that show links need
    the whole address of a picture, which begins with the `origin` that the page was asked for at.
    """
    modules = [name for name in page_files() if name.endswith(".js") and name.startswith(_FIRST)]
    lines = [f'<link rel="modulepreload" href="/page/{build()}/{name}">' for name in modules]
    text = (FOLDER / "page.html").read_text("utf-8").replace("<!-- modules -->", "\n".join(lines))
    text = text.replace("{build}", build()).replace("{origin}", escape(origin))
    return make_file(text.encode(), HTML)


# Nothing from elsewhere, and nothing that stands in the document itself. What players write can only be text.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    # The one policy names the service worker, in `app/offline.js`.
    "require-trusted-types-for 'script'; trusted-types croupier-worker"
)
# The service worker may answer for every address, not only for those of its own folder. It fetches what it
# keeps under the policy that its own file came with, and the page that it shows has a style.
FILE_HEADERS = {
    "phone/worker.js": {
        "Service-Worker-Allowed": "/",
        "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
    },
    "phone/offline.html": {
        "Content-Security-Policy": "default-src 'none'; style-src 'self'; font-src 'self'"
    },
}
PAGE_HEADERS = {"Content-Security-Policy": CSP, "Cache-Control": ASK_AGAIN}
FOR_EVER = "public, max-age=31536000, immutable"
