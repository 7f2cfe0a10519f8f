"""What a file holds as rows of two tables, for people with pandas or DuckDB: answers, and dice."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

CHOICES = ("game", "edition", "release", "version", "at", "round", "seat", "by", "bot", "ask", "choice")
ROLLS = ("game", "edition", "release", "version", "at", "round", "seat", "number", "lot", "face")
LOTS = ("own", "big", "neutral", "black")
Row = tuple[Any, ...]
Commit = Mapping[str, Any]


def rows_in(file: bytes) -> tuple[list[Row], list[Row]]:
    """The answers and the dice of one game that is over; of a fork those that are its own."""
    first, *lines = file.splitlines()
    header, choices, rolls, number = json.loads(first), list[Row](), list[Row](), 0
    start = header.get("fork", {}).get("at", 0)
    for commit in map(json.loads, lines):
        about, own = _about(header, commit), commit["version"] > start
        choices += ((*about, number, *answer) for answer in _answers(commit) if own)
        for event in commit["events"]:
            number = event["round"] if event["type"] == "round_started" else number
            rolls += ((*about, number, *die) for die in _dice(event) if own)
    return choices, rolls


def _about(header: Mapping[str, Any], commit: Commit) -> Row:
    return header["game"], header["edition"], header["release"], commit["version"], commit["at"]


def _answers(commit: Commit) -> Iterator[Row]:
    """A sealed answer is open in the file of a game that is over."""
    command = commit["command"]
    if command["type"] == "choose":
        choice, bot = command["choice"], commit.get("bot", {}).get("name") or command.get("bot", "")
        opened = choice.get("value", "") if isinstance(choice, dict) else choice
        yield command["seat"], commit["by"], bot, command["ask"], opened


def _dice(event: Mapping[str, Any]) -> Iterator[Row]:
    """One row a die; the seat is empty for dice of nobody in particular."""
    if event["type"] != "dice_rolled":
        return
    for lot in LOTS:
        faces = event.get(lot, ())
        for face in (faces,) if isinstance(faces, int) else faces or ():
            yield event.get("seat", ""), event["chance"], lot, face


def write_tables(folder: Path) -> None:
    """choices.csv and rolls.csv, anew from all the files of a folder."""
    with _open_table(folder / "choices.csv") as answers, _open_table(folder / "rolls.csv") as dice:
        choices, rolls = csv.writer(answers), csv.writer(dice)
        choices.writerow(CHOICES)
        rolls.writerow(ROLLS)
        for path in sorted(folder.glob("*.ndjson")):
            answered, rolled = rows_in(path.read_bytes())
            choices.writerows(answered)
            rolls.writerows(rolled)


def _open_table(path: Path) -> TextIO:
    return path.open("w", newline="", encoding="utf-8")
