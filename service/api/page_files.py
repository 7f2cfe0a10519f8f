"""The files of the page that people play on, read once and compressed once.

They stand one folder deep in `service/page`. The address of a file names the build, which is the hash of all
of them: what a browser has of this build it keeps, and never mixes with what it has of another.
"""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

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
