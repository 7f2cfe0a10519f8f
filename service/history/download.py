"""Downloads the finished games of a service into a folder, optionally as CSV tables: `croupier export`."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from gzip import GzipFile
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from typing import Any, TextIO
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import msgspec
from msgspec import Struct

from service.config import say
from service.fairness.export_file import CURSOR_FORMAT, LARGEST_DOCUMENT, LARGEST_FILE
from service.text import escape, print_line

CHOICES = ("game", "edition", "release", "version", "at", "round", "seat", "by", "bot", "ask", "choice")
ROLLS = ("game", "edition", "release", "version", "at", "round", "seat", "number", "lot", "face")
LOTS = ("own", "big", "neutral", "black")
Row = tuple[Any, ...]
Commit = Mapping[str, Any]


def rows_in(file: bytes) -> tuple[list[Row], list[Row]]:
    """Return the answers and the dice in the file of a finished game; of a fork those after the fork."""
    first, *lines = file.splitlines()
    header = json.loads(first)
    choices = list[Row]()
    rolls = list[Row]()
    number = 0
    start = header.get("fork", {}).get("at", 0)
    for commit in map(json.loads, lines):
        about = _about(header, commit)
        own = commit["version"] > start
        choices += ((*about, number, *answer) for answer in _answers(commit) if own)
        for event in commit["events"]:
            number = event["round"] if event["type"] == "round_started" else number
            rolls += ((*about, number, *die) for die in _dice(event) if own)
    return choices, rolls


def _about(header: Mapping[str, Any], commit: Commit) -> Row:
    """Return the columns that are common to both tables."""
    return header["game"], header["edition"], header["release"], commit["version"], commit["at"]


def _answers(commit: Commit) -> Iterator[Row]:
    """Yield the answer in a commit, if it is one; a sealed answer is open in the file of a finished game."""
    command = commit["command"]
    if command["type"] == "choose":
        choice = command["choice"]
        bot = commit.get("bot", {}).get("name") or command.get("bot", "")
        opened = choice.get("value", "") if isinstance(choice, dict) else choice
        yield command["seat"], commit["by"], bot, command["ask"], opened


def _dice(event: Mapping[str, Any]) -> Iterator[Row]:
    """Yield one row for each die of an event; the seat is empty for dice that belong to no seat."""
    if event["type"] != "dice_rolled":
        return
    for lot in LOTS:
        faces = event.get(lot, ())
        for face in (faces,) if isinstance(faces, int) else faces or ():
            yield event.get("seat", ""), event["chance"], lot, face


def write_tables(folder: Path) -> None:
    """Write choices.csv and rolls.csv from all the files in a folder."""
    with _open_table(folder / "choices.csv") as answers, _open_table(folder / "rolls.csv") as dice:
        choices = csv.writer(answers)
        rolls = csv.writer(dice)
        choices.writerow(CHOICES)
        rolls.writerow(ROLLS)
        for path in sorted(folder.glob("*.ndjson")):
            answered, rolled = rows_in(path.read_bytes())
            choices.writerows(answered)
            rolls.writerows(rolled)


def _open_table(path: Path) -> TextIO:
    """Open a CSV file for writing."""
    return path.open("w", newline="", encoding="utf-8")


SECONDS = 60
AT_ONCE = 500
TOLD_EVERY = 1.0
UNAVAILABLE = 503
LARGEST_PROBLEM = 2**16
LONGEST_DETAIL = 500
_NAME = re.compile(r"g_[A-Za-z0-9_-]{22}")
# The lines of one reply, from a cursor on.
Fetch = Callable[[str], Iterable[bytes]]


class Unexpected(ValueError):
    """Says that the service sent no valid line of an export."""


class ExportQueryChanged(ValueError):
    """Says that the folder holds the games of another query."""


class ExportQuery(Struct, frozen=True):
    """Says which games a folder is filled with; the cursor of one query means nothing to another."""

    server: str = ""
    edition: str = ""
    finished_after: str = ""

    def __str__(self) -> str:
        since = f", finished after {self.finished_after}" if self.finished_after else ""
        return f"games of {self.edition or 'all editions'}{since} from {self.server}"


ANYTHING = ExportQuery()


class Reached(Struct, frozen=True):
    """Holds how far a folder has come."""

    cursor: str
    asked: ExportQuery


class Piece(Struct, frozen=True):
    """Holds the file of a game and the cursor behind it; the file is empty if only the cursor moves on."""

    game: str
    file: bytes
    cursor: str
    more: bool


def main(address: str, folder: str, edition: str, finished_after: str, tables: bool) -> int:
    """Run `croupier export`, which goes on where the last run with this folder ended; return the status."""
    wished = {"edition": edition, "finished_after": finished_after}
    asked = ExportQuery(address.rstrip("/"), edition, finished_after)
    try:
        count = _download_all(_fetcher(address, **wished), Path(folder), tables, asked)
    except ExportQueryChanged as fault:
        say(f"{escape(folder)}: {escape(str(fault))}")
        return 2
    except HTTPError as refusal:
        again = "; call again to go on" if refusal.code == UNAVAILABLE else ""
        say(f"the service answers {refusal.code}{escape(_read_detail(refusal))}{again}")
        return 1
    except (OSError, HTTPException, Unexpected) as fault:
        say(f"{escape(_explain(fault, address))}; call again to go on")
        return 1
    print_line(f"{count:,} games are new in {escape(folder)}")
    return 0


def _download_all(fetch: Fetch, folder: Path, tables: bool, asked: ExportQuery) -> int:
    """Download what is new, write the tables if wanted, and return the number of new games."""
    count = download(fetch, folder, asked)
    if tables:
        write_tables(folder)
    return count


def download(fetch: Fetch, folder: Path, asked: ExportQuery = ANYTHING) -> int:
    """Download what is not in the folder yet and return the number of new games.

    Raises ExportQueryChanged, Unexpected, and what `fetch` raises.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "cursor"
    count = 0
    more = True
    told = monotonic()
    cursor = _read_cursor(place, asked)
    while more:
        before = cursor
        for piece in _pieces(fetch(cursor)):
            count += _keep(folder, piece)
            cursor = piece.cursor
            more = piece.more
            place.write_bytes(msgspec.json.encode(Reached(cursor, asked)))
            if monotonic() - told > TOLD_EVERY:
                told = monotonic()
                print(f"{count:,} games", file=sys.stderr, flush=True)
        if more and cursor == before:
            raise Unexpected("the service does not go on")
    return count


