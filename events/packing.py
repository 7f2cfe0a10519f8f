"""Packs commits for the stream of a game: zstd with a dictionary, without what the stream says elsewhere.

A packed entry is one byte with the number of its dictionary, then a zstd frame. The commit in the frame lacks
`prev`, which is the hash of the entry before, `hash`, which is a field of the entry, and `key` and `request`,
which are stored with the requests of the game. An entry that begins with "{" is the JSON of a whole commit:
0.2 and earlier releases wrote that.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from threading import Lock

import zstandard
from msgspec.structs import replace

from events.commit import Commit, encode

# The dictionary for new entries. None in `dictionaries/` is ever changed or removed: stored entries need it.
NEWEST = 1
_WITHOUT_PREV = b'"prev":""'
# A context of zstandard must not be used by two threads at once, and takes long to set up.
_using_context = Lock()


def pack(commit: Commit) -> bytes:
    """Return a commit as the stream stores it."""
    rest = encode(replace(commit, prev="", hash="", key="", request=""))
    with _using_context:
        return bytes((NEWEST,)) + _compressor().compress(rest)


def unpack(entry: bytes, prev: str, hash: str) -> bytes:
    """Return the JSON of a stored commit.

    An entry that cannot be unpacked is returned as it is: those who decode it find that it is unreadable.
    """
    if entry[:1] == b"{":
        return entry
    try:
        with _using_context:
            rest = _decompressor(entry[0]).decompress(entry[1:])
    except (zstandard.ZstdError, FileNotFoundError, IndexError):
        return entry
    # Nothing behind `prev` has a member of that name, and in a text the quotes would be escaped.
    before, _, behind = rest.rpartition(_WITHOUT_PREV)
    return b'%b"prev":"%b","hash":"%b"%b' % (before, prev.encode(), hash.encode(), behind)


@cache
def _compressor() -> zstandard.ZstdCompressor:
    # The entry names its dictionary, and the chain of hashes is its checksum.
    return zstandard.ZstdCompressor(dict_data=_dictionary(NEWEST), write_dict_id=False, write_checksum=False)


@cache
def _decompressor(number: int) -> zstandard.ZstdDecompressor:
    return zstandard.ZstdDecompressor(dict_data=_dictionary(number))


def _dictionary(number: int) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(
        files("events").joinpath(f"dictionaries/{number}.zdict").read_bytes()
    )
