"""Writes the export file of a game, and reads one in bounded memory: `write_file` and `read_export`."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, overload

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from events.chain import UNHASHED, redact_commit
from events.commands import Create
from events.commit import ENDINGS, Commit, Unreadable
from events.text import Text, grouped
from events.types import Event, GameClosed, GameCreated, GameEnded, GameForked, OptionValue
from events.values import GameId, Moment
from service.fairness.signatures import Signature

# The members of the header are part of it: a file with others is of another format.
FILE_FORMAT = "croupier/1"
# The format of files whose header has a signature.
SIGNED_FORMAT = "croupier/2"
# The format of the lines that separate the files of several games.
CURSOR_FORMAT = "croupier-cursor/1"
HOW_TO_VERIFY = (
    "python3 verifier/verify.py FILE needs nothing but Python and shares no code with the server; "
    "croupier verify FILE decides every move again; docs/fairness.md says how to write one's own"
)
# Every text that files were ever written with. A new text is added, because old files stay valid.
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
    """The first line of a file. All of it follows from the commits; `result` comes with the end.

    Only `signature`, of `head`, does not: it says which service the game was played on.
    """

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
    signature: Signature | None = None


class ExportCursor(Struct, frozen=True):
    """Between the files of many games: whoever breaks off here sends `cursor` to go on."""

    format: str
    cursor: str
    more: bool


def cut_at_end(commits: Sequence[Commit]) -> Sequence[Commit]:
    """Return the commits up to the end of the game, without what is recorded later, as a rematch."""
    ends = (number for number, commit in enumerate(commits, 1) if _find_end(commit) is not None)
    return commits[: next(ends, len(commits))]


def write_file(
    commits: Sequence[Commit], viewer: int | None = None, signature: Signature | None = None
) -> bytes:
    """Return the export file of a game up to its end, as the viewer may see it.

    Once the game is over, the bytes never change.
    """
    return b"\n".join([*write_lines(commits, viewer, signature), b""])


def write_lines(
    commits: Sequence[Commit], viewer: int | None = None, signature: Signature | None = None
) -> Iterator[bytes]:
    """Yield the lines of the export file of a game."""
    first, *others = cut_at_end(commits)
    whole = [arrange_options(first), *others]
    over = _find_end(whole[-1]) is not None
    yield _encoder.encode(describe_file(whole, signature if over else None))
    for commit in whole:
        yield _encoder.encode(redact_commit(commit, viewer, over))


def arrange_options(first: Commit) -> Commit:
    """Return the first commit with its options ordered by name.

    No hash covers their order, and the file of a game must always have the same bytes.
    """
    command = first.command
    events = first.events
    if isinstance(command, Create):
        command = replace(command, options=dict(sorted(command.options.items())))
    return replace(first, command=command, events=tuple(map(_arrange, events)))


def _arrange(event: Event) -> Event:
    """Return an event with its options ordered by name, if it has any."""
    if isinstance(event, GameCreated):
        return replace(event, options=dict(sorted(event.options.items())))
    return event


def describe_file(commits: Sequence[Commit], signature: Signature | None = None) -> ExportHeader:
    """Return the header of a file with these commits, and their signature if there is one.

    Raises LookupError if they begin with no creation.
    """
    created = _find_creation(commits[0].events)
    fork = _find_fork(commits)
    last = commits[-1]
    end = _find_end(commits[-1])
    return ExportHeader(
        format=SIGNED_FORMAT if signature else FILE_FORMAT,
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
        signature=signature,
    )


def _find_fork(commits: Sequence[Commit]) -> GameForked | None:
    """Return the last fork in the log, or None; a fork may be forked again."""
    forks = [event for commit in commits for event in commit.events if isinstance(event, GameForked)]
    return forks[-1] if forks else None


def _find_creation(events: Sequence[Event]) -> GameCreated:
    """Return the first event. Raises LookupError if it is no creation."""
    for event in islice(events, 1):
        if isinstance(event, GameCreated):
            return event
    raise LookupError("a game begins with its creation")


def _find_end(commit: Commit) -> GameEnded | GameClosed | None:
    """Return the event with which a commit ends the game, or None."""
    return next((event for event in commit.events if isinstance(event, ENDINGS)), None)


def _describe_end(end: GameEnded | GameClosed) -> GameResult:
    """Return the result that the header states."""
    if isinstance(end, GameEnded):
        return GameResult(end.winners, end.totals)
    return GameResult(closed=end.reason)


# Far above any game: the longest have some hundred commits of some hundred bytes.
MOST_COMMITS = 10_000
MIB = 1024 * 1024
LARGEST_FILE = 8 * MIB
# The limit of a line, or of a file that is one JSON document: these are decoded in one piece.
LARGEST_DOCUMENT = 2 * MIB
# A document of more bytes than the first that has an object for fewer bytes than the second is no game: the
# objects of a game take some 60 bytes each.
SMALL_DOCUMENT = 64 * 1024
LEAST_OBJECT = 16
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class UnreadableCommit(Unreadable):
    """Says which commit of a file cannot be read."""

    def __init__(self, commit: int, why: str) -> None:
        super().__init__(why)
        self.commit = commit


class BadLine(Unreadable):
    """Says that a line cannot be read; `read_export` finds out whether it should be a commit."""


class ExportPage(Struct):
    """Holds the commits of a page of /events, undecoded."""

    commits: list[Raw]


class EncodedCommits(Sequence[Any]):
    """Holds commits as bytes and decodes one at a time: decoded they would take twenty times the memory.

    `header` is the header of the file, or None if it has none.
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
    """Holds a line of a file, or a whole file that is one JSON document: its bytes and its contents."""

    written: bytes
    contents: Any


