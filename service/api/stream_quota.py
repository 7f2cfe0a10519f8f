"""How many streams one address may have open at once, over all processes that share a folder in memory."""

from __future__ import annotations

import os
from collections import Counter
from hashlib import blake2s
from pathlib import Path
from struct import Struct

from service.run_folder import FOLDER, STREAMS, process_name, read_folder_key

# Addresses are told apart by a number of so many; whose is which nobody outside can tell.
PLACES = 1 << 16
_COUNT = Struct("=I")


class TooManyStreams(Exception):
    """One address has as many open as it may."""


class StreamQuota:
    """Each process has a file with a count for every place, and reads those of the others.

    The file of a process that dies is removed with its other signs of life, so that nothing stays counted.
    """

    def __init__(self, most: int, folder: str | None = None, name: str = "") -> None:
        """0 for as many as one likes."""
        self._most = most
        self._counts: Counter[int] = Counter()
        self._folder = Path(folder) if folder and most else None
        self._name = STREAMS + (name or process_name())
        self._key = read_folder_key(self._folder) if self._folder else b""
        self._file = self._make_file() if self._folder else None

    def enter(self, caller: str) -> None:
        """Raises TooManyStreams. Who comes from nowhere is not counted."""
        if not (self._most and caller):
            return
        place = self._place_of(caller)
        if self._counts[place] + self._count_others(place) >= self._most:
            raise TooManyStreams(self._most)
        self._change(place, 1)

    def leave(self, caller: str) -> None:
        if self._most and caller:
            self._change(self._place_of(caller), -1)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _change(self, place: int, by: int) -> None:
        self._counts[place] += by
        count = self._counts[place]
        if not count:
            del self._counts[place]
        if self._file is not None:
            os.pwrite(self._file, _COUNT.pack(count), place * _COUNT.size)

    def _count_others(self, place: int) -> int:
        if self._folder is None:
            return 0
        others = [path for path in self._folder.glob(f"{STREAMS}*") if path.name != self._name]
        return sum(_read_count(path, place) for path in others)

    def _place_of(self, caller: str) -> int:
        return int.from_bytes(blake2s(caller.encode(), key=self._key, digest_size=4).digest()) % PLACES

    def _make_file(self) -> int:
        assert self._folder
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        file = os.open(self._folder / self._name, flags, 0o600)
        # It takes no room where nothing is written.
        os.truncate(file, PLACES * _COUNT.size)
        return file


def _read_count(path: Path, place: int) -> int:
    try:
        with path.open("rb", buffering=0) as file:
            return int(_COUNT.unpack(os.pread(file.fileno(), _COUNT.size, place * _COUNT.size))[0])
    except OSError:
        # Its process has just died.
        return 0


def open_stream_quota(most: int) -> StreamQuota:
    return StreamQuota(most, os.environ.get(FOLDER))
