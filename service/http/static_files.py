"""Files that are the same for every caller: compressed once, and tagged by their contents."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from msgspec import Struct

from service.http.compression import compress
from service.http.responses import Reply

HTML = "text/html; charset=utf-8"
# Caches may keep the file, and ask each time whether it is still good.
ASK_AGAIN = "no-cache"
_BEST_LEVEL = 9


class StaticFile(Struct, frozen=True):
    """Holds a file; `packed` is its gzip form, or None if that saves nothing."""

    media: str
    content: bytes
    packed: bytes | None
    tag: str

    def reply(self, headers: Mapping[str, str]) -> Reply:
        """Return the reply with this file."""
        return Reply(self.content, self.tag, media=self.media, headers=headers, packed=self.packed)


def make_file(content: bytes, media: str, is_dense: bool = False) -> StaticFile:
    """Return a file with its gzip form; one that `is_dense` is compressed already."""
    packed = None if is_dense else compress(content, _BEST_LEVEL)
    return StaticFile(media, content, packed, sha256(content).hexdigest()[:32])
