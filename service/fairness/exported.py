"""Reads a file that a game was exported to, and never more of it than a game could fill."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, overload

import msgspec
from msgspec import Raw, Struct

from events.chain import UNHASHED
from events.codec import Unreadable

# Far above any game: the longest have some hundred commits of some hundred bytes.
MOST_COMMITS = 10_000
MIB = 1024 * 1024
LARGEST_FILE = 8 * MIB
# A line, or a file that is one JSON document: these are held decoded for a moment.
LARGEST_DOCUMENT = 2 * MIB


class Page(Struct):
    commits: list[Raw]


class EncodedCommits(Sequence[Any]):
    """They stay bytes and are decoded one at a time: decoded they would take twenty times the room.

    `header` is what the file says of itself, if it does.
    """

    def __init__(self, encoded: Sequence[bytes], header: Any = None) -> None:
        self._encoded, self.header = encoded, header

    def __len__(self) -> int:
        return len(self._encoded)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> EncodedCommits: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return EncodedCommits(self._encoded[index])
        return msgspec.json.decode(self._encoded[index])


def read_export(file: BinaryIO) -> EncodedCommits:
    """NDJSON with a header or without, a JSON list, or pages as /events gives them. Raises Unreadable."""
    text = file.read(LARGEST_FILE + 1)
    if len(text) > LARGEST_FILE:
        raise Unreadable(f"it is larger than {LARGEST_FILE // MIB} MiB, and no game is")
    encoded, header = list[bytes](), None
    for number, document in enumerate(_documents(text)):
        header = _read_header(document) if number == 0 else header
        encoded += [] if number == 0 and header is not None else _split_document(document)
        if len(encoded) > MOST_COMMITS:
            raise Unreadable(f"it holds more than {MOST_COMMITS:,} commits, and no game does")
    if not encoded:
        raise Unreadable("it holds no commits")
    commits = EncodedCommits(encoded, header)
    _refuse_unhashed(commits)
    return commits


def _documents(text: bytes) -> Iterator[bytes]:
    """The file where it is one JSON document, else each of its lines."""
    if len(text) <= LARGEST_DOCUMENT and _is_json(text):
        _refuse_twins(text)
        yield text
        return
    for number, line in enumerate(io.BytesIO(text), 1):
        if line.strip():
            _check_line(number, line)
            yield line


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _check_line(number: int, line: bytes) -> None:
    if len(line) > LARGEST_DOCUMENT:
        raise Unreadable(f"line {number} is longer than {LARGEST_DOCUMENT // MIB} MiB, and no commit is")
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Unreadable(f"line {number} is no JSON: {fault}") from fault
    _refuse_twins(line)


def _refuse_twins(text: bytes) -> None:
    """Of two members of one name each reader would believe another."""
    try:
        json.loads(text, object_pairs_hook=_check_members, parse_int=float)
    except RecursionError as fault:
        raise Unreadable("it is nested too deeply to be a game") from fault


def _check_members(pairs: list[tuple[str, Any]]) -> None:
    counts = Counter(name for name, _ in pairs)
    for name, count in counts.items():
        if count > 1:
            raise Unreadable(f"it has the member {name} twice in one object")


def _read_header(document: bytes) -> Any:
    """What the first line says of the rest; None where it is a commit, whose format is a number."""
    first = msgspec.json.decode(document)
    return first if isinstance(first, dict) and isinstance(first.get("format"), str) else None


def _split_document(document: bytes) -> list[bytes]:
    """The commits of a page or a list, as they were written; anything else counts as one commit."""
    try:
        page: Page | list[Raw] = msgspec.json.decode(document, type=Page | list[Raw])
    except msgspec.ValidationError:
        return [document]
    return [bytes(raw) for raw in (page.commits if isinstance(page, Page) else page)]


def _refuse_unhashed(commits: Sequence[Any]) -> None:
    """The service never exports them, and what they say would be nobody's word."""
    for number, commit in enumerate(commits, 1):
        for name in UNHASHED:
            if isinstance(commit, dict) and name in commit:
                raise Unreadable(f"commit {number} has the member {name}, which no hash covers")
