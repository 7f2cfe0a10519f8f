"""The export file of a game: writing it, and reading it in bounded memory."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, overload

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from events.chain import UNHASHED, redact_commit
from events.commands import Create
from events.commit import ENDINGS, Commit, Unreadable
from events.types import Event, GameClosed, GameCreated, GameEnded, GameForked, OptionValue
from events.values import GameId, Moment

# The members of the header are part of it: a file with others is of another format.
FILE_FORMAT = "croupier/1"
# Of the lines between several files.
CURSOR_FORMAT = "croupier-cursor/1"
HOW_TO_VERIFY = (
    "python3 verifier/verify.py FILE needs nothing but Python and shares no code with the server; "
    "croupier verify FILE decides every move again; docs/fairness.md says how to write one's own"
)
# All that files were ever written with: whoever words it anew adds to these.
WAYS_TO_VERIFY = (HOW_TO_VERIFY,)
_encoder = msgspec.json.Encoder()


class GameResult(Struct, frozen=True, omit_defaults=True):
    """Of a game that was played to its end, or why it was `closed` before."""

    winners: tuple[int, ...] | None = None
    totals: tuple[int, ...] | None = None
    closed: str = ""


class ForkedFrom(Struct, frozen=True):
    """The game and the version where this one begins."""

    game: GameId
    at: int


class ExportHeader(Struct, frozen=True, omit_defaults=True):
    """The first line of a file. All of it follows from the commits; `result` comes with the end."""

    format: str
    game: GameId
    edition: str
    release: str
    options: dict[str, OptionValue]
    seats: int
    created: Moment
    commits: int
    head: str
    verify: str
    ended: Moment | None = None
    result: GameResult | None = None
    fork: ForkedFrom | None = None


class ExportCursor(Struct, frozen=True):
    """Between the files of many games: whoever breaks off here sends `cursor` to go on."""

    format: str
    cursor: str
    more: bool


def cut_at_end(commits: Sequence[Commit]) -> Sequence[Commit]:
    """Whatever is noted after the end, as that there is a rematch, is no part of the game."""
    ends = (number for number, commit in enumerate(commits, 1) if _find_end(commit) is not None)
    return commits[: next(ends, len(commits))]


def write_file(commits: Sequence[Commit], viewer: int | None = None) -> bytes:
    """The whole game up to its end, as the viewer may see it; once it is over, the same bytes for ever."""
    first, *others = cut_at_end(commits)
    whole = [arrange_options(first), *others]
    return b"\n".join([_encoder.encode(describe_file(whole)), *_write_lines(whole, viewer), b""])


def arrange_options(first: Commit) -> Commit:
    """By their names: no hash covers their order, and all that a hash stands for is to be the same bytes."""
    command = first.command
    events = first.events
    if isinstance(command, Create):
        command = replace(command, options=dict(sorted(command.options.items())))
    return replace(first, command=command, events=tuple(map(_arrange, events)))


def _arrange(event: Event) -> Event:
    if isinstance(event, GameCreated):
        return replace(event, options=dict(sorted(event.options.items())))
    return event


def _write_lines(commits: Sequence[Commit], viewer: int | None) -> Iterator[bytes]:
    over = _find_end(commits[-1]) is not None
    return (_encoder.encode(redact_commit(commit, viewer, over)) for commit in commits)


def describe_file(commits: Sequence[Commit]) -> ExportHeader:
    """Raises LookupError where they do not begin with a creation."""
    created = _find_creation(commits[0].events)
    fork = _find_fork(commits)
    last = commits[-1]
    end = _find_end(commits[-1])
    return ExportHeader(
        format=FILE_FORMAT,
        game=fork.game if fork else created.game,
        edition=created.edition,
        release=created.rules,
        options=created.options,
        seats=len(created.seats),
        created=commits[fork.origin.at if fork else 0].at,
        commits=len(commits),
        head=last.hash,
        verify=HOW_TO_VERIFY,
        ended=last.at if end else None,
        result=_describe_end(end) if end else None,
        fork=ForkedFrom(fork.origin.game, fork.origin.at) if fork else None,
    )


def _find_fork(commits: Sequence[Commit]) -> GameForked | None:
    """The last one: a fork may be forked again."""
    forks = [event for commit in commits for event in commit.events if isinstance(event, GameForked)]
    return forks[-1] if forks else None


def _find_creation(events: Sequence[Event]) -> GameCreated:
    for event in islice(events, 1):
        if isinstance(event, GameCreated):
            return event
    raise LookupError("a game begins with its creation")


def _find_end(commit: Commit) -> GameEnded | GameClosed | None:
    return next((event for event in commit.events if isinstance(event, ENDINGS)), None)


def _describe_end(end: GameEnded | GameClosed) -> GameResult:
    if isinstance(end, GameEnded):
        return GameResult(end.winners, end.totals)
    return GameResult(closed=end.reason)


# Far above any game: the longest have some hundred commits of some hundred bytes.
MOST_COMMITS = 10_000
MIB = 1024 * 1024
LARGEST_FILE = 8 * MIB
# A line, or a file that is one JSON document: these are held decoded for a moment.
LARGEST_DOCUMENT = 2 * MIB
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class UnreadableCommit(Unreadable):
    """It is the commit of this number that nobody can read."""

    def __init__(self, commit: int, why: str) -> None:
        super().__init__(why)
        self.commit = commit


class BadLine(Unreadable):
    """Whatever it was to be; only who has read those before it knows."""


class ExportPage(Struct):
    commits: list[Raw]


class EncodedCommits(Sequence[Any]):
    """They stay bytes and are decoded one at a time: decoded they would take twenty times the room.

    `header` is what the file says of itself, if it does.
    """

    def __init__(self, encoded: Sequence[bytes], header: Any = None) -> None:
        self._encoded = encoded
        self.header = header

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


class Document(NamedTuple):
    """A line of a file, or the whole of it: as it was written, and what it says."""

    written: bytes
    contents: Any


def read_export(file: BinaryIO) -> EncodedCommits:
    """NDJSON with a header or without, a JSON list, or pages as /events gives them. Raises Unreadable."""
    text = file.read(LARGEST_FILE + 1)
    if len(text) > LARGEST_FILE:
        raise Unreadable(f"it is larger than {LARGEST_FILE // MIB} MiB, and no game is")
    encoded = list[bytes]()
    header = None
    number = -1
    try:
        for number, document in enumerate(_documents(text)):
            header = _find_header(document) if number == 0 else header
            if number or header is None:
                encoded += _find_commits(document, len(encoded))
            # Pages may be empty, so commits alone do not tell how long a file goes on.
            if len(encoded) > MOST_COMMITS or number > MOST_COMMITS:
                raise Unreadable(f"it holds more than {MOST_COMMITS:,} commits or lines, and no game does")
    except BadLine as fault:
        # The first line may be no commit at all, and in pages it could be any.
        if number < 0 or len(encoded) != number + (header is None):
            raise
        raise UnreadableCommit(len(encoded) + 1, str(fault)) from fault
    if not encoded:
        raise Unreadable("it holds no commits")
    return EncodedCommits(encoded, header)


def _documents(text: bytes) -> Iterator[Document]:
    """The file where it is one JSON document, else each of its lines."""
    whole = _read_whole(text) if len(text) <= LARGEST_DOCUMENT else None
    if whole is not None:
        yield whole
        return
    for number, line in enumerate(io.BytesIO(text), 1):
        if line.strip():
            yield _read_line(number, line)


def _read_whole(text: bytes) -> Document | None:
    try:
        contents = msgspec.json.decode(text)
    except _NO_JSON:
        return None
    _refuse_twins(text)
    return Document(text, contents)


def _read_line(number: int, line: bytes) -> Document:
    if len(line) > LARGEST_DOCUMENT:
        raise BadLine(f"line {number} is longer than {LARGEST_DOCUMENT // MIB} MiB, and no commit is")
    try:
        contents = msgspec.json.decode(line)
    except _NO_JSON as fault:
        raise BadLine(f"line {number} is no JSON: {fault}") from fault
    _refuse_twins(line)
    return Document(line, contents)


def _refuse_twins(text: bytes) -> None:
    """Of two members of one name each reader would believe another."""
    try:
        json.loads(text, object_pairs_hook=_check_members, parse_int=float)
    except RecursionError as fault:
        raise BadLine("it is nested too deeply to be a game") from fault


def _check_members(pairs: list[tuple[str, Any]]) -> None:
    counts = Counter(name for name, _ in pairs)
    for name, count in counts.items():
        if count > 1:
            raise BadLine(f"it has the member {name} twice in one object")


def _find_header(first: Document) -> Any:
    """What the first line says of the rest; None where it is a commit, whose format is a number."""
    told = first.contents
    return told if isinstance(told, dict) and isinstance(told.get("format"), str) else None


def _find_commits(document: Document, before: int) -> Sequence[bytes]:
    """Those of a page or a list, as they were written; anything else counts as one commit."""
    contents = document.contents
    listed = contents.get("commits") if isinstance(contents, dict) else contents
    commits = listed if isinstance(listed, list) else [contents]
    if before + len(commits) <= MOST_COMMITS:
        for number, commit in enumerate(commits, before + 1):
            _refuse_unhashed(number, commit)
    return _split_page(document.written) if isinstance(listed, list) else [document.written]


def _split_page(written: bytes) -> list[bytes]:
    page: ExportPage | list[Raw] = msgspec.json.decode(written, type=ExportPage | list[Raw])
    return [bytes(raw) for raw in (page.commits if isinstance(page, ExportPage) else page)]


def _refuse_unhashed(number: int, commit: Any) -> None:
    """The service never exports them, and what they say would be nobody's word."""
    for name in UNHASHED:
        if isinstance(commit, dict) and name in commit:
            raise UnreadableCommit(number, f"it has the member {name}, which no hash covers")
