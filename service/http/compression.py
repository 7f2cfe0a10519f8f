"""Compresses replies with gzip for callers who accept it (ADR 0046)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

from flask import Request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from service.games.heavy_work import Stretch
from service.http.headers import LONGEST_PARSED

GZIP = "gzip"
# Makes zlib write the header of gzip, without a time: equal contents have equal bytes.
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
# Of a reply that is made for each request. A higher level takes three times as long and saves a tenth.
_LEVEL = 4
# So much is compressed in a millisecond or two.
CHUNK = 64 * 1024


def accepts_gzip(request: Request) -> bool:
    """Return whether the caller accepts gzip."""
    accepted: str = request.environ.get("HTTP_ACCEPT_ENCODING", "")
    return GZIP in accepted and len(accepted) <= LONGEST_PARSED and _names_gzip(accepted)


@lru_cache(256)
def _names_gzip(accepted: str) -> bool:
    """Return whether a header `Accept-Encoding` allows gzip; clients send the same few of them."""
    return parse_accept_header(accepted, Accept)[GZIP] > 0


def compress(content: bytes, level: int = _LEVEL) -> bytes:
    """Return the content in gzip; lets other requests run meanwhile."""
    packer = zlib.compressobj(level, wbits=_GZIP_WINDOW)
    stretch = Stretch()
    pieces = []
    for start in range(0, len(content), CHUNK):
        stretch.pause()
        pieces.append(packer.compress(content[start : start + CHUNK]))
    pieces.append(packer.flush())
    return b"".join(pieces)


def compress_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces in gzip, each readable as soon as it arrives."""
    packer = zlib.compressobj(_LEVEL, wbits=_GZIP_WINDOW)
    stretch = Stretch()
    for piece in pieces:
        for start in range(0, len(piece), CHUNK):
            stretch.pause()
            yield packer.compress(piece[start : start + CHUNK])
        yield packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


def compress_for(request: Request, pieces: Iterable[bytes]) -> tuple[Iterable[bytes], dict[str, str]]:
    """Return the pieces of a reply as the caller accepts them, and the headers that say so."""
    if not accepts_gzip(request):
        return pieces, {}
    return compress_pieces(pieces), {"Content-Encoding": GZIP}