# Takes the number of a commit and its bytes.
CommitCheck = Callable[[int, bytes], None]


def accept_commit(number: int, commit: bytes) -> None:
    """Do nothing: accept any commit."""


def read_export(file: BinaryIO, check: CommitCheck = accept_commit) -> EncodedCommits:
    """Read the commits, and the header if there is one, of an export file. Raises Unreadable.

    Takes NDJSON with a header or without, a JSON list, and pages as /events gives them. Calls `check` with
    each commit before the next one is read.
    """
    text = file.read(LARGEST_FILE + 1)
    if len(text) > LARGEST_FILE:
        raise Unreadable(Text("it is larger than {most} MiB, and no game is", most=LARGEST_FILE // MIB))
    encoded = list[bytes]()
    header = None
    number = -1
    try:
        for number, document in enumerate(_documents(text)):
            header = _find_header(document) if number == 0 else header
            if number or header is None:
                found = _find_commits(document, len(encoded))
                for place, commit in enumerate(found[: MOST_COMMITS - len(encoded)], len(encoded) + 1):
                    check(place, commit)
                encoded += found
            # Pages may be empty, so the number of commits alone does not bound the number of lines.
            if len(encoded) > MOST_COMMITS or number > MOST_COMMITS:
                raise Unreadable(
                    Text(
                        "it holds more than {most} commits or lines, and no game does",
                        most=grouped(MOST_COMMITS),
                    )
                )
    except BadLine as fault:
        # The number of the commit is known only if every line before this one held one commit.
        if number < 0 or len(encoded) != number + (header is None):
            raise
        raise UnreadableCommit(len(encoded) + 1, str(fault)) from fault
    if not encoded:
        raise Unreadable("it holds no commits")
    return EncodedCommits(encoded, header)


def _documents(text: bytes) -> Iterator[Document]:
    """Yield the file as one document if it is valid JSON, else each of its lines. Raises BadLine."""
    whole = _read_whole(text) if len(text) <= LARGEST_DOCUMENT else None
    if whole is not None:
        yield whole
        return
    for number, line in enumerate(io.BytesIO(text), 1):
        if line.strip():
            yield _read_line(number, line)


def _read_whole(text: bytes) -> Document | None:
    """Return the file as one document; None if it is not valid JSON. Raises BadLine."""
    try:
        contents = msgspec.json.decode(text)
    except _NO_JSON:
        return None
    if len(text) > SMALL_DOCUMENT and text.count(b"{") * LEAST_OBJECT > len(text):
        raise BadLine("it holds more objects than a game of its size")
    _refuse_twins(text)
    return Document(text, contents)


def _read_line(number: int, line: bytes) -> Document:
    """Return a line as a document. Raises BadLine."""
    if len(line) > LARGEST_DOCUMENT:
        raise BadLine(
            Text(
                "line {number} is longer than {most} MiB, and no commit is",
                number=number,
                most=LARGEST_DOCUMENT // MIB,
            )
        )
    try:
        contents = msgspec.json.decode(line)
    except _NO_JSON as fault:
        raise BadLine(
            Text("line {number} is not valid JSON: {fault}", number=number, fault=str(fault))
        ) from fault
    _refuse_twins(line)
    return Document(line, contents)


def _refuse_twins(text: bytes) -> None:
    """Raise BadLine if an object has two members of one name: readers differ in which one they take."""
    try:
        json.loads(text, object_pairs_hook=_check_members, parse_int=float)
    except RecursionError as fault:
        raise BadLine("it is nested too deeply to be a game") from fault


def _check_members(pairs: list[tuple[str, Any]]) -> None:
    """Raise BadLine if two members have one name."""
    if len(dict(pairs)) != len(pairs):
        (name, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise BadLine(Text("it has the member {name} twice in one object", name=name))


def _find_header(first: Document) -> Any:
    """Return the contents of the first line if it is a header; None if it is a commit.

    The format of a commit is a number, that of a file is text.
    """
    told = first.contents
    return told if isinstance(told, dict) and isinstance(told.get("format"), str) else None


def _find_commits(document: Document, before: int) -> Sequence[bytes]:
    """Return the bytes of each commit in a page or a list; anything else counts as one commit.

    Raises UnreadableCommit; `before` is how many commits were read already.
    """
    contents = document.contents
    listed = contents.get("commits") if isinstance(contents, dict) else contents
    commits = listed if isinstance(listed, list) else [contents]
    if before + len(commits) <= MOST_COMMITS:
        for number, commit in enumerate(commits, before + 1):
            _refuse_unhashed(number, commit)
    return _split_page(document.written) if isinstance(listed, list) else [document.written]


def _split_page(written: bytes) -> list[bytes]:
    """Return the bytes of each commit in a page or a list."""
    page: ExportPage | list[Raw] = msgspec.json.decode(written, type=ExportPage | list[Raw])
    return [bytes(raw) for raw in (page.commits if isinstance(page, ExportPage) else page)]


def _refuse_unhashed(number: int, commit: Any) -> None:
    """Raise UnreadableCommit if a commit has members that no hash covers.

    The service never exports them, and anyone could have written them.
    """
    for name in UNHASHED:
        if isinstance(commit, dict) and name in commit:
            raise UnreadableCommit(number, Text("it has the member {name}, which no hash covers", name=name))