def _read_cursor(place: Path, asked: ExportQuery) -> str:
    """Return where the last download ended, or "" for the beginning.

    Raises ExportQueryChanged if that was for another query: its cursor would leave out earlier games.
    """
    if not place.exists():
        return ""
    try:
        reached = msgspec.json.decode(place.read_bytes(), type=Reached)
    except msgspec.DecodeError as fault:
        raise ExportQueryChanged(
            "its file cursor does not say what was asked for; take another folder"
        ) from fault
    if reached.asked != asked:
        raise ExportQueryChanged(
            f"it holds {reached.asked}; ask for the same to go on, or take another folder"
        )
    return reached.cursor


def _keep(folder: Path, piece: Piece) -> int:
    """Store a game unless it is there, and return how many are new: 0 or 1.

    A game that is over never changes, so that a file that is there stays.
    """
    path = folder / f"{piece.game}.ndjson"
    if not piece.file or path.exists():
        return 0
    path.with_suffix(".part").write_bytes(piece.file)
    path.with_suffix(".part").rename(path)
    return 1


def _pieces(lines: Iterable[bytes]) -> Iterator[Piece]:
    """Yield the games in a reply. Raises Unexpected."""
    game = ""
    file = b""
    for line in lines:
        told = _read_line(line)
        if told.get("format") == CURSOR_FORMAT:
            yield Piece(game, file, str(told["cursor"]), bool(told["more"]))
            game = ""
            file = b""
            continue
        if isinstance(told.get("format"), str):
            game = str(told["game"])
            file = b""
        file += line
        if not _NAME.fullmatch(game) or len(file) > LARGEST_FILE:
            raise Unexpected("the service sends what is no game")


def _read_line(line: bytes) -> dict[str, Any]:
    """Return the contents of a line. Raises Unexpected."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not line.endswith(b"\n"):
        raise Unexpected("the service sends what is no line of an export, or broke off")
    return told


def _fetcher(address: str, **asked: str) -> Fetch:
    """Return a function that requests the games after a cursor and yields the lines of the reply."""
    wished = {name: text for name, text in asked.items() if text}

    def fetch(cursor: str) -> Iterator[bytes]:
        query = urlencode({**wished, "limit": str(AT_ONCE), **({"cursor": cursor} if cursor else {})})
        url = f"{address.rstrip('/')}/v1/exports?{query}"
        if not url.startswith(("http://", "https://")):
            raise Unexpected("the address of a service begins with http:// or https://")
        with urlopen(Request(url, headers={"Accept-Encoding": "gzip"}), timeout=SECONDS) as reply:
            packed = reply.headers.get("Content-Encoding") == "gzip"
            lines = GzipFile(fileobj=reply) if packed else reply
            while line := lines.readline(LARGEST_DOCUMENT):
                yield line

    return fetch


def _read_detail(refusal: HTTPError) -> str:
    """Return the detail of a problem that the service sent, for a message; else an empty text."""
    try:
        told = json.loads(refusal.read(LARGEST_PROBLEM))
    except (OSError, HTTPException, ValueError, RecursionError):
        return ""
    detail = told.get("detail") if isinstance(told, dict) else None
    return f": {detail[:LONGEST_DETAIL]}" if isinstance(detail, str) else ""


def _explain(fault: Exception, address: str) -> str:
    """Return what went wrong; it names the service unless a file of ours is at fault."""
    if isinstance(fault, URLError):
        return f"no answer from {address}: {fault.reason}"
    ours = isinstance(fault, OSError) and fault.filename is not None
    return str(fault) if ours else f"{address}: {fault}"
